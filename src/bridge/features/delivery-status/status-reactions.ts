import { type RawBuilder, type Selectable, sql } from 'kysely';
import { z } from 'zod';

import { actions, section } from '../../blocks/kit.ts';
import { MESSAGE_ACTIONS, messageButton } from '../../blocks/modals.ts';
import type { Bridge } from '../../bridge.ts';
import { ChatError } from '../../slack/errors.ts';
import { featureKind, planPosts } from '../../store/posts.ts';
import { type DeliveryMark, TICKET_EMOJI, MARK_EMOJI } from '../../blocks/emoji.ts';
import { failureReason, deliveryMark, type PendingFacts, reactionsFor } from './rules.ts';
import type { ChatEvent } from '../../slack/chat-event.ts';
import { type ChatPlace, markKey } from '../../slack/ids.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import { observedChannels } from '../../threads/observed.ts';
import { endClaims } from '../cards/index.ts';
import { emojiCall } from '../../outbox/desired-state.ts';
import { postKind } from '../../outbox/post-kind.ts';
import {
  type BridgeTx,
  CLASSES,
  type Done,
  EVENT,
  laneOf,
  type NewWork,
  workFor,
  workKind,
  type Write,
} from '../../work.ts';

/** The sweep for delivery status: in one lane, so exactly one process runs it. */
export const SWEEP = workKind('sweep', CLASSES.statuses, z.strictObject({}));

/** Number of checks within the time after which a message gets its reaction. */
const LOOKS = 6;
/**
 * Maximum number of messages per sweep that get a reaction: these have a rate limit, and the longest wait comes first.
 */
const AT_ONCE = 500;
/** Rows that are read at once, and how often: messages of apps are among them, which get no reaction. */
const PAGE = 500;
const PAGES = 20;

export function sweepAfter(delayMs: number): NewWork {
  return workFor(SWEEP, 'sweep', {}, { mergeKey: 'sweep', delayMs });
}

/** @param afterMs the time after which a message gets its reaction. */
export function nextSweep(afterMs: number): NewWork {
  return sweepAfter(afterMs / LOOKS);
}

type Status = Selectable<BridgeTables['delivery_status']>;

/** A message, what it has waiting or failed, and its record. */
interface Pending {
  place: ChatPlace;
  facts: PendingFacts[];
  status: Status | undefined;
  /** Set if it failed and nobody was told: whose message it is, and why it failed, as stored. */
  untold?: { author: string; errorCode: string | null };
}

/**
 * Compares pending and failed events with the status reactions on messages, and plans the differences: ⏳ on those
 * waiting longer than `afterMs`, ⚠️ on failed ones with a message to the author, and nothing on delivered ones (B47,
 * B54). It has its own class, because it reports blocked ones. Also ends expired claims (B57).
 */
export async function updateDeliveryStatus(bridge: Bridge, afterMs: number): Promise<Done> {
  const pending = await readMarked(bridge);
  await addUnmarked(bridge, pending, FAILED);
  await addUnmarked(bridge, pending, waitingSince(new Date(bridge.clock.now().getTime() - afterMs)));
  const notify = new Map<Pending, string | null>();
  for (const one of pending.values()) {
    const direct = one.untold && (await channelFor(bridge, one.untold.author));
    if (direct !== undefined) notify.set(one, direct);
  }
  const write: Write = async (tx) => {
    for (const one of pending.values()) {
      const { place, facts, status } = one;
      const mark = deliveryMark(facts, afterMs);
      if (mark !== (status?.wanted ?? null)) await recordWantedMark(tx, bridge, place, mark);
      else if (mark === null && status?.shown === null) await forget(tx, place);
      const direct = notify.get(one);
      if (direct !== undefined)
        await notifyAuthor(tx, bridge, { place, errorCode: one.untold?.errorCode ?? null }, direct);
    }
    await endClaims(tx, bridge);
    tx.plan.add(nextSweep(afterMs));
  };
  const marked = [...pending.values()].filter(({ facts }) => deliveryMark(facts, afterMs) !== null);
  return { outcome: `${marked.length} wait or failed`, write };
}

/**
 * Events for which people wait and that are not worked, with the place of their message, which stands in their keys.
 */
