import { hash } from 'node:crypto';

import type { FastifyReply } from 'fastify';

const STYLE = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:28rem;margin:4rem auto;padding:0 1rem;color:#1b2220;background:#fff}
button{font:inherit;font-weight:600;padding:.6rem 1.2rem;border:0;border-radius:.5rem;background:#0f6f67;color:#fff;cursor:pointer}
button:focus-visible{outline:3px solid #4cc4b5;outline-offset:2px}
@media (prefers-color-scheme:dark){body{color:#e7ecea;background:#161b1a}button{background:#4cc4b5;color:#04211d}}`;

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
      `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Sign in</title><style>${STYLE}</style></head><body><main><h1>Sign in</h1><p>You sign in as <strong>${escaped(name)}</strong>. The link works once.</p><form method="post" action="/auth/link"><input type="hidden" name="code" value="${escaped(code)}"><button>Sign in</button></form></main></body></html>`,
    );
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
