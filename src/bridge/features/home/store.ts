import { type Selectable, sql } from 'kysely';
import { z } from 'zod';
import type { HomeView } from '@slack/types';

import type { Bridge } from '../../bridge.ts';
import { featureKind, planPosts } from '../../store/posts.ts';
import {
  type HomePlace,
  HOME_PARTS,
  type HomePart,
  homeSections,
  parseHomePlace,
  waitsFor,
} from './rules.ts';
import type { Db } from '../../../platform/database/open.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import { homeKey, fingerprint, isPlaceholderParent, permalinkOf } from '../../slack/ids.ts';
import { type Answer, ServiceError } from '../../../client/index.ts';
import { type HomeLine, homeView, homeWithout } from './blocks.ts';
import { ChatError } from '../../slack/errors.ts';
import { postKind } from '../../outbox/post-kind.ts';
import type { ChatWriter } from '../../slack/writer.ts';
import { hasEnded, UNTITLED } from '../../tickets/rules.ts';
import { personOf, programName } from '../../people/people.ts';
import { userNames, ticketUrl } from '../../tickets/ticket-facts.ts';
import { ageOf } from '../../blocks/time.ts';
import { markdownExcerpt } from '../../text/to-chat.ts';
import type { BridgeTx } from '../../work.ts';

type Home = Selectable<BridgeTables['home']>;
type Whose = { team: string; user: string };

/** Records that a user opened their Home, or another section. It is redrawn in any case. */
export async function setHome(
  tx: BridgeTx,
  { clock, newId }: Pick<Bridge, 'clock' | 'newId'>,
  whose: Whose,
  { place, notice = null }: { place?: HomePlace; notice?: string | null } = {},
): Promise<void> {
  const values = { ...place, notice, opened_at: clock.now() };
  await tx
    .insertInto('home')
    .values({ team_id: whose.team, chat_user_id: whose.user, part: 'all', page: 1, ...values })
    .onConflict((conflict) =>
      conflict.columns(['team_id', 'chat_user_id']).doUpdateSet({ ...values, digest: null }),
    )
    .execute();
  await planHome(tx, { clock, newId }, whose);
}

/**
 * Plans to draw a Home. Many changes at once are one drawing: a planned one that has not started will read the latest
 * state.
 */
export async function planHome(
  tx: BridgeTx,
  bridge: Pick<Bridge, 'clock' | 'newId'>,
  { team, user }: Whose,
): Promise<void> {
  const waiting = await tx
    .selectFrom('outbox')
    .select('id')
    .where((where) => where.and({ team_id: team, channel_id: user, kind: 'home', state: 'planned' }))
    .executeTakeFirst();
  if (waiting) return;
  const place = { conversationId: null, team, channel: user, orderingKey: homeKey(team, user) };
  await planPosts(tx, bridge, place, [{ kind: featureKind('home') }]);
}

export async function planHomes(
  tx: BridgeTx,
  bridge: Pick<Bridge, 'clock' | 'newId'>,
  homes: readonly Whose[],
): Promise<void> {
  for (const one of homes) await planHome(tx, bridge, one);
}

/** After this time a Home is redrawn only when it is opened. */
const LOOKED_AT_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Returns the users on whose Home a change is visible: those in the ticket's record, and those whose Home shows it now.
 */
export async function homesOf(
  db: Db<BridgeTables>,
  { clock, bot }: Pick<Bridge, 'clock' | 'bot'>,
  ticketId: string,
  ticket: Pick<Ticket, 'requesterId' | 'assigneeId' | 'approvers'> | undefined,
): Promise<Whose[]> {
  const { requesterId = null, assigneeId = null, approvers = [] } = ticket ?? {};
  const named = [requesterId, assigneeId, ...approvers.map(({ id }) => id)];
  const userIds = named.filter((id) => id !== null);
  const rows = await db
    .selectFrom('home')
    .leftJoin('person', (join) =>
      join
        .onRef('person.team_id', '=', 'home.team_id')
        .onRef('person.chat_user_id', '=', 'home.chat_user_id'),
    )
    .select(['home.team_id', 'home.chat_user_id'])
    .where('home.team_id', '=', bot.team)
    .where('home.opened_at', '>', new Date(clock.now().getTime() - LOOKED_AT_MS))
    .where((is) =>
      is.or([
        sql<boolean>`${ticketId} = any(home.tickets)`,
        ...(userIds.length > 0 ? [is('person.user_id', 'in', userIds)] : []),
      ]),
    )
    .execute();
  return rows.map((row) => ({ team: row.team_id, user: row.chat_user_id }));
}

type Ticket = Answer<'listTickets'>['items'][number];

/** Maximum number of tickets per section; more than anyone pages through. */
const LISTED = 200;

/**
 * Draws a user's Home when it is sent (B38), so it includes later changes. An unchanged one is not sent, and rejections
 * by Slack are ignored.
 */
export const homePost = postKind(
  'home',
  'card',
  z.unknown(),
  (bridge, writer, { team_id, channel_id: chat_user_id, state }) => ({
    methods: ['views.publish'],
    isDrawn: true,
    make: async () => {
      const home = await bridge.database.db
        .selectFrom('home')
        .selectAll()
        .where((where) => where.and({ team_id, chat_user_id }))
        .executeTakeFirst();
      // A user who never opened their Home has none.
      if (!home) return undefined;
      try {
        const { view, tickets } = await drawHome(bridge, home);
        // An earlier attempt may have shown another one, and not recorded it.
        const isKnown = state !== 'sending';
        await show(bridge, writer, isKnown ? home : { ...home, digest: null }, view, tickets);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        // The first time there is nothing to show yet; otherwise the old contents stay.
        if (home.tickets === null) await show(bridge, writer, home, homeWithout(AWAY), null);
        throw error;
      }
      return undefined;
    },
  }),
);

