import { hash } from 'node:crypto';

import type { FastifyReply } from 'fastify';

import { BRAND, PAGE_LOOK } from '../../platform/http/page-look.ts';

/** The card is that of the desk's sign-in page. */
const STYLE = `${PAGE_LOOK}
body{display:grid;min-height:100vh;padding:24px 16px;place-items:center;font:13px/1.45 var(--font)}
main{display:grid;gap:12px;width:100%;max-width:380px;padding:24px;border:1px solid var(--border);border-radius:10px;background:var(--surface)}
h1,p{margin:0}h1{font-size:18px;font-weight:600}
button{width:100%;min-height:40px;font:inherit;font-weight:500;border:0;border-radius:6px;background:var(--accent);color:var(--accent-text);cursor:pointer}
button:hover{filter:brightness(1.08)}`;

const POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

/**
 * Shows one button that signs the person in: programs that look at the links in a mail open them, and press nothing.
 * The name tells people whose link somebody gave them.
 */
export function sendLinkPage(
  reply: FastifyReply,
  { code, name }: { code: string; name: string },
): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
      // The address is secret. `no-referrer` would take the origin from the form, too.
      'referrer-policy': 'same-origin',
    })
    .send(
      `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Sign in</title><style>${STYLE}</style></head><body><main>${BRAND}<h1>Sign in to the desk</h1><p>You sign in as <strong>${escaped(name)}</strong>. The link works once.</p><form method="post" action="/auth/link"><input type="hidden" name="code" value="${escaped(code)}"><button>Sign in</button></form></main></body></html>`,
    );
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
