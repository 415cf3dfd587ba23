import type { App } from '@slack/bolt';
import type { z } from 'zod';

import { type Tx, transaction } from '../../platform/database/open.ts';
import { type Job, DeadLetter, type NewJob, RetryLater } from '../../platform/jobs/index.ts';
import type { Bridge } from '../bridge.ts';
import type { Feature } from '../feature.ts';
import { forgetErased } from '../people/erased.ts';
import { mirrorTicket } from '../threads/mirror-ticket.ts';
import { ticketOfMessage } from '../threads/ticket-messages.ts';
import { isEcho, recordChangeAuthor } from './service-event.ts';
import { runClassified } from './classify.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { InboxPayload, CONVERSATION_QUEUE, storedChatEvent, storedServiceEvent } from './store.ts';
import { prefetchedEvent } from './stored-event.ts';
import { EventContext } from './event-context.ts';

export type LoadApp = () => Promise<App>;

/**
 * Runs one job of a conversation; the error it throws says whether it is retried or becomes a dead letter.
 * @param loadApp loads Bolt, with all listeners.
 */
export async function runJob(
  bridge: Bridge,
  parts: readonly Feature[],
  loadApp: LoadApp,
  job: Job<unknown>,
): Promise<void> {
  const { erased } = bridge;
  const before = erased.last;
  try {
    await runClassified(bridge, job, () => workPayload(bridge, parts, loadApp, job));
  } catch (error) {
    if (!(error instanceof DeadLetter && error.code === UNPROCESSABLE)) throw error;
    // The service may have refused a user that it has erased a moment ago: with a new one, the job succeeds. Another job
    // or process may have forgotten that user since this one began.
    await forgetErased(bridge);
    if (erased.last !== before)
      throw new RetryLater('a user was erased', { countAttempt: false, afterMs: 0, cause: error });
    throw error;
  }
}

/** The service's status for a request that names a record it does not have. */
const UNPROCESSABLE = '422';

async function workPayload(
  bridge: Bridge,
  parts: readonly Feature[],
  loadApp: LoadApp,
  job: Job<unknown>,
): Promise<void> {
  const inbox = InboxPayload.safeParse(job.payload);
  if (inbox.success) return workInbox(bridge, loadApp, job, inbox.data);
  const payload = job.payload as Record<string, unknown>;
  const kind = parts.flatMap(({ jobs = [] }) => jobs).find(({ field }) => field in payload);
  if (!kind) throw new DeadLetter(`nothing works jobs of ${Object.keys(payload).join(', ')}`);
  return kind.work(bridge, job);
}

async function workInbox(
  bridge: Bridge,
  loadApp: LoadApp,
  job: Job<unknown>,
  { inbox: id, author, again }: z.infer<typeof InboxPayload>,
): Promise<void> {
  const row = prefetchedEvent(job) ?? (await bridge.inbox.read({ id, author }));
  if (!row || row.done_at) {
    await transaction(bridge.database.db, (tx) => job.completeLast(tx));
    return;
  }
  const contextFor = <Event>(
    event: Event,
    more: { also?: (tx: Tx<BridgeTables>) => Promise<void>; notice?: NewJob } = {},
  ) =>
    new EventContext(bridge, job, {
      id,
      kind: row.kind,
      event,
      conversationId: row.conversation_id,
      conversation: row.conversation,
      state: row.state,
      receivedAt: row.received_at,
      again,
      ...more,
    });
  // Its conversation was merged into another one while it waited: it continues there (B58).
  if (
    row.conversation_id !== null &&
    job.queue === CONVERSATION_QUEUE &&
    job.orderingKey !== row.conversation_id
  )
    return contextFor(undefined).move(CONVERSATION_QUEUE, row.conversation_id);
  if (row.source === 'service') {
    const event = storedServiceEvent(row.body) ?? unreadable();
    const ticketId = event.ticketId ?? (await ticketOfMessage(bridge, event.messageId));
    if (ticketId === undefined) return contextFor(event).finish('about no ticket');
    const ctx = contextFor(
      { ticketId },
      {
        ...(event.change && { also: (tx) => recordChangeAuthor(bridge, tx, ticketId, event) }),
        notice: bridge.hooks.notificationCheck(ticketId),
      },
    );
    const { forwarded } = event;
    if (forwarded && (await isEcho(bridge.database.db, forwarded)))
      return ctx.finish('B16 an echo of this thread');
    return mirrorTicket(bridge, ctx);
  }
  const event = storedChatEvent(row.body) ?? unreadable();
  const ctx = contextFor(event);
  // Bolt finds the listener of this kind; the context travels with the event, which was acknowledged when it was stored.
  const app = await loadApp();
  await app.processEvent({
    body: { type: 'event_callback', team_id: bridge.bot.team, event: { type: event.kind } },
    ack: async () => undefined,
    customProperties: { ctx },
  });
  if (!ctx.finished) await ctx.finish(`nothing follows from this ${event.kind}`);
}

function unreadable(): never {
  throw new DeadLetter('the stored event is of another version');
}
