import { createHash } from 'node:crypto';

import type { FastifyReply } from 'fastify';

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:4rem auto;padding:0 1rem;color:#1d1c1d}
select,button{font:inherit;padding:.5rem .75rem;border:1px solid #767676;border-radius:.375rem;background:#fff;color:inherit}
select{width:100%}button[value=allow]{background:#007a5a;border-color:#007a5a;color:#fff}
label,ul,p.do{display:block;margin:1rem 0}
@media (prefers-color-scheme:dark){body,select,button{background:#1a1d21;color:#e8e8e8}}`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Nothing runs; a form goes here, and from here to where the app is. */
function policy(target?: URL): string {
  const forms = target ? `'self' ${target.origin}` : "'none'";
  return `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; frame-ancestors 'none'; form-action ${forms}`;
}

/** Shows the error of an invalid request. */
function refusalPage(code: string): string {
  return htmlPage(
    'Something is wrong with this link',
    `<p>The app that sent you here made a mistake: <code>${escaped(code)}</code>.</p>`,
  );
}

/** A page without scripts. */
export function htmlPage(title: string, body: string): string {
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title><style>${STYLE}</style></head><body><main><h1>${escaped(title)}</h1>${body}</main></body></html>`;
}

/** The fields of a request, which its form sends again. */
export function hiddenFields(fields: Record<string, string | undefined>): string {
  return Object.entries(fields)
    .filter((field): field is [string, string] => field[1] !== undefined)
    .map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`)
    .join('');
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

/** Shows the person what is wrong with the request that brought them here. */
export function sendErrorPage(reply: FastifyReply, code: string): FastifyReply {
  return sendPage(reply, 400, refusalPage(code));
}

export function sendPage(reply: FastifyReply, status: number, html: string, target?: URL): FastifyReply {
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .header('content-security-policy', policy(target))
    .header('referrer-policy', 'same-origin')
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'no-store')
    .send(html);
}
