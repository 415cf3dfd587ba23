import type { FastifyReply } from 'fastify';

import { escaped, sendCard } from '../http/card-page.ts';

/**
 * Shows one button that signs the person in: programs that look at the links in a mail open them, and press nothing.
 * The name tells people whose link somebody gave them.
 */
export function sendLinkPage(
  reply: FastifyReply,
  { code, name }: { code: string; name: string },
): FastifyReply {
  return sendCard(reply, {
    title: 'Sign in',
    body: `<h1>Sign in as ${escaped(name)}</h1><p>The link works once. Not you? Close this page, and ask an admin for a link of your own.</p><form method="post" action="/auth/link"><input type="hidden" name="code" value="${escaped(code)}"><button>Sign in</button></form>`,
  });
}
