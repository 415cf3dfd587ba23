import { sql } from 'kysely';
import { z } from 'zod';

import { ServiceError } from '../../client/index.ts';
import { transaction } from '../../platform/database/open.ts';
import { GiveUp, RetryLater } from '../../platform/engine/index.ts';
import type { Bridge } from '../bridge.ts';
import { classify, GIVE_UP_TRIES } from '../inbox/classify.ts';
import { ChatError, isRejected, isSlackFailing } from '../slack/errors.ts';
import type { MemberChannel } from '../slack/reader.ts';
import type { Conversation } from '../store/conversations.ts';
import { forgetErased } from '../people/erased.ts';
import { cursorKey } from '../slack/ids.ts';
import { checkThread } from './check-thread.ts';
import { moveCursor, readCursor, addFound, beginRound, type Part, PARTS } from './findings.ts';
import { knownSince, type Reconciler, settledUntil } from './reconciler.ts';
import { scanChannel, scanService } from './scan.ts';
import { repeatAfterGivingUp } from '../rounds.ts';
import { CLASSES, type Done, keyOfLane, type NewWork, type Work, workFor, workKind } from '../work.ts';

const RoundBody = z.discriminatedUnion('part', [
  /** The service's changes since the last read. */
  z.object({ part: z.literal('service') }),
  /** The list of channels, each of which then gets work of its own. */
  z.object({ part: z.literal('channels') }),
  z.object({ part: z.literal('channel'), channel: z.string(), direct: z.boolean(), wide: z.boolean() }),
  z.object({ part: z.literal('threads') }),
  /** A full reconciliation, at that time. */
  z.object({ part: z.literal('all'), at: z.iso.datetime() }),
]);
type RoundBody = z.infer<typeof RoundBody>;
type Round = Work<RoundBody>;

/** A step of reconciliation: one lane per part, so exactly one process works on each. */
export const RECONCILE = workKind('reconcile', CLASSES.reconcile, RoundBody);

/** Schedules reconciliation, once for all replicas; it then repeats itself. */
export async function scheduleReconcile({ engine, bot }: Bridge): Promise<void> {
  await engine.transaction(async (tx) => tx.plan.add(...PARTS.map((part) => next(bot.team, part, 0))));
}

/** Requests a full reconciliation: events may have been lost until now. */
export async function compareAll({
  engine,
  database,
  bot,
  clock,
}: Pick<Bridge, 'engine' | 'database' | 'bot' | 'clock'>): Promise<void> {
  await moveCursor(database.db, cursorKey.asked(bot.team), clock.now());
  await engine.dueNow(RECONCILE.class);
}

/** Requests a full reconciliation after this time has settled: Slack drops events until then. */
export async function compareAllAfter({ bridge, settings }: Reconciler, until: Date): Promise<void> {
  const { engine, bot, clock } = bridge;
  const at = new Date(until.getTime() + settings.settleMs);
  const key = `all:${bot.team}`;
  await engine.add(
    workFor(
      RECONCILE,
      key,
      { part: 'all', at: at.toISOString() },
      {
        mergeKey: `reconcile:${key}:${at.toISOString()}`,
        delayMs: Math.max(0, at.getTime() - clock.now().getTime()),
      },
    ),
  );
}

function next(team: string, part: Part, delayMs: number): NewWork {
  const key = `${part}:${team}`;
  return workFor(RECONCILE, key, { part }, { mergeKey: `reconcile:${key}`, delayMs });
}

/** Has the engine do the steps of reconciliation. */
export function handleRounds(reconciler: Reconciler): void {
  const { engine, failing } = reconciler.bridge;
  engine.handle(RECONCILE, {
    work: (work) => failing.limit(work, () => workRound(reconciler, work)),
    gaveUp: repeatAfterGivingUp(RECONCILE, (body) => nextRound(reconciler, body)),
  });
}