const AWAY = 'The help desk is unavailable. Your tickets appear here when it is available again.';
const UNKNOWN = 'You have no requests yet. Your requests and what waits for you appear here.';

async function show(
  { database, log }: Bridge,
  writer: ChatWriter,
  { team_id, chat_user_id, digest: shown }: Home,
  view: HomeView,
  tickets: string[] | null,
): Promise<void> {
  const digest = fingerprint(view);
  if (digest === shown) return;
  try {
    await writer.publishHome(chat_user_id, view);
  } catch (error) {
    if (!(error instanceof ChatError && error.next === 'give-up')) throw error;
    log.info({ event: 'home.refused', err: error }, 'Slack rejected a user’s Home');
  }
  await database.db
    .updateTable('home')
    .set({ digest, tickets })
    .where((where) => where.and({ team_id, chat_user_id }))
    .execute();
}

async function drawHome(bridge: Bridge, home: Home): Promise<{ view: HomeView; tickets: string[] }> {
  const person = await personOf(bridge, home.team_id, home.chat_user_id);
  const { user_id: userId } = person;
  if (userId === null) return { view: homeWithout(UNKNOWN), tickets: [] };
  const parts = homeSections(await listedFor(bridge, userId), userId, bridge.clock.now());
  const tickets = [...new Set(HOME_PARTS.flatMap((part) => parts[part].map(({ id }) => id)))];
  const threads = await threadsOf(bridge, tickets);
  const authors = HOME_PARTS.flatMap((part) =>
    parts[part].map(({ lastReply }) => lastReply?.authorId ?? null),
  );
  const nameOf = await userNames(bridge, [...new Set(authors)]);
  const lines = (part: HomePart) =>
    parts[part].map((ticket) => homeLine(bridge, ticket, part, { threads, nameOf, userId }));
  const drawn = {
    approvals: lines('approvals'),
    assigned: lines('assigned'),
    requests: lines('requests'),
    recent: lines('recent'),
  };
  const place = parseHomePlace(`${home.part} ${home.page}`);
  return { view: homeView({ parts: drawn, place, notice: home.notice ?? undefined }), tickets };
}

/** Returns the tickets for a user's Home: only of workspaces offered in chat (B45). */
async function listedFor({ service, channels }: Bridge, userId: string): Promise<Ticket[]> {
  const offered = await channels.offered();
  const answers = await Promise.all(
    offered.flatMap((workspaceId) => {
      const newest = { workspaceId, sortBy: 'updatedAt', sortDirection: 'desc', limit: LISTED } as const;
      return [
        service.listTickets({ query: { ...newest, requesterId: userId, openFilter: true } }),
        service.listTickets({ query: { ...newest, assigneeId: userId, openFilter: true } }),
        service.listTickets({ query: { ...newest, approverId: userId, openFilter: true } }),
        service.listTickets({ query: { ...newest, requesterId: userId, limit: RECENT } }),
      ];
    }),
  );
  const listed: Ticket[] = [];
  // Checked here too, because a service without the filter returns everything.
  for (const ticket of answers.flatMap(({ items }) => items))
    if (await channels.isOffered(ticket.queue?.workspaceId)) listed.push(ticket);
  return listed;
}

/** Number of tickets searched for recently resolved ones. */
const RECENT = 20;

/** Returns each ticket's thread with its requester. */
async function threadsOf(
  { database, bot }: Bridge,
  ticketIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const threads = new Map<string, string>();
  if (ticketIds.length === 0 || bot.url === undefined) return threads;
  const rows = await database.db
    .selectFrom('conversation')
    .select(['ticket_id', 'channel_id', 'thread_ts'])
    .where('ticket_id', 'in', ticketIds)
    .where('role', '=', 'request')
    .execute();
  for (const { ticket_id: id, channel_id: channel, thread_ts: ts } of rows)
    if (id !== null && !isPlaceholderParent(ts)) threads.set(id, permalinkOf(bot.url, { channel, ts }));
  return threads;
}

function homeLine(
  bridge: Bridge,
  ticket: Ticket,
  part: HomePart,
  {
    threads,
    nameOf,
    userId,
  }: {
    threads: ReadonlyMap<string, string>;
    nameOf: (id: string | null) => string | undefined;
    userId: string;
  },
): HomeLine {
  const { id, code, title, priority, requesterId, lastReply } = ticket;
  const { label: status, statusGroup } = ticket.status;
  const isOnHold = part === 'requests' && statusGroup.label === 'Waiting';
  return {
    id,
    code,
    priority,
    status,
    statusGroup: statusGroup.label,
    thread: threads.get(id),
    url: ticketUrl(bridge, code),
    title: title ?? UNTITLED,
    last: lastReply
      ? {
          by:
            lastReply.authorId === userId
              ? 'You'
              : (programName(lastReply) ?? nameOf(lastReply.authorId) ?? 'Somebody'),
          words: markdownExcerpt(lastReply.excerpt),
          age: ageOf(new Date(lastReply.createdAt), bridge.clock.now()),
        }
      : undefined,
    waits: waitsFor(ticket, part),
    onHoldBy: isOnHold ? (ticket.queue?.name ?? 'the team') : undefined,
    own: requesterId === userId ? (hasEnded(statusGroup.label) ? 'reopen' : 'close') : undefined,
  };
}
