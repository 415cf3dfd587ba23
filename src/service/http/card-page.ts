import { hash } from 'node:crypto';

import type { FastifyReply } from 'fastify';

import { BRAND, PAGE_LOOK } from '../../platform/http/page-look.ts';

/** The card is that of the desk's sign-in page. */
const STYLE = `${PAGE_LOOK}
body{display:grid;min-height:100vh;padding:24px 16px;place-items:center;font:13px/1.45 var(--font)}
main{display:grid;gap:12px;width:100%;max-width:380px;padding:24px;border:1px solid var(--border);border-radius:10px;background:var(--surface)}
h1,p,ul{margin:0}h1{font-size:18px;font-weight:600}ul{padding-left:20px}form{display:grid;gap:8px}
button{width:100%;min-height:40px;font:inherit;font-weight:500;border:0;border-radius:6px;background:var(--accent);color:var(--accent-text);cursor:pointer}
button.second{background:light-dark(#ececea,#2a2c30);color:inherit}
button:hover{filter:brightness(1.08)}`;

const STYLE_SOURCE = `'sha256-${hash('sha256', STYLE, 'base64')}'`;

/**
 * Sends a page that is one card, without scripts.
 * @param body HTML; what comes from outside is escaped.
 * @param formTargets where its form may lead, besides this program: browsers follow no redirect to anywhere else.
 */
export function sendCard(
  reply: FastifyReply,
  { title, body, formTargets = [] }: { title: string; body: string; formTargets?: readonly string[] },
): FastifyReply {
  const policy = [
    `default-src 'none'`,
    `style-src ${STYLE_SOURCE}`,
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
  return reply
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy': policy,
      'cache-control': 'no-store',
      // The address may be secret. `no-referrer` would take the origin from the form, too.
      'referrer-policy': 'same-origin',
    })
    .send(
      `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title><style>${STYLE}</style></head><body><main>${BRAND}${body}</main></body></html>`,
    );
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
