import { sql, type Updateable } from 'kysely';

import { readPostMetadata } from '../slack/post-metadata.ts';
import type { ChatReader } from '../slack/reader.ts';
import { GiveUp, leaveToNewer, RetryLater } from '../../platform/engine/index.ts';
import type { Bridge } from '../bridge.ts';
import { GIVE_UP_TRIES } from '../inbox/classify.ts';
import type { ChatWriter } from '../slack/writer.ts';
import { ChatError, isRejected, isSlackFailing } from '../slack/errors.ts';
import { BUDGETS, LIMITS } from '../slack/limits.ts';
import type { BridgeTables } from '../schema/tables.ts';
import type { BodyOf, BridgeTx, Done, SEND, Work, WorkHandler } from '../work.ts';
import { conversationOfId } from '../store/conversations.ts';
import { linkById } from '../store/links.ts';
import type { OutboxRow } from '../store/posts.ts';
import { type AfterSend, type Call, type PostKind, ranksOf } from './post-kind.ts';
import { holdBack, takeTurn } from './turn.ts';

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

type Sending = Work<BodyOf<typeof SEND>>;

/** A call is made this soon after its mark, or not at all. */
const BEGINS_WITHIN_MS = 5_000;
/** An attempt that was marked this long ago has certainly ended, even in a process that was killed or stood still. */
const ATTEMPT_OVER_MS = BEGINS_WITHIN_MS + LIMITS.callTimeoutMs;

/** Sends planned rows. */
export function createSender(bridge: Bridge, options: SendOptions): WorkHandler<BodyOf<typeof SEND>> {
  return {
    async work(work) {
      try {
        return await send(bridge, work, options);
      } catch (error) {
        if (await mustGiveUp(bridge, options, work, error)) throw giveUpError(error);
        throw error;
      }
    },
    gaveUp:
      ({ outbox }, reason) =>
      (tx) =>
        recordFailure(tx, bridge, outbox, reason),
  };
}

/** An outage of Slack that lasts longer is taken for an error of the post. */
const GIVE_UP_MS = 36 * 60 * 60_000;
/** If another call succeeded within this time, Slack is not down. */
const OTHERS_MS = 10 * 60_000;

/** The state of a post for which Slack returns internal errors. */
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
 * again, but not at others, or for longer than any outage. No answer, a rejected token and a rate limit are not errors
 * of a post: they never exhaust it (B49).
 */
export function isGivenUp({ slackFails, attempt, waitedMs, othersPass }: FailingPost): boolean {
  return slackFails && attempt >= GIVE_UP_TRIES && (othersPass || waitedMs > GIVE_UP_MS);
}

async function mustGiveUp(
  { database, clock }: Bridge,
  { kinds }: SendOptions,
  work: Sending,
  error: unknown,
): Promise<boolean> {
  const cause = causeOf(error);
  const slackFails = cause !== undefined && isSlackFailing(cause);
  if (!slackFails || work.attempt < GIVE_UP_TRIES) return false;
  const now = clock.now().getTime();
  const messages = kinds.filter(({ isMessage }) => isMessage).map(({ kind }) => kind);
  const { rows } = await sql<{ planned_at: Date; others: boolean }>`
    select r.planned_at, exists (
      select from outbox o
      where o.state = 'sent' and o.sent_at > greatest(r.planned_at, ${new Date(now - OTHERS_MS)}::timestamptz)
        and o.team_id = r.team_id and o.conversation_id is distinct from r.conversation_id
        and (r.kind <> all(${messages}::text[]) or o.kind = any(${messages}::text[]))) as others
    from outbox r where r.id = ${work.body.outbox}`.execute(database.db);
  const [row] = rows;
  if (!row) return false;
  const waitedMs = now - row.planned_at.getTime();
  return isGivenUp({ slackFails, attempt: work.attempt, waitedMs, othersPass: row.others });
}