const PENDING = sql`
  select work.id, lane, dead_at is not null as dead, error_code, inbox.id as inbox, received_at,
    split_part(inbox.event_key, ':', 2) as team_id, split_part(inbox.event_key, ':', 3) as channel_id,
    split_part(inbox.event_key, ':', 4) as ts
  from work join inbox on inbox.id = work.body ->> 'inbox'
  where work.kind = ${EVENT.name} and work.done_at is null and inbox.source = 'chat' and inbox.done_at is null
    and (inbox.kind in ('message', 'message-edited') or inbox.kind = 'reaction'
      and split_part(inbox.event_key, ':', 6) = ${TICKET_EMOJI} and split_part(inbox.event_key, ':', 7) = 'added')`;

/** Whether an event, or the one that is first in its lane, failed and is tried again. */
const HELD = sql<boolean>`coalesce((select first.error is not null from work first
  where first.lane = pending.lane and first.done_at is null and first.dead_at is null
  order by first.id limit 1), false)`;

/** Returns the messages that have a record, with all that they have waiting or failed: nothing else clears a mark. */
async function readMarked(bridge: Bridge): Promise<Map<string, Pending>> {
  const { db } = bridge.database;
  const marked = new Map<string, Pending>();
  const statuses = await db.selectFrom('delivery_status').selectAll().execute();
  if (statuses.length === 0) return marked;
  for (const status of statuses) {
    const place = placeOfStatus(status);
    marked.set(markKey(place), { place, facts: [], status });
  }
  const watched = await observedChannels(db, bridge.bot.team);
  const { rows } = await sql<
    Pick<Status, 'team_id' | 'channel_id' | 'ts'> & { dead: boolean; held: boolean; received_at: Date }
  >`
    with pending as materialized (${PENDING})
    select team_id, channel_id, pending.ts, dead, ${HELD} as held, received_at
    from pending join delivery_status using (team_id, channel_id, ts)`.execute(db);
  for (const { dead, held, received_at, ...place } of rows)
    if (!watched.has(place.channel_id))
      marked.get(markKey(placeOfStatus(place)))?.facts.push(factsOf(bridge, { dead, held, received_at }));
  return marked;
}

/** Failed events of which nothing is shown yet, or the author is not told; joined with the record of their message. */
const FAILED = sql<boolean>`pending.dead and (status.wanted is distinct from 'failed' or not status.author_notified)`;

/** Events that wait since then, on messages without a mark. */
function waitingSince(at: Date): RawBuilder<boolean> {
  return sql<boolean>`not pending.dead and pending.received_at <= ${at} and status.wanted is null and ${HELD}`;
}

/** Adds users' messages with such events, the oldest first. */
async function addUnmarked(
  bridge: Bridge,
  pending: Map<string, Pending>,
  which: RawBuilder<boolean>,
): Promise<void> {
  const { db } = bridge.database;
  // Nothing is posted in a channel in observe mode (B56).
  const watched = await observedChannels(db, bridge.bot.team);
  const most = pending.size + AT_ONCE;
  let after = 0;
  for (let page = 1; page <= PAGES && pending.size < most; page++) {
    const { rows } = await sql<{
      id: number;
      body: unknown;
      received_at: Date;
      dead: boolean;
      held: boolean;
      error_code: string | null;
    }>`
      with pending as (${PENDING})
      select pending.id, inbox.body, pending.received_at, dead, ${HELD} as held, error_code
      from pending join inbox on inbox.id = pending.inbox
        left join delivery_status as status
          on (status.team_id, status.channel_id, status.ts) = (pending.team_id, pending.channel_id, pending.ts)
      where pending.id > ${after} and ${which}
      order by pending.id limit ${PAGE}`.execute(db);
    for (const { body, error_code, ...event } of rows) {
      const read = bridge.envelopes.read(body);
      const what = read && messageOfAction(read.event, bridge.bot.userId);
      if (!what || watched.has(what.place.channel)) continue;
      const key = markKey(what.place);
      const one: Pending = pending.get(key) ?? { place: what.place, facts: [], status: undefined };
      one.facts.push(factsOf(bridge, event));
      if (event.dead && !one.status?.author_notified)
        one.untold = { author: what.author, errorCode: one.untold?.errorCode ?? error_code };
      pending.set(key, one);
    }
    if (rows.length < PAGE) return;
    after = rows.at(-1)?.id ?? after;
  }
}

function factsOf(
  { clock }: Pick<Bridge, 'clock'>,
  { dead, held, received_at }: { dead: boolean; held: boolean; received_at: Date },
): PendingFacts {
  return { dead, held, waitedMs: clock.now().getTime() - received_at.getTime() };
}