/** Returns the next step of a part at its usual time; undefined for what is planned anew by another one. */
function nextRound({ bridge, settings }: Reconciler, { part }: RoundBody): NewWork | undefined {
  switch (part) {
    case 'service':
    case 'channels':
    case 'threads':
      return next(bridge.bot.team, part, settings.everyMs);
    case 'channel':
    case 'all':
      return undefined;
  }
}

/** Runs one step of reconciliation and plans the next. Throws ChatError or ServiceError. */
async function workRound(reconciler: Reconciler, work: Round): Promise<Done> {
  const { body } = work;
  switch (body.part) {
    case 'service':
      return workService(reconciler);
    case 'channels':
      return workChannels(reconciler, work);
    case 'channel':
      return workChannel(reconciler, body, work.attempt);
    case 'threads':
      return workThread(reconciler, work);
    case 'all':
      return workAll(reconciler, new Date(body.at));
  }
}

async function workAll({ bridge }: Reconciler, at: Date): Promise<Done> {
  const early = at.getTime() - bridge.clock.now().getTime();
  // The whole class may have been made due early.
  if (early > 0) throw new RetryLater('it is not time yet', { countsAttempt: false, afterMs: early });
  await compareAll(bridge);
  return { outcome: 'a full comparison was asked for' };
}

async function workService(reconciler: Reconciler): Promise<Done> {
  const { bot, clock } = reconciler.bridge;
  const startedAt = clock.now();
  await reconciler.keepWebhook();
  await forgetErased(reconciler.bridge);
  const found = await scanService(reconciler);
  return {
    outcome: `found ${found}`,
    write: async (tx) => {
      await beginRound(tx, 'service', startedAt);
      await addFound(tx, 'service', found, startedAt);
      tx.plan.add(next(bot.team, 'service', reconciler.settings.everyMs));
    },
  };
}

/**
 * Lists the channels: new ones start at the time of the last list. Where Slack does not list them, the linked ones are
 * compared.
 */
async function workChannels(reconciler: Reconciler, work: Round): Promise<Done> {
  const { bridge, settings } = reconciler;
  const { database, bot, clock } = bridge;
  const listedAt = settledUntil(reconciler);
  const cursor = await readCursor(database.db, cursorKey.channels(bot.team));
  const asked = await readCursor(database.db, cursorKey.asked(bot.team));
  const wide = asked !== undefined && (cursor === undefined || asked > cursor);
  const listed = await memberChannels(reconciler, work.attempt);
  const channels =
    listed.channels ??
    (await bridge.channels.linkedChannels()).map((id): MemberChannel => ({ id, direct: false }));
  const eachChannel = ({ id, direct }: MemberChannel) =>
    workFor(RECONCILE, keyOfLane(work.lane), { part: 'channel', channel: id, direct, wide });
  return {
    outcome: `${channels.length} channels`,
    write: async (tx) => {
      await beginRound(tx, 'channels', clock.now());
      // The time is stored first: future channels are compared from it.
      for (const { id } of channels) {
        const known = await readCursor(tx, cursorKey.channel(bot.team, id));
        if (!known) await moveCursor(tx, cursorKey.channel(bot.team, id), cursor ?? listedAt);
      }
      if (!listed.fails) await moveCursor(tx, cursorKey.channels(bot.team), listedAt);
      tx.plan.add(...channels.map(eachChannel), next(bot.team, 'channels', settings.everyMs));
    },
  };
}

/** Returns the channels of the bot; none if Slack does not list them for this app, or `fails` at it again and again. */
async function memberChannels(
  { bridge, beforeRead }: Reconciler,
  attempt: number,
): Promise<{ channels?: MemberChannel[]; fails?: boolean }> {
  const channels: MemberChannel[] = [];
  try {
    for await (const channel of bridge.chat.memberChannels(beforeRead)) channels.push(channel);
  } catch (error) {
    if (isRejected(error)) return {};
    if (!isLeftOut(error, attempt)) throw error;
    bridge.log.warn({ event: 'reconcile.left_out', err: error }, 'the channels cannot be listed');
    return { fails: true };
  }
  return { channels };
}

