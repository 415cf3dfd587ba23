import { z } from 'zod';

import type { Answer as ClientAnswer } from '../../client/index.ts';
import { resultBlocks } from '../blocks/answers.ts';
import type { Bridge } from '../bridge.ts';
import type { Answer } from '../chat/respond.ts';
import { maySee } from '../decide/may-see.ts';
import type { Person } from '../links/people.ts';
import { isInTeam, teamsOf } from '../links/team.ts';
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
  const { items, total, nextCursor } = await visiblePage(bridge, words, person, cursor);
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
  return resultBlocks(words, lines, { total, next, now: bridge.clock.now() });
}

type Listed = ClientAnswer<'listTickets'>['items'][number];
interface VisiblePage {
  items: Listed[];
  /** Undefined where the service counts what this person may not see. */
  total: number | undefined;
  nextCursor: string | null;
}

/** Pages that are read in vain at most, where a service answers what this person may not see. */
const PAGES = 5;

/** The next page on which this person may see something; what they may not see does not even count. */
async function visiblePage(
  bridge: Bridge,
  words: string,
  person: Person,
  cursor: string | undefined,
): Promise<VisiblePage> {
  const queues = await queuesOf(bridge, person);
  const isMember = queues.size > 0;
  let at = cursor;
  for (let page = 1; ; page++) {
    const { items, totalCount, nextCursor } = await bridge.service.listTickets({
      query: {
        search: words,
        limit: PAGE,
        ...(isMember ? {} : visibleTo(person)),
        ...(at === undefined ? {} : { cursor: at }),
      },
    });
    const seen: Listed[] = [];
    for (const ticket of items) if (await isVisible(bridge, ticket, person, queues)) seen.push(ticket);
    const isWhole = at === undefined && nextCursor === null;
    const counted = seen.length === items.length ? totalCount : seen.length;
    const total = isMember && !isWhole ? undefined : counted;
    if (seen.length > 0 || nextCursor === null || page >= PAGES) return { items: seen, total, nextCursor };
    at = nextCursor;
  }
}

/** The service's filter is not all that is relied on (Ext). Who follows a ticket is shown by its own record only. */
async function isVisible(
  { service, channels }: Bridge,
  ticket: Listed,
  { user_id }: Person,
  queues: ReadonlySet<string | null>,
): Promise<boolean> {
  if (!(await channels.isOffered(ticket.queue?.workspaceId))) return false;
  if (queues.has(ticket.queueId)) return true;
  if (maySee({ ...ticket, followers: [] }, user_id)) return true;
  return user_id !== null && maySee(await service.readTicket({ params: { id: ticket.id } }), user_id);
}

/** The queues whose team a person is of (B0); null stands for tickets without one, which are every team's. */
async function queuesOf(bridge: Bridge, person: Person): Promise<ReadonlySet<string | null>> {
  const own = [...(await teamsOf(bridge))].flatMap(([id, team]) => (isInTeam(team, person) ? [id] : []));
  return new Set(own.length > 0 ? [...own, null] : []);
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
