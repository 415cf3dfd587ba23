import { sql, type Updateable } from 'kysely';
import { z } from 'zod';

import { readPostMetadata } from '../slack/post-metadata.ts';
import type { ChatReader } from '../slack/reader.ts';
import { transaction } from '../../platform/database/open.ts';
import { type Job, DeadLetter, RetryLater } from '../../platform/jobs/index.ts';
import type { Bridge } from '../bridge.ts';
import type { ChatWriter } from '../slack/writer.ts';
import { runClassified } from '../inbox/classify.ts';
import { ChatError, isRejected, isSlackFailing } from '../slack/errors.ts';
import { BUDGETS, LIMITS } from '../slack/limits.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { type OutboxRow, type StoredPost, storedPost } from './outbox.ts';
import { type AfterSend, type Call, type PostKind, ranksOf } from './post-kind.ts';
import { holdBack, acquireSlots } from './turn.ts';

/** Slack's clock and ours may differ by this much; earlier messages cannot be the post. */
const SKEW_SECONDS = 300;

/** Where a post was found. */
interface FoundPost {
  ts: string;
  /** Its thread is gone, and Slack put it into the channel (B58). */
  orphaned: boolean;
}

/**
 * Looks for a post with an unknown outcome, by its metadata: in its thread, or in its channel if it is a parent message
 * or its thread is gone (B51).
 * @returns undefined if it is certainly not there.
 */
export async function findPost(
  reader: ChatReader,
  { channel, thread, id, since }: { channel: string; thread: string | undefined; id: string; since: Date },
): Promise<FoundPost | undefined> {
  const oldest = (since.getTime() / 1000 - SKEW_SECONDS).toFixed(6);
  if (thread) {
    let stands = false;
    for await (const message of reader.thread(channel, thread, { oldest, metadata: true })) {
      stands = true;
      const post = readPostMetadata(message);
      if (post?.metadata.id === id) return { ts: post.ts, orphaned: false };
    }
    if (stands) return undefined;
  }
  for await (const message of reader.history(channel, oldest)) {
    const post = readPostMetadata(message);
    if (post?.metadata.id === id) return { ts: post.ts, orphaned: thread !== undefined };
  }
  return undefined;
}

interface SendOptions {
  kinds: readonly PostKind[];
  writer: ChatWriter;
}

export const OutboxPayload = z.object({ outbox: z.string() });

/** An attempt that started this long ago has certainly ended, even in a process that was killed. */
const ATTEMPT_OVER_MS = LIMITS.callTimeoutMs + 5_000;

/**
 * Sends one planned row. A post is marked as being sent before the call, so that after a crash or a lost response it is
 * looked up before it is repeated; a call that certainly had no effect is repeated without that.
 */
export async function sendPlanned(
  bridge: Bridge,
  job: Job<z.infer<typeof OutboxPayload>>,
  options: SendOptions,
): Promise<void> {
  try {
    await runClassified(bridge, job, () => send(bridge, job, options));
  } catch (failure) {
    const error = (await isHopeless(bridge, job, failure)) ? hopeless(failure) : failure;
    if (error instanceof DeadLetter) await recordFailure(bridge, job.payload.outbox, error.message);
    throw error;
  }
}

/** At least this many attempts: some minutes. */
const HOPELESS_TRIES = 12;
/** An outage of Slack that lasts longer is taken for an error of the post. */
const HOPELESS_MS = 36 * 60 * 60_000;
/** So recently something else went through: Slack is not down. */
const OTHERS_MS = 10 * 60_000;

/** What is known of a post at which Slack itself fails. */
export interface FailingPost {
  /** Slack answered with one of its own errors (`internal_error`). */
  slackFails: boolean;
  attempt: number;
  waitedMs: number;
  /** Another conversation's post of its kind went through meanwhile. */
  othersPass: boolean;
}

/**
 * Returns whether a post is given up, so that it does not block its conversation for ever: Slack fails at it again and
 * again, but not at others, or for longer than any outage. No answer, a rejected token and a rate limit are not errors of
 * a post: they never exhaust it (B49).
 */
export function isGivenUp({ slackFails, attempt, waitedMs, othersPass }: FailingPost): boolean {
  return slackFails && attempt >= HOPELESS_TRIES && (othersPass || waitedMs > HOPELESS_MS);
}

async function isHopeless(
  { database, clock }: Bridge,
  job: Job<z.infer<typeof OutboxPayload>>,
  error: unknown,
): Promise<boolean> {
  const cause = causeOf(error);
  const slackFails = cause !== undefined && isSlackFailing(cause);
  if (!slackFails || job.attempt < HOPELESS_TRIES) return false;
  const now = clock.now().getTime();
  const { rows } = await sql<{ planned_at: Date; others: boolean }>`
    select r.planned_at, exists (
      select from outbox o
      where o.state = 'sent' and o.sent_at > greatest(r.planned_at, ${new Date(now - OTHERS_MS)}::timestamptz)
        and o.team_id = r.team_id and o.conversation_id is distinct from r.conversation_id
        and (r.kind <> all(${POSTING}::text[]) or o.kind = any(${POSTING}::text[]))) as others
    from outbox r where r.id = ${job.payload.outbox}`.execute(database.db);
  const [row] = rows;
  if (!row) return false;
  const waitedMs = now - row.planned_at.getTime();
  return isGivenUp({ slackFails, attempt: job.attempt, waitedMs, othersPass: row.others });
}

/** Kinds that are new messages: only another new message shows that Slack takes them. */
const POSTING = ['post', 'bot-message', 'parent', 'first-message', 'card'];

