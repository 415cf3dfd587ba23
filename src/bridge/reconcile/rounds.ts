import { sql } from 'kysely';
import { z } from 'zod';

import { transaction } from '../../platform/database/open.ts';
import { enqueue, runNow, type Job, type Jobs, type NewJob, RetryLater } from '../../platform/jobs/index.ts';
import type { Bridge } from '../bridge.ts';
import { ChatError, isRejected } from '../slack/errors.ts';
import type { MemberChannel } from '../slack/reader.ts';
import type { Conversation } from '../threads/conversations.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { forgetErased } from '../people/erased.ts';
import { cursorKey } from '../slack/ids.ts';
import { checkThread } from './check-thread.ts';
import { moveCursor, readCursor, addFound, beginRound, type Part, PARTS } from './findings.ts';
import { knownSince, type Reconciler, settledUntil } from './reconciler.ts';
import { scanChannel, scanService } from './scan.ts';

/** The queue of reconciliation: one ordering key per part, so exactly one process works on each. */
export const RECONCILE_QUEUE = 'reconcile';

const ReconcilePayload = z.discriminatedUnion('part', [
  /** The service's changes since the last read. */
  z.object({ part: z.literal('service') }),
  /** The list of channels, each of which then gets its own job. */
  z.object({ part: z.literal('channels') }),
  z.object({ part: z.literal('channel'), channel: z.string(), direct: z.boolean(), wide: z.boolean() }),
  z.object({ part: z.literal('threads') }),
  /** A full reconciliation, at that time. */
  z.object({ part: z.literal('all'), at: z.iso.datetime() }),
]);
type ReconcilePayload = z.infer<typeof ReconcilePayload>;

/** Schedules reconciliation, once for all replicas; it then repeats itself. */
export async function scheduleReconcile({ database, bot }: Bridge): Promise<void> {
  await transaction(database.db, (tx) =>
    enqueue(
      tx,
      PARTS.map((part) => next(bot.team, part, 0)),
    ),
  );
}

/** Requests a full reconciliation: events may have been lost until now. */
export async function compareAll({
  database,
  bot,
  clock,
}: Pick<Bridge, 'database' | 'bot' | 'clock'>): Promise<void> {
  await moveCursor(database.db, cursorKey.asked(bot.team), clock.now());
  await runNow(database.db, RECONCILE_QUEUE);
}

/** Requests a full reconciliation after this time has settled: Slack drops events until then. */
export async function compareAllAfter({ bridge, settings }: Reconciler, until: Date): Promise<void> {
  const { database, bot, clock } = bridge;
  const at = new Date(until.getTime() + settings.settleMs);
  const key = `all:${bot.team}`;
  await transaction(database.db, (tx) =>
    enqueue(tx, [
      {
        queue: RECONCILE_QUEUE,
        orderingKey: key,
        payload: { part: 'all', at: at.toISOString() },
        dedupeKey: `${key}:${at.toISOString()}`,
        delayMs: Math.max(0, at.getTime() - clock.now().getTime()),
      },
    ]),
  );
}

function next(team: string, part: Part, delayMs: number): NewJob {
  return {
    queue: RECONCILE_QUEUE,
    orderingKey: `${part}:${team}`,
    payload: { part },
    dedupeKey: `${part}:${team}`,
    delayMs,
  };
}

/** Runs steps of reconciliation in this process. */
export function workRounds(jobs: Jobs<BridgeTables>, reconciler: Reconciler): void {
  jobs.work({
    queue: RECONCILE_QUEUE,
    concurrency: PARTS.length,
    parse: (payload) => ReconcilePayload.parse(payload),
    handle: (job) => workRound(reconciler, job),
  });
}

/** Runs one step of reconciliation and schedules the next. Throws ChatError or ServiceError. */
export async function workRound(reconciler: Reconciler, job: Job<ReconcilePayload>): Promise<void> {
  const { payload } = job;
  switch (payload.part) {
    case 'service':
      return workService(reconciler, job);
    case 'channels':
      return workChannels(reconciler, job);
    case 'channel':
      return workChannel(reconciler, job, payload);
    case 'threads':
      return workThread(reconciler, job);
    case 'all':
      return workAll(reconciler, job, new Date(payload.at));
  }
}

async function workAll({ bridge }: Reconciler, job: Job<unknown>, at: Date): Promise<void> {
  const early = at.getTime() - bridge.clock.now().getTime();
  // The whole queue may have been run early.
  if (early > 0) throw new RetryLater('it is not time yet', { countAttempt: false, afterMs: early });
  await compareAll(bridge);
  await transaction(bridge.database.db, (tx) => job.complete(tx));
}

async function workService(reconciler: Reconciler, job: Job<unknown>): Promise<void> {
  const { database, bot, clock } = reconciler.bridge;
  const startedAt = clock.now();
  await reconciler.keepWebhook();
  await forgetErased(reconciler.bridge);
  const found = await scanService(reconciler);
  await transaction(database.db, async (tx) => {
    await beginRound(tx, 'service', startedAt);
    await addFound(tx, 'service', found, startedAt);
    await job.complete(tx);
    await enqueue(tx, [next(bot.team, 'service', reconciler.settings.everyMs)]);
  });
}

/**
 * Lists the channels: new ones start at the time of the last list. Where Slack does not list them for this app, the
 * linked ones are compared.
 */
