import { z } from 'zod';

import { type Tx, transaction } from '../../platform/database/open.ts';
import { type Job, DeadLetter, RetryLater } from '../../platform/jobs/index.ts';
import type { Bridge } from '../bridge.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { judged } from '../inbox/verdict.ts';
import { ChatError } from '../slack/errors.ts';
import { type FoundPost, findPost } from './find-post.ts';
import { type Budget, BUDGETS, LIMITS, type WriteMethod } from '../slack/limits.ts';
import { OutboxBody, type OutboxRow } from './outbox.ts';
import { holdBack, takeTurn } from './turn.ts';

/** What remains to be written once chat has taken a row, in the transaction that records it; `found`: it was looked up. */
export type AfterSend = (tx: Tx<BridgeTables>, ts: string | undefined, found: boolean) => Promise<void>;

/** One call to chat, ready to be made. */
export interface Call {
  /** What it calls: their budgets are waited for. The first is what it is there for. */
  methods: readonly [WriteMethod, ...WriteMethod[]];
  /** Where a post of unknown outcome is looked for; absent for calls that may simply be made again. */
  lookIn?: { thread: string | undefined };
  /** Makes the call, marked with the row's id; a post tells its timestamp. */
  make(id: string): Promise<string | undefined>;
  after?: AfterSend;
  /** Takes back a post that was looked for and stands outside its thread (B58); then it is made again. */
  takeBack?(ts: string): Promise<void>;
  /** The message that was to be changed stands in chat no more; for a mark: chat will never take it. */
  gone?: (tx: Tx<BridgeTables>) => Promise<void>;
  /** Chat will never take it: whoever waits for it is told. */
  refused?: (reason: string) => Promise<void>;
}

export interface SendOptions {
  /** How often chat may be called. */
  budgets: readonly Budget[];
  /** Turns a row into its call; undefined when there is nothing (any more) to do. */
  prepare(row: OutboxRow, body: OutboxBody): Promise<Call | undefined>;
  /** Called once per row, when it turns out that it can never go through. */
  failed(tx: Tx<BridgeTables>, row: OutboxRow): Promise<void>;
}

export const OutboxPayload = z.object({ outbox: z.string() });

/** An attempt that began this long ago has surely ended, also in a process that was killed meanwhile. */
const ATTEMPT_OVER_MS = LIMITS.callTimeoutMs + 5_000;

/**
 * Sends one planned row. A post is marked as being sent before the call, so that after a crash or a lost answer it is
 * looked for before it is made again; a call that surely had no effect is made again without that.
 */
export async function sendPlanned(
  bridge: Bridge,
  job: Job<z.infer<typeof OutboxPayload>>,
  options: SendOptions,
): Promise<void> {
  try {
    await judged(bridge, job, () => send(bridge, job, options));
  } catch (error) {
    if (error instanceof DeadLetter) await recordFailure(bridge, job.payload.outbox, error.message, options);
    throw error;
  }
}

async function send(
  bridge: Bridge,
  job: Job<z.infer<typeof OutboxPayload>>,
  options: SendOptions,
): Promise<void> {
  const { database, clock, log } = bridge;
  const row = await database.db
    .selectFrom('outbox')
    .selectAll()
    .where('id', '=', job.payload.outbox)
    .executeTakeFirst();
  if (!row || row.state === 'sent' || row.state === 'dropped') {
    await transaction(database.db, (tx) => job.completeLast(tx));
    return;
  }
  const call = await options.prepare(row, OutboxBody.parse(row.body));
  if (!call) {
    await settle(bridge, job, row, 'dropped');
    return;
  }
  if (row.state === 'sending' && isWhisper(call)) {
    // Best effort: it was shown, or it was not (B0a).
    await settle(bridge, job, row, 'dropped');
    return;
  }
  if (row.state === 'sending' && call.lookIn) {
    const found = await lookUp(bridge, row, call.lookIn.thread);
    if (found && !found.fellOut) {
      await settle(bridge, job, row, 'sent', found.ts, call.after, true);
      return;
    }
    if (found) await call.takeBack?.(found.ts);
  }
  const afterMs = await takeTurn(bridge, row, call.methods, options.budgets);
  if (afterMs > 0) throw new RetryLater('its turn has not come', { afterMs, countAttempt: false });
  const startedAt = clock.now().getTime();
  let ts: string | undefined;
  try {
    ts = await call.make(row.id);
  } catch (error) {
    await failed(bridge, job, row, call, error);
    return;
  }
  await settle(bridge, job, row, 'sent', ts, call.after);
  log.info(
    {
      event: 'outbox.sent',
      outbox: row.id,
      kind: row.kind,
      channel: row.channel_id,
      conversation: row.conversation_id,
      ts,
      attempt: job.attempt,
      callMs: clock.now().getTime() - startedAt,
      waitedMs: startedAt - row.planned_at.getTime(),
    },
    'written to chat',
  );
}

