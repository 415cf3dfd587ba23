import type { AckFn, App } from '@slack/bolt';

import { AnsweredError } from '../../client/index.ts';
import { GiveUp, RetryLater } from '../../platform/engine/index.ts';
import type { Bridge } from '../bridge.ts';
import { forgetErased } from '../people/erased.ts';
import type { ChatEvent } from '../slack/chat-event.ts';
import { ticketOfMessage } from '../tickets/ticket-messages.ts';
import { type BodyOf, CLASSES, type Done, type EVENT, keyOfLane, type Work } from '../work.ts';
import { originalOf } from '../inbox/classify.ts';
import { EventContext } from '../inbox/event-context.ts';
import { boltProperties } from '../inbox/listener.ts';
import { isEcho, planCheck } from './service-event.ts';
import { CHECKED, type ServiceEvent, storedServiceEvent } from '../inbox/store.ts';
import { readEvent, stateOfMessage, type StoredEvent } from '../inbox/stored-event.ts';

export type LoadApp = () => Promise<App>;

/** The service's status for a request that names a record it does not have. */
const UNPROCESSABLE = 422;

/**
 * Does work that names users to the service, which may have refused one that it has erased a moment ago: with a new
 * user the work succeeds.
 */
export async function workNamingUsers(bridge: Bridge, work: () => Promise<Done>): Promise<Done> {
  const { erased } = bridge;
  const before = erased.last;
  try {
    return await work();
  } catch (error) {
    const cause = originalOf(error);
    if (!(cause instanceof AnsweredError && cause.status === UNPROCESSABLE)) throw error;
    // Other work, or another process, may have forgotten that user since this work began.
    await forgetErased(bridge);
    if (erased.last !== before)
      throw new RetryLater('a user was erased', { countsAttempt: false, afterMs: 0, cause: error });
    throw error;
  }
}

/** @param loadApp loads Bolt, with all listeners. */
export async function workEvent(
  bridge: Bridge,
  loadApp: LoadApp,
  work: Work<BodyOf<typeof EVENT>>,
): Promise<Done> {
  const stored = await readEvent(bridge.database.db, work.body.inbox);
  if (!stored || stored.row.done_at) return { outcome: 'it was worked before' };
  const { conversation_id } = stored.row;
  // Its conversation was merged into another one while it waited: it continues there (B58).
  const isElsewhere =
    conversation_id !== null &&
    work.lane.startsWith(`${CLASSES.conversation}:`) &&
    keyOfLane(work.lane) !== conversation_id;
  if (isElsewhere) {
    const ctx = contextOf(bridge, work, stored, undefined);
    return ctx.move(conversation_id);
  }
  return stored.row.source === 'service'
    ? workServiceEvent(bridge, work, stored)
    : workChatEvent(bridge, loadApp, work, stored);
}

function contextOf<Event>(
  bridge: Bridge,
  work: Work<BodyOf<typeof EVENT>>,
  { row, conversation }: StoredEvent,
  event: Event,
  more: Partial<ConstructorParameters<typeof EventContext<Event>>[2]> = {},
): EventContext<Event> {
  return new EventContext(bridge, work, {
    id: row.id,
    kind: row.kind,
    event,
    conversationId: row.conversation_id,
    conversation,
    receivedAt: row.received_at,
    again: work.body.again,
    ...more,
  });
}

async function workServiceEvent(
  bridge: Bridge,
  work: Work<BodyOf<typeof EVENT>>,
  stored: StoredEvent,
): Promise<Done> {
  const event: ServiceEvent = storedServiceEvent(stored.row.body) ?? unreadable();
  const ticketId = event.ticketId ?? (await ticketOfMessage(bridge, event.messageId));
  if (ticketId === undefined) {
    const ctx = contextOf(bridge, work, stored, event);
    return ctx.finish('about no ticket');
  }
  const { forwarded, change } = event;
  if (forwarded !== undefined && (await isEcho(bridge.database.db, forwarded))) {
    const notice = bridge.hooks.notificationCheck(ticketId);
    return contextOf(bridge, work, stored, event, { notice }).finish('echo of this thread');
  }
  const { conversation_id: conversationId } = stored.row;
  return contextOf(bridge, work, stored, event).finish(CHECKED, (tx) =>
    planCheck(bridge, tx, { ticketId, conversationId, change }),
  );
}

async function workChatEvent(
  bridge: Bridge,
  loadApp: LoadApp,
  work: Work<BodyOf<typeof EVENT>>,
  stored: StoredEvent,
): Promise<Done> {
  const { row } = stored;
  if (row.body === null) return contextOf(bridge, work, stored, undefined).finish('erased');
  const envelope = bridge.envelopes.read(row.body);
  if (!envelope || (row.kind !== envelope.event.kind && row.kind !== 'unreadable')) return unreadable();
  // Its key is the one of its arrival, of which not everything was stored.
  const event: ChatEvent = { ...envelope.event, key: row.event_key };
  const state =
    event.kind === 'message' || event.kind === 'message-edited'
      ? await stateOfMessage(bridge.database.db, event.message)
      : undefined;
  const ctx = contextOf(bridge, work, stored, event, { state });
  const app = await loadApp();
  await app.processEvent({ body: envelope.body, ack, customProperties: boltProperties(ctx) });
  if (ctx.isClaimed && !ctx.done) throw new GiveUp('its listener did not finish it');
  return ctx.done ?? ctx.finish('ignored: no listener takes it');
}

/** A stored envelope was already acknowledged on arrival. */
const ack: AckFn<unknown> = async (answer) => {
  if (answer !== undefined) throw new GiveUp('a listener answers a request that was acknowledged before');
};

function unreadable(): never {
  throw new GiveUp('this version cannot read what was stored');
}