async function workChannel(
  reconciler: Reconciler,
  { channel, direct, wide }: Extract<RoundBody, { part: 'channel' }>,
  attempt: number,
): Promise<Done> {
  const { log, clock } = reconciler.bridge;
  const leaveOut = (error: unknown, facts: object) => {
    if (!isLeftOut(error, attempt)) throw error;
    logLeftOut(log, error, { channel, ...facts });
  };
  const found = await scanChannel(reconciler, { id: channel, direct }, { wide, leaveOut }).catch(
    (error: unknown) => {
      leaveOut(error, {});
      return 0;
    },
  );
  return { outcome: `found ${found}`, write: (tx) => addFound(tx, 'channels', found, clock.now()) };
}

/** One thread after the other: the longest wait first, active ones before others. */
async function workThread(reconciler: Reconciler, work: Round): Promise<Done> {
  const { bridge, settings } = reconciler;
  const { database, bot, clock, log } = bridge;
  const due = await dueThread(reconciler);
  if (!due) {
    const delayMs = Math.min(settings.everyMs, await untilCheckAgain(reconciler));
    return {
      outcome: 'no thread is due',
      write: async (tx) => {
        await beginRound(tx, 'threads', clock.now());
        tx.plan.add(next(bot.team, 'threads', delayMs));
      },
    };
  }
  const last = work.attempt >= TRIES;
  const startedAt = clock.now();
  const { found, unsettled } = await checkThread(reconciler, due, last).catch(async (error: unknown) => {
    if (!isLeftOut(error, work.attempt)) throw error;
    logLeftOut(log, error, { conversation: due.id });
    const again = isOutOfSight(error) ? null : new Date(startedAt.getTime() + LEFT_OUT_MS);
    await database.db
      .updateTable('conversation')
      .set({ checked_at: startedAt, check_again_at: again })
      .where('id', '=', due.id)
      .execute();
    return { found: 0, unsettled: false };
  });
  if (unsettled) {
    await transaction(database.db, (tx) => addFound(tx, 'threads', found, clock.now()));
    throw new RetryLater('there is other work in the thread', { afterMs: AGAIN_MS });
  }
  return {
    outcome: `found ${found}`,
    write: async (tx) => {
      await addFound(tx, 'threads', found, clock.now());
      tx.plan.add(next(bot.team, 'threads', 0));
    },
  };
}

/** After this many attempts a busy thread is left until its next time: others wait behind it. */
const TRIES = 6;
const AGAIN_MS = 2_000;
/** A thread that was left out is compared again after this time at the latest: it may have been an outage. */
const LEFT_OUT_MS = 60 * 60_000;

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

/**
 * Returns whether something is left out of this round, so that it does not keep all others from being compared: it is
 * out of sight, an error of ours comes again and again, or the other side fails at it as often as a post is tried.
 */
function isLeftOut(error: unknown, attempt: number): boolean {
  if (classify(error, attempt) instanceof GiveUp) return true;
  const isFailing =
    (error instanceof ChatError && isSlackFailing(error)) || (error instanceof ServiceError && error.mayLast);
  return isFailing && attempt >= GIVE_UP_TRIES;
}

function logLeftOut(log: Bridge['log'], error: unknown, facts: object): void {
  if (isOutOfSight(error))
    log.info({ event: 'reconcile.unreadable', err: error, ...facts }, 'it cannot be read');
  else log.warn({ event: 'reconcile.left_out', err: error, ...facts }, 'it is left out of this comparison');
}

/** Returns whether the channel is gone or not visible to this app: nothing can be compared. */
function isOutOfSight(error: unknown): boolean {
  return error instanceof ChatError && error.next === 'give-up';
}
