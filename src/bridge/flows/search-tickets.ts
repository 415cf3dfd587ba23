import { z } from 'zod';

import { resultBlocks } from '../blocks/answers.ts';
import type { Bridge } from '../bridge.ts';
import type { Answer } from '../chat/respond.ts';
import type { Person } from '../links/people.ts';
import { escapeChat } from '../text/to-chat.ts';
import { ticketUrl } from './ticket-facts.ts';

/** Results shown at once (B34). */
const PAGE = 10;

/** What the *Next page* button carries. */
const NextPage = z.object({ words: z.string(), cursor: z.string() });

/** Tickets that hold the words and that this person may see, newest first, ten at a time (B34, B35). */
export async function searchTickets(
  bridge: Bridge,
  words: string,
  person: Person,
  cursor?: string,
): Promise<Answer> {
  const { items, totalCount, nextCursor } = await bridge.service.listTickets({
    query: { search: words, limit: PAGE, ...visibleTo(person), ...(cursor ? { cursor } : {}) },
  });
  if (items.length === 0)
    return {
      text: `Nothing found for “${escapeChat(words)}” in the titles, descriptions and references of the tickets you can see. Try fewer or other words.`,
    };
  const lines = items.map((ticket) => ({
    code: ticket.code,
    url: ticketUrl(bridge, ticket.code),
    title: ticket.title ?? 'Untitled request',
    status: ticket.status.label,
    createdAt: new Date(ticket.createdAt),
  }));
  const next = nextCursor
    ? JSON.stringify({ words, cursor: nextCursor } satisfies z.infer<typeof NextPage>)
    : undefined;
  return resultBlocks(words, lines, { total: totalCount, next, now: bridge.clock.now() });
}

/** The page that a *Next page* button asks for; undefined when its value is not ours. */
export function readNextPage(value: string): z.infer<typeof NextPage> | undefined {
  try {
    return NextPage.parse(JSON.parse(value));
  } catch {
    return undefined;
  }
}

/** Somebody whom the service does not know sees what is public. */
function visibleTo(person: Person): { visibleToUserId: string } | { private: boolean } {
  return person.user_id ? { visibleToUserId: person.user_id } : { private: false };
}