async function workChannels(reconciler: Reconciler, job: Job<unknown>): Promise<void> {
  const { bridge, settings } = reconciler;
  const { database, bot, clock } = bridge;
  const listedAt = settledUntil(reconciler);
  const cursor = await readCursor(database.db, cursorKey.channels(bot.team));
  const asked = await readCursor(database.db, cursorKey.asked(bot.team));
  const wide = asked !== undefined && (cursor === undefined || asked > cursor);
  const listed = await memberChannels(reconciler);
  const channels =
    listed ?? (await bridge.channels.linkedChannels()).map((id): MemberChannel => ({ id, direct: false }));
  await transaction(database.db, async (tx) => {
    await beginRound(tx, 'channels', clock.now());
    // The time is stored first: future channels are compared from it.
    for (const { id } of channels) {
      const known = await readCursor(tx, cursorKey.channel(bot.team, id));
      if (!known) await moveCursor(tx, cursorKey.channel(bot.team, id), cursor ?? listedAt);
    }
    await moveCursor(tx, cursorKey.channels(bot.team), listedAt);
    await job.complete(tx);
    await enqueue(tx, [
      ...channels.map(({ id, direct }) => ({
        queue: RECONCILE_QUEUE,
        orderingKey: job.orderingKey,
        payload: { part: 'channel' as const, channel: id, direct, wide },
      })),
      next(bot.team, 'channels', settings.everyMs),
    ]);
  });
}

/** Returns the channels of the bot; undefined if Slack does not list them for this app. */
async function memberChannels({ bridge, beforeRead }: Reconciler): Promise<MemberChannel[] | undefined> {
  const channels: MemberChannel[] = [];
  try {
    for await (const channel of bridge.chat.memberChannels(beforeRead)) channels.push(channel);
  } catch (error) {
    if (!isRejected(error)) throw error;
    return undefined;
  }
  return channels;
}

async function workChannel(
  reconciler: Reconciler,
  job: Job<unknown>,
  { channel, direct, wide }: Extract<ReconcilePayload, { part: 'channel' }>,
): Promise<void> {
  const { database, log, clock } = reconciler.bridge;
  const found = await scanChannel(reconciler, { id: channel, direct }, wide).catch((error: unknown) => {
    if (!isOutOfSight(error)) throw error;
    log.info({ event: 'reconcile.unreadable', channel, err: error }, 'a channel cannot be read');
    return 0;
  });
  await transaction(database.db, async (tx) => {
    await addFound(tx, 'channels', found, clock.now());
    await job.complete(tx);
  });
}

/** One thread per job: the longest wait first, active ones before others. */
async function workThread(reconciler: Reconciler, job: Job<unknown>): Promise<void> {
  const { bridge, settings } = reconciler;
  const { database, bot, clock, log } = bridge;
  const due = await dueThread(reconciler);
  if (!due) {
    const delayMs = Math.min(settings.everyMs, await untilCheckAgain(reconciler));
    await transaction(database.db, async (tx) => {
      await beginRound(tx, 'threads', clock.now());
      await job.complete(tx);
      await enqueue(tx, [next(bot.team, 'threads', delayMs)]);
    });
    return;
  }
  const last = job.attempt >= TRIES;
  const startedAt = clock.now();
  const { found, unsettled } = await checkThread(reconciler, due, last).catch(async (error: unknown) => {
    if (!isOutOfSight(error)) throw error;
    log.info({ event: 'reconcile.unreadable', conversation: due.id, err: error }, 'a thread cannot be read');
    await database.db
      .updateTable('conversation')
      .set({ checked_at: startedAt, check_again_at: null })
      .where('id', '=', due.id)
      .execute();
    return { found: 0, unsettled: false };
  });
  await transaction(database.db, async (tx) => {
    await addFound(tx, 'threads', found, clock.now());
    if (unsettled) return;
    await job.complete(tx);
    await enqueue(tx, [next(bot.team, 'threads', 0)]);
  });
  if (unsettled) throw new RetryLater('there is other work in the thread', { afterMs: AGAIN_MS });
}

/** After this many attempts a busy thread is left until its next time: others wait behind it. */
const TRIES = 6;
const AGAIN_MS = 2_000;

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * Returns the next thread to check: after a tenth of the time that it has been quiet, from ten minutes (or `everyMs`,
 * if longer) to a day; all of them after a request, or if Slack was unavailable; and one with too young messages once
 * they are old enough.
 */
async function dueThread(reconciler: Reconciler): Promise<Conversation | undefined> {
  const { bridge, settings } = reconciler;
  const { database, bot, clock } = bridge;
  const now = clock.now();
  const asked = (await readCursor(database.db, cursorKey.asked(bot.team))) ?? new Date(0);
  const least = Math.max(10 * MINUTE_MS, settings.everyMs);
  const { rows } = await sql<Conversation>`
    select * from conversation
    where ticket_id is not null and team_id = ${bot.team} and active_at > ${knownSince(reconciler)}
      and (checked_at is null or check_again_at <= ${now} or checked_at < ${asked}::timestamptz or checked_at < ${now}::timestamptz
        - least(${DAY_MS} * interval '1 millisecond', greatest(${least} * interval '1 millisecond', (${now}::timestamptz - active_at) / 10)))
    order by active_at desc limit 1`.execute(database.db);
  return rows[0];
}

/** Returns the milliseconds until the first thread with too young messages is to be compared again. */
async function untilCheckAgain(reconciler: Reconciler): Promise<number> {
  const { bridge } = reconciler;
  const first = await bridge.database.db
    .selectFrom('conversation')
    .select((select) => select.fn.min('check_again_at').as('at'))
    .where('team_id', '=', bridge.bot.team)
    .where('ticket_id', 'is not', null)
    .where('active_at', '>', knownSince(reconciler))
    .executeTakeFirst();
  return first?.at ? Math.max(0, first.at.getTime() - bridge.clock.now().getTime()) : Infinity;
}

/** Returns whether the channel is gone or not visible to this app: nothing can be compared. */
function isOutOfSight(error: unknown): boolean {
  return error instanceof ChatError && error.next === 'give-up';
}
