import { z } from 'zod';

import { shorten } from '../contract/index.ts';
import { ownTurn } from '../platform/own-turn.ts';
import { emojiKey } from '../platform/text/emoji.ts';
import { plainText } from '../platform/text/plain-text.ts';
import { markdownToHtml } from '../platform/text/to-html.ts';
import type { Pictures } from './pictures.ts';

/** Returns the URL of a ticket's thread in chat; undefined if unknown. */
export type ThreadUrl = (channelId: string, messageTs: string) => Promise<string | undefined>;

/** Dependencies that the page cannot provide. */
export interface Showing {
  threadUrl: ThreadUrl;
  pictures: Pictures;
}

const list = z.looseObject({ items: z.array(z.unknown()) });
/** Another service may have none. */
const files = z
  .array(z.looseObject({ name: z.string() }))
  .optional()
  .catch(undefined);
const message = z.looseObject({
  content: z.string(),
  ticketId: z.string(),
  reactions: z.array(z.looseObject({ emoji: z.string() })).optional(),
  files,
});
const user = z.looseObject({ image: z.string().nullable(), chatUsers: z.array(z.unknown()) });
const listedTicket = z.looseObject({ lastReply: z.looseObject({ excerpt: z.string() }) });
const ticket = z.looseObject({
  description: z.string().nullable(),
  chatThreads: z.array(z.looseObject({ channelId: z.string(), messageTs: z.string() })),
  files,
});

/** What a row of a list has room for. */
const MOST_WORDS = 70;

/** Returns the beginning of a Markdown text as one line of plain text. */
const firstWords = (markdown: string): string =>
  shorten(plainText(markdown).replaceAll(/\s+/g, ' ').trim(), MOST_WORDS);

/** Returns the desk's address of a user's picture; null if there is none that may be read. */
export function pictureOf({ image }: { image: string | null }, pictures: Pictures): string | null {
  return image?.startsWith('https:') ? pictures.addressOf(image) : null;
}

/**
 * Adds to a response of the service what the page shows: the HTML of a message's Markdown as `html`, without the lines
 * of files that are shown below it, its reactions' emoji as `sign`, a user's `picture` as the desk's own address of it,
 * and a `url` for each thread of a single ticket. The excerpt of a listed ticket's last message becomes plain text.
 * Other responses are unchanged.
 */
export async function withPresentation(answer: unknown, { threadUrl, pictures }: Showing): Promise<unknown> {
  const htmlOf = (markdown: string, files: readonly { name: string }[] = []) =>
    markdownToHtml(markdown, {
      picture: (url) => pictures.addressOf(url),
      files: files.map(({ name }) => name),
    });
  const withAdditions = (record: unknown) => {
    const { data } = message.safeParse(record);
    if (!data) return withWords(withPicture(record));
    const reactions = data.reactions?.map((each) => ({ ...each, sign: emojiKey(each.emoji) }));
    return { ...data, ...(reactions && { reactions }), html: htmlOf(data.content, data.files) };
  };
  const withPicture = (record: unknown) => {
    const { data } = user.safeParse(record);
    return data ? { ...data, picture: pictureOf(data, pictures) } : record;
  };
  const withWords = (record: unknown) => {
    const { data } = listedTicket.safeParse(record);
    if (!data) return record;
    return { ...data, lastReply: { ...data.lastReply, excerpt: firstWords(data.lastReply.excerpt) } };
  };
  const many = list.safeParse(answer).data;
  if (many) {
    const items: unknown[] = [];
    for (const item of many.items) {
      items.push(withAdditions(item));
      // Lets other requests run between two long texts.
      await ownTurn();
    }
    return { ...many, items };
  }
  const { data } = ticket.safeParse(answer);
  if (!data) return withAdditions(answer);
  const chatThreads = await Promise.all(
    data.chatThreads.map(async (thread) => ({
      ...thread,
      url: (await threadUrl(thread.channelId, thread.messageTs)) ?? null,
    })),
  );
  return { ...data, html: htmlOf(data.description ?? '', data.files), chatThreads };
}
