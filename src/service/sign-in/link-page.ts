import { hash } from 'node:crypto';

import type { FastifyReply } from 'fastify';

/** As the sign-in page of the desk. */
const STYLE = `:root{color-scheme:light dark}
body{display:grid;min-height:100vh;margin:0;place-content:center;font:15px/1.5 system-ui,sans-serif;color:#1b2220;background:#fff}
main{display:grid;gap:16px;width:min(320px,100vw - 48px);padding-bottom:8vh;justify-items:center;text-align:center}
h1,p{margin:0;overflow-wrap:anywhere;text-wrap:balance}h1{font-size:22px;font-weight:600;letter-spacing:-.01em}form{width:100%}
button{width:100%;min-height:44px;font:inherit;font-weight:600;border:0;border-radius:8px;background:#0f6f67;color:#fff;cursor:pointer}
button:hover{filter:brightness(1.1)}button:focus-visible{outline:2px solid #0f6f67;outline-offset:2px}
@media (prefers-color-scheme:dark){body{color:#e7ecea;background:#161b1a}button{background:#4cc4b5;color:#04211d}button:focus-visible{outline-color:#4cc4b5}}`;

const LOGO =
  '<svg width="48" height="48" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#0f766e"/><path d="M8 10h16a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2h-7l-5 4v-4H8a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2z" fill="#fff"/></svg>';

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
      `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Sign in</title><style>${STYLE}</style></head><body><main>${LOGO}<h1>Sign in to the desk</h1><p>You sign in as <strong>${escaped(name)}</strong>. The link works once.</p><form method="post" action="/auth/link"><input type="hidden" name="code" value="${escaped(code)}"><button>Sign in</button></form></main></body></html>`,
    );
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