/** Where a post that was begun and not recorded stands in chat; undefined when it surely does not. */
async function lookUp(
  bridge: Bridge,
  row: OutboxRow,
  thread: string | undefined,
): Promise<FoundPost | undefined> {
  const found = await findPost(bridge.chat, {
    channel: row.channel_id,
    thread,
    mark: row.id,
    since: row.planned_at,
  });
  // A request that was given up may still be under way, and arrive after this look.
  const since = row.sending_since ?? row.planned_at;
  const rest = since.getTime() + ATTEMPT_OVER_MS - bridge.clock.now().getTime();
  if (!found && rest > 0)
    throw new RetryLater('an attempt may still be under way', { afterMs: rest, countAttempt: false });
  await setState(bridge, row.id, { uncertain: row.uncertain + 1 });
  bridge.metrics.uncertain.inc({ found: found ? 'yes' : 'no' });
  bridge.log.warn(
    { event: 'outbox.uncertain', outbox: row.id, found: found !== undefined },
    'looked for a post whose answer was lost',
  );
  return found;
}

const isWhisper = ({ methods: [method] }: Call) => method === 'chat.postEphemeral';
const isMark = ({ methods: [method] }: Call) => method === 'reactions.add' || method === 'reactions.remove';

/** A call that failed: best effort is given up, a certain failure is planned again, an uncertain one stays to be looked up. */
async function failed(
  bridge: Bridge,
  job: Job<unknown>,
  row: OutboxRow,
  call: Call,
  error: unknown,
): Promise<void> {
  if (!(error instanceof ChatError)) throw error;
  if (isWhisper(call)) {
    bridge.log.info(
      { event: 'outbox.dropped', outbox: row.id, reason: error.message },
      'a note to one person was not shown',
    );
    await settle(bridge, job, row, 'dropped');
    return;
  }
  // A call that says the same twice needs no looking up, whatever became of it.
  const certain = error.certain || !call.lookIn;
  const { gone } = call;
  // A mark is a courtesy: one that chat refuses, also for want of the scope, is not worth anybody's decision.
  const refused = isMark(call) && (error.next === 'give-up' || error.code === 'missing_scope');
  if (gone && (refused || error.code === 'message_not_found')) {
    await settle(bridge, job, row, 'dropped', undefined, gone);
    return;
  }
  if (error.next === 'give-up') {
    await call.refused?.(error.code ?? error.message);
    throw new DeadLetter(error.message, { cause: error });
  }
  await setState(bridge, row.id, {
    // What an earlier attempt may have put there is taken away by the next: a mark stays begun.
    state: certain && !isMark(call) ? 'planned' : 'sending',
    error: error.message,
    not_before: null,
  });
  const limited =
    error.code === 'ratelimited' ? BUDGETS.find(({ method }) => method === error.method) : undefined;
  if (limited && error.retryAfterMs !== undefined)
    await holdBack(bridge, row, limited.method, error.retryAfterMs);
  throw new RetryLater(error.message, {
    ...(error.retryAfterMs === undefined ? {} : { afterMs: error.retryAfterMs }),
    cause: error,
  });
}

async function settle(
  bridge: Bridge,
  job: Job<unknown>,
  row: OutboxRow,
  state: 'sent' | 'dropped',
  ts?: string,
  after?: AfterSend,
  found = false,
): Promise<void> {
  await transaction(bridge.database.db, async (tx) => {
    await tx
      .updateTable('outbox')
      .set({ state, ts: ts ?? null, sent_at: bridge.clock.now(), error: null })
      .where('id', '=', row.id)
      .execute();
    await after?.(tx, ts, found);
    await job.completeLast(tx);
  });
  bridge.metrics.posts.inc({ kind: row.kind, outcome: found ? 'found' : state });
}

async function recordFailure(
  { database, metrics }: Bridge,
  id: string,
  error: string,
  options: SendOptions,
): Promise<void> {
  const row = await transaction(database.db, async (tx) => {
    const before = await tx
      .selectFrom('outbox')
      .select('reported')
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    const now = await tx
      .updateTable('outbox')
      .set({ state: 'dead', error, reported: true })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
    if (now && !before?.reported) await options.failed(tx, now);
    return now;
  });
  if (row) metrics.posts.inc({ kind: row.kind, outcome: 'dead' });
}

async function setState(bridge: Bridge, id: string, values: Partial<OutboxRow>): Promise<void> {
  const { body: _body, ...columns } = values;
  await bridge.database.db.updateTable('outbox').set(columns).where('id', '=', id).execute();
}