function causeOf(error: unknown): ChatError | undefined {
  const cause = error instanceof RetryLater ? error.cause : error;
  return cause instanceof ChatError ? cause : undefined;
}

function giveUpError(error: unknown): GiveUp {
  const cause = causeOf(error);
  const code = cause?.code;
  return new GiveUp(`Slack fails at it again and again (${cause?.message ?? 'no reason given'})`, {
    cause: error,
    ...(code === undefined ? {} : { code }),
  });
}

/**
 * Sends one planned row. A post is marked as being sent before the call, so that after a crash or a lost response it is
 * looked up before it is repeated; a call that certainly had no effect is repeated without that.
 */
async function send(bridge: Bridge, work: Sending, { kinds, writer }: SendOptions): Promise<Done> {
  // 1. What is to be sent, as it is now.
  const row = await readRow(bridge, work.body.outbox);
  if (!row || row.state === 'sent' || row.state === 'dropped') return { outcome: 'it was sent before' };
  const kind = kinds.find((one) => one.kind === row.kind);
  if (!kind) throw leaveToNewer(`this version sends no rows of the kind ${row.kind}`, work.waitedMs);
  const call = await kind.call(bridge, writer, row);
  if (!call) return endRow(bridge, row, 'dropped');
  // 2. What an earlier attempt may have done.
  const mayStand = row.state === 'sending';
  // Best effort: shown or not (B0a).
  if (mayStand && isEphemeral(call)) return endRow(bridge, row, 'dropped');
  if (mayStand && call.lookIn) {
    const found = await lookUp(bridge, work, row, call.lookIn.thread);
    if (found && !found.orphaned)
      return endRow(bridge, row, 'sent', { ts: found.ts, write: call.after, found: true });
    if (found) await call.takeBack?.(found.ts);
  }
  // 3. Its turn, and the mark that the call begins.
  const isWanted = await beginCall(bridge, work, row, call, kinds);
  // 4. The call.
  const startedAt = bridge.clock.now().getTime();
  let ts: string | undefined;
  try {
    ts = isWanted ? await call.make(row.id) : undefined;
  } catch (error) {
    return handleFailedCall(bridge, work, row, call, error);
  }
  const callMs = bridge.clock.now().getTime() - startedAt;
  return endRow(bridge, row, 'sent', {
    ts,
    write: call.after,
    afterwards: async () => logSent(bridge, row, { ts, attempt: work.attempt, callMs, startedAt }),
  });
}

/** @returns whether what it posts may still be shown: what takes it back from now on sees that it is being sent. */
async function beginCall(
  bridge: Bridge,
  work: Sending,
  row: OutboxRow,
  { methods, part }: Call,
  kinds: readonly PostKind[],
): Promise<boolean> {
  const pacing = { budgets: bridge.budgets, ranks: ranksOf(kinds) };
  let afterMs = 0;
  let markedAt = 0;
  const begins = await work.start(async (tx) => {
    afterMs = await takeTurn(tx, bridge, row, methods, pacing);
    markedAt = bridge.clock.now().getTime();
    return afterMs === 0;
  });
  if (!begins) throw new RetryLater('its turn has not come', { afterMs, countsAttempt: false });
  const isWanted = part === undefined || (await isStillWanted(bridge, part));
  // If this process stood still meanwhile, another one may have taken its lane, found no post, and made it.
  if (bridge.clock.now().getTime() - markedAt > BEGINS_WITHIN_MS)
    throw new RetryLater('this process stood still before the call', { afterMs: 0, countsAttempt: false });
  return isWanted;
}

/** Not if it was deleted while it waited, or the card was under which it was to stand: the next one has it below it. */
async function isStillWanted({ database: { db } }: Bridge, part: string): Promise<boolean> {
  const link = await linkById(db, part);
  if (!link || link.deleted) return false;
  const conversation = await conversationOfId(db, link.conversation_id);
  return conversation !== undefined && conversation.ticket_id !== null;
}

