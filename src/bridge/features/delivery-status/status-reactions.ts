import { sql } from 'kysely';
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
/** Maximum number of reactions per sweep: they have a rate limit, and the longest wait comes first. */
const AT_ONCE = 500;

export function sweepAfter(delayMs: number): NewWork {
  return workFor(SWEEP, 'sweep', {}, { mergeKey: 'sweep', delayMs });
}

/** @param afterMs the time after which a message gets its reaction. */
export function nextSweep(afterMs: number): NewWork {
  return sweepAfter(afterMs / LOOKS);
}

/** The pending events of one message, and whom they concern. */
interface Pending {
  place: ChatPlace;
  author: string;
  facts: PendingFacts[];
  /** Why it failed permanently, as stored; null if it has not. */
  errorCode: string | null;
}

/**
 * Compares pending and failed events with the status reactions on messages, and plans the differences: ⏳ on those
 * waiting longer than `afterMs`, ⚠️ on failed ones with a message to the author, and nothing on delivered ones (B47,
 * B54). It has its own class, because it reports blocked ones. Also ends expired claims (B57).
 */
export async function updateDeliveryStatus(bridge: Bridge, afterMs: number): Promise<Done> {
  const { db } = bridge.database;
  const pending = await readPending(bridge, afterMs);
  const statuses = await db.selectFrom('delivery_status').selectAll().execute();
  const wanted = new Map<string, DeliveryMark | null>();
  const known = new Map(statuses.map((one) => [markKey(placeOfStatus(one)), one]));
  const notify = new Map<string, string | null>();
  for (const [key, { facts, author }] of pending) {
    wanted.set(key, deliveryMark(facts, afterMs));
    if (wanted.get(key) !== 'failed' || known.get(key)?.author_notified) continue;
    const direct = await channelFor(bridge, author);
    if (direct !== undefined) notify.set(key, direct);
  }
  const write: Write = async (tx) => {
    for (const [key, status] of known) {
      if (wanted.get(key)) continue;
      const place = placeOfStatus(status);
      if (status.wanted !== null) await recordWantedMark(tx, bridge, place, null);
      else if (status.shown === null) await forget(tx, place);
    }
    for (const [key, { place, errorCode }] of pending) {
      const mark = wanted.get(key);
      if (!mark) continue;
      if (known.get(key)?.wanted !== mark) await recordWantedMark(tx, bridge, place, mark);
      const direct = notify.get(key);
      if (direct !== undefined) await notifyAuthor(tx, bridge, { place, errorCode }, direct);
    }
    await endClaims(tx, bridge);
    tx.plan.add(nextSweep(afterMs));
  };
  return { outcome: `${pending.size} wait or failed`, write };
}

/** Returns users' actions in chat that have not reached their ticket, by message. */
async function readPending(bridge: Bridge, afterMs: number): Promise<Map<string, Pending>> {
  const now = bridge.clock.now();
  const before = new Date(now.getTime() - afterMs);
  const { rows } = await sql<{
    body: unknown;
    received_at: Date;
    dead: boolean;
    held: boolean;
    error_code: string | null;
  }>`
    select inbox.body, inbox.received_at, dead_at is not null as dead, error_code,
      coalesce((select first.error is not null from work first
        where first.lane = work.lane and first.done_at is null and first.dead_at is null
        order by first.id limit 1), false) as held
    from work join inbox on inbox.id = work.body ->> 'inbox'
    where work.kind = ${EVENT.name} and work.done_at is null and inbox.source = 'chat' and inbox.done_at is null
      and inbox.kind in ('message', 'message-edited', 'reaction')
      and (dead_at is not null or inbox.received_at <= ${before})
    order by work.id limit ${AT_ONCE}`.execute(bridge.database.db);
  const pending = new Map<string, Pending>();
  // Nothing is posted in a channel in observe mode (B56).
  const watched = await observedChannels(bridge.database.db, bridge.bot.team);
  for (const { body, received_at, dead, held, error_code } of rows) {
    const read = bridge.envelopes.read(body);
    const what = read && messageOfAction(read.event, bridge.bot.userId);
    if (!what || watched.has(what.place.channel)) continue;
    const key = markKey(what.place);
    const one = pending.get(key) ?? { ...what, facts: [], errorCode: null };
    if (dead) one.errorCode ??= error_code;
    one.facts.push({ dead, held, waitedMs: now.getTime() - received_at.getTime() });
    pending.set(key, one);
  }
  return pending;
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
  { place, errorCode }: Pick<Pending, 'place' | 'errorCode'>,
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
