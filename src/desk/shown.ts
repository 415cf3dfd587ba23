import { z } from 'zod';

import { markdownToHtml } from '../platform/text/to-html.ts';
import type { Pictures } from './pictures.ts';

/** Where people open a ticket's thread in chat; undefined where that is not known. */
export type ThreadUrl = (channelId: string, messageTs: string) => Promise<string | undefined>;

/** What the page cannot make by itself. */
export interface Showing {
  threadUrl: ThreadUrl;
  pictures: Pictures;
}

const list = z.looseObject({ items: z.array(z.unknown()) });
const message = z.looseObject({ content: z.string(), ticketId: z.string() });
const ticket = z.looseObject({
  description: z.string().nullable(),
  chatThreads: z.array(z.looseObject({ channelId: z.string(), messageTs: z.string() })),
});

/**
 * An answer of the service as the page gets it: a message, or each of a list, with the HTML of its Markdown as `html`;
 * likewise a ticket by itself, whose threads in chat have their `url`. Anything else as it is.
 */
export async function shown(answer: unknown, { threadUrl, pictures }: Showing): Promise<unknown> {
  const htmlOf = (markdown: string) => markdownToHtml(markdown, (url) => pictures.addressOf(url));
  const withHtml = (record: unknown) => {
    const { data } = message.safeParse(record);
    return data ? { ...data, html: htmlOf(data.content) } : record;
  };
  const many = list.safeParse(answer).data;
  if (many) return { ...many, items: many.items.map(withHtml) };
  const { data } = ticket.safeParse(answer);
  if (!data) return withHtml(answer);
  const chatThreads = await Promise.all(
    data.chatThreads.map(async (thread) => ({
      ...thread,
      url: (await threadUrl(thread.channelId, thread.messageTs)) ?? null,
    })),
  );
  return { ...data, html: htmlOf(data.description ?? ''), chatThreads };
}