function logSent(
  { log }: Bridge,
  row: OutboxRow,
  { startedAt, ...facts }: { ts: string | undefined; attempt: number; callMs: number; startedAt: number },
): void {
  log.info(
    {
      event: 'outbox.sent',
      outbox: row.id,
      kind: row.kind,
      channel: row.channel_id,
      conversation: row.conversation_id,
      waitedMs: startedAt - row.planned_at.getTime(),
      ...facts,
    },
    'written to chat',
  );
}

async function readRow({ database }: Bridge, id: string): Promise<OutboxRow | undefined> {
  return database.db.selectFrom('outbox').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns where a post that was started but not recorded is; undefined if it is certainly not in chat. */
async function lookUp(
  bridge: Bridge,
  work: Sending,
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
    throw new RetryLater('an attempt may still be under way', { afterMs: rest, countsAttempt: false });
  await setState(work, row.id, { uncertain: row.uncertain + 1 });
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
async function handleFailedCall(
  bridge: Bridge,
  work: Sending,
  row: OutboxRow,
  call: Call,
  error: unknown,
): Promise<Done> {
  if (!(error instanceof ChatError)) throw error;
  if (isEphemeral(call)) {
    bridge.log.info(
      { event: 'outbox.dropped', outbox: row.id, reason: error.message },
      'a note to one person was not shown',
    );
    return endRow(bridge, row, 'dropped');
  }
  // A call that may simply be repeated needs no lookup.
  const isKnown = error.certain || !(call.lookIn || call.isDrawn);
  const { gone } = call;
  // A status reaction is a courtesy: if Slack rejects it, even for a missing scope, no operator need decide.
  const refused = isReaction(call) && isRejected(error);
  if (gone && (refused || error.code === 'message_not_found'))
    return endRow(bridge, row, 'dropped', { write: gone });
  if (error.next === 'give-up') {
    await call.refused?.(error.code ?? error.message);
    throw new GiveUp(error.message, { cause: error });
  }
  await setState(work, row.id, {
    // The next attempt removes what an earlier one may have added: a reaction stays started.
    state: isKnown && !isReaction(call) ? 'planned' : 'sending',
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

/** Returns the end of a row's work. */
function endRow(
  { clock, metrics }: Pick<Bridge, 'clock' | 'metrics'>,
  { id, kind }: OutboxRow,
  state: 'sent' | 'dropped',
  {
    ts,
    write,
    found = false,
    afterwards,
  }: { ts?: string | undefined; write?: AfterSend | undefined; found?: boolean } & Pick<
    Done,
    'afterwards'
  > = {},
): Done {
  return {
    outcome: found ? 'found' : state,
    write: async (tx) => {
      await tx
        .updateTable('outbox')
        .set({ state, ts: ts ?? null, sent_at: clock.now(), error: null })
        .where('id', '=', id)
        .execute();
      await write?.(tx, ts, found);
    },
    afterwards: async () => {
      metrics.posts.inc({ kind, outcome: found ? 'found' : state });
      await afterwards?.();
    },
  };
}

async function recordFailure(
  tx: BridgeTx,
  { metrics, hooks }: Bridge,
  id: string,
  error: string,
): Promise<void> {
  const before = await tx
    .selectFrom('outbox')
    .select('reported')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  const row = await tx
    .updateTable('outbox')
    .set({ state: 'dead', error, reported: true })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (!row) return;
  if (!before?.reported) await hooks.postFailed(tx, row);
  metrics.posts.inc({ kind: row.kind, outcome: 'dead' });
}

/** Not by a process that lost the lane: another one may be sending the row by now, and must be looked for after it. */
async function setState(
  work: Sending,
  id: string,
  values: Updateable<BridgeTables['outbox']>,
): Promise<void> {
  await work.write(async (tx) => {
    await tx.updateTable('outbox').set(values).where('id', '=', id).execute();
  });
}