/** Returns the message of a user's action; undefined if nobody waits for it. */
function messageOfAction(event: ChatEvent, bot: string): { place: ChatPlace; author: string } | undefined {
  switch (event.kind) {
    case 'message':
    case 'message-edited': {
      const { team, channel, ts, user, botId } = event.message;
      if (user === undefined || user === bot || botId !== undefined) return undefined;
      return { place: { team, channel, ts }, author: user };
    }
    case 'reaction':
      if (event.name !== TICKET_EMOJI || !event.added || event.user === bot) return undefined;
      return { place: event.place, author: event.user };
    default:
      return undefined;
  }
}

function placeOfStatus(status: ReturnType<typeof messageColumns>): ChatPlace {
  return { team: status.team_id, channel: status.channel_id, ts: status.ts };
}

function messageColumns({ team, channel, ts }: ChatPlace) {
  return { team_id: team, channel_id: channel, ts };
}

async function recordWantedMark(
  tx: BridgeTx,
  bridge: Bridge,
  place: ChatPlace,
  wanted: DeliveryMark | null,
): Promise<void> {
  const { team, channel, ts } = place;
  await tx
    .insertInto('delivery_status')
    .values({ ...messageColumns(place), wanted, shown: null })
    .onConflict((conflict) => conflict.columns(['team_id', 'channel_id', 'ts']).doUpdateSet({ wanted }))
    .execute();
  const orderingKey = markKey(place);
  await planPosts(tx, bridge, { conversationId: null, team, channel, orderingKey }, [
    { kind: featureKind('delivery-status'), ts },
  ]);
}

/** Nothing is wanted or shown; while a call is under way its row keeps the delivery status. */
async function forget(tx: BridgeTx, place: ChatPlace): Promise<void> {
  await tx
    .deleteFrom('delivery_status')
    .where((where) => where.and(messageColumns(place)))
    .where('wanted', 'is', null)
    .where('shown', 'is', null)
    .where((where) => {
      const calls = where
        .selectFrom('work')
        .select('work.id')
        .where('work.lane', '=', laneOf(CLASSES.chat, markKey(place)))
        .where('work.done_at', 'is', null);
      return where.not(where.exists(calls));
    })
    .execute();
}

/** Returns the author's direct message channel; null if there is none, undefined if Slack could not say. */
async function channelFor(bridge: Bridge, author: string): Promise<string | null | undefined> {
  try {
    return await bridge.chat.directChannel(author);
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    bridge.log.info({ event: 'delivery_status.not_sent', err: error }, 'the author could not be notified');
    return error.next === 'give-up' ? null : undefined;
  }
}

async function notifyAuthor(
  tx: BridgeTx,
  bridge: Bridge,
  { place, errorCode }: { place: ChatPlace; errorCode: string | null },
  direct: string | null,
): Promise<void> {
  await tx
    .updateTable('delivery_status')
    .set({ author_notified: true })
    .where((where) => where.and(messageColumns(place)))
    .execute();
  if (direct === null) return;
  // The stored reason is for admins: *Why?* and `deskbridge dead-letters list` show it.
  const text = `:warning: Your message in <#${place.channel}> could not be added to a ticket. ${failureReason(errorCode)} Retry it here, or with *Ticket actions* in its menu, where *Why?* explains more.`;
  const blocks = [section(text), actions([messageButton(MESSAGE_ACTIONS.retry, 'Retry', place)])];
  await planPosts(tx, bridge, { conversationId: null, team: place.team, channel: direct }, [
    { kind: 'bot-message', text, blocks },
  ]);
}

/** Updates the status reaction on one message; many changes at once make one call (B54). */
export const deliveryStatusPost = postKind(
  'delivery-status',
  'reaction',
  z.object({ ts: z.string() }),
  async ({ database: { db } }, writer, { team_id: team, channel_id: channel, state }, { ts }) => {
    const key = messageColumns({ team, channel, ts });
    const status = await db
      .selectFrom('delivery_status')
      .select(['wanted', 'shown'])
      .where((where) => where.and(key))
      .executeTakeFirst();
    const { wanted, shown } = status ?? { wanted: null, shown: null };
    const reactions = reactionsFor({ wanted, shown, begun: state === 'sending' });
    if (!reactions) return undefined;
    const record = async (tx: BridgeTx) => {
      await tx
        .updateTable('delivery_status')
        .set({ shown: wanted })
        .where((where) => where.and(key))
        .execute();
    };
    const emoji = {
      remove: reactions.remove.map((mark) => MARK_EMOJI[mark]),
      add: reactions.add && MARK_EMOJI[reactions.add],
    };
    return emojiCall(writer, { channel, ts }, emoji, { after: record, gone: record });
  },
);