function causeOf(error: unknown): ChatError | undefined {
  const cause = error instanceof RetryLater ? error.cause : error;
  return cause instanceof ChatError ? cause : undefined;
}

function hopeless(error: unknown): DeadLetter {
  const cause = causeOf(error);
  const code = cause?.code;
  return new DeadLetter(`Slack fails at it again and again (${cause?.message ?? 'no reason given'})`, {
    cause: error,
    ...(code === undefined ? {} : { code }),
  });
}

async function send(
  bridge: Bridge,
  job: Job<z.infer<typeof OutboxPayload>>,
  options: SendOptions,
): Promise<void> {
  const { database, clock, log } = bridge;
  const row = await plannedRow(bridge, job);
  if (!row || row.state === 'sent' || row.state === 'dropped') {
    await transaction(database.db, (tx) => job.completeLast(tx));
    return;
  }
  const kind = options.kinds.find((one) => one.kind === row.kind);
  if (!kind) throw new DeadLetter(`nothing sends rows of the kind ${row.kind}`);
  const call = await kind.call(bridge, options.writer, row);
  if (!call) {
    await settle(bridge, job, row, 'dropped');
    return;
  }
  const mayStand = row.state === 'sending' && !row.isBegun;
  if (mayStand && isEphemeral(call)) {
    // Best effort: shown or not (B0a).
    await settle(bridge, job, row, 'dropped');
    return;
  }
  if (mayStand && call.lookIn) {
    const found = await lookUp(bridge, row, call.lookIn.thread);
    if (found && !found.orphaned) {
      await settle(bridge, job, row, 'sent', found.ts, call.after, true);
      return;
    }
    if (found) await call.takeBack?.(found.ts);
  }
  const { afterMs, isWanted } = row.isBegun
    ? { afterMs: 0, isWanted: true }
    : await acquireSlots(bridge, row, call, { budgets: bridge.budgets, ranks: ranksOf(options.kinds) });
  if (afterMs > 0) throw new RetryLater('its turn has not come', { afterMs, countAttempt: false });
  const startedAt = clock.now().getTime();
  let ts: string | undefined;
  try {
    ts = isWanted ? await call.make(row.id) : undefined;
  } catch (error) {
    await failed(bridge, job, row, call, error);
    return;
  }
  const isSettled = ts !== undefined && (await call.settle?.(job, ts));
  if (isSettled) bridge.metrics.posts.inc({ kind: row.kind, outcome: 'sent' });
  else await settle(bridge, job, row, 'sent', ts, call.after);
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

/** Returns a row with its conversation and its link: read already if its job was claimed when it was planned. */
async function plannedRow(
  { database }: Bridge,
  { payload: { outbox: id }, prefetched }: Job<z.infer<typeof OutboxPayload>>,
): Promise<OutboxRow | undefined> {
  const known = prefetched as StoredPost | undefined;
  if (known) return { ...storedPost(known), isBegun: known.row.state === 'sending' };
  const { rows } = await sql<{ post: StoredPost }>`
    select post from planned_posts(array[${id}]) as p (post)`.execute(database.db);
  return rows[0] && storedPost(rows[0].post);
}

/** Returns where a post that was started but not recorded is; undefined if it is certainly not in chat. */
async function lookUp(
  bridge: Bridge,
  row: OutboxRow,
  thread: string | undefined,
): Promise<FoundPost | undefined> {
  const found = await findPost(bridge.chat, {
    channel: row.channel_id,
    thread,
    id: row.id,
    since: row.planned_at,
  });
  // An abandoned request may still be under way, and arrive after this check.
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

const isEphemeral = ({ methods: [method] }: Call) => method === 'chat.postEphemeral';
const isReaction = ({ methods: [method] }: Call) =>
  method === 'reactions.add' || method === 'reactions.remove';

/**
 * Handles a failed call: best effort is dropped, a certain failure is planned again, an uncertain one stays to be
 * looked up.
 */
async function failed(
  bridge: Bridge,
  job: Job<unknown>,
  row: OutboxRow,
  call: Call,
  error: unknown,
): Promise<void> {
  if (!(error instanceof ChatError)) throw error;
  if (isEphemeral(call)) {
    bridge.log.info(
      { event: 'outbox.dropped', outbox: row.id, reason: error.message },
      'a note to one person was not shown',
    );
    await settle(bridge, job, row, 'dropped');
    return;
  }
  // An idempotent call needs no lookup.
  const certain = error.certain || !call.lookIn;
  const { gone } = call;
  // A status reaction is a courtesy: if Slack rejects it, even for a missing scope, no operator need decide.
  const refused = isReaction(call) && isRejected(error);
  if (gone && (refused || error.code === 'message_not_found')) {
    await settle(bridge, job, row, 'dropped', undefined, gone);
    return;
  }
  if (error.next === 'give-up') {
    await call.refused?.(error.code ?? error.message);
    throw new DeadLetter(error.message, { cause: error });
  }
  await setState(bridge, row.id, {
    // The next attempt removes what an earlier one may have added: a reaction stays started.
    state: certain && !isReaction(call) ? 'planned' : 'sending',
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

async function recordFailure({ database, metrics, hooks }: Bridge, id: string, error: string): Promise<void> {
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
    if (now && !before?.reported) await hooks.postFailed(tx, now);
    return now;
  });
  if (row) metrics.posts.inc({ kind: row.kind, outcome: 'dead' });
}

async function setState(
  bridge: Bridge,
  id: string,
  values: Updateable<BridgeTables['outbox']>,
): Promise<void> {
  await bridge.database.db.updateTable('outbox').set(values).where('id', '=', id).execute();
}
