import { sql } from 'kysely';
import { z } from 'zod';

import { type Finding, type States, readStates, STATES_KEY } from './finding.ts';
import { transaction } from '../../platform/database/open.ts';
import { inTime } from '../../platform/in-time.ts';
import type { Running } from '../../platform/lifecycle.ts';
import { escapeMrkdwn } from '../../platform/text/mrkdwn.ts';
import type { Bridge } from '../bridge.ts';
import { planPosts } from '../store/posts.ts';
import { adminKey } from '../slack/ids.ts';
import { readSetting, writeSetting } from '../settings.ts';
import type { SlackConnection } from './check-chat.ts';
import { checkSchema, checkWork, readDatabase, readWork } from './check-work.ts';
import { checkOutside, type OutsideOptions } from './outside.ts';
import type { BridgeTx } from '../work.ts';

export interface Change {
  became: 'bad' | 'well';
  finding: Finding;
}

/**
 * Returns the changes between checks. A change to bad or good is announced when two checks in a row agree: brief
 * problems are not. A check that could not run keeps its last result.
 */
export function compareChecks(
  before: States | undefined,
  findings: readonly Finding[],
  at: Date,
): { after: States; changes: Change[] } {
  const checks = { ...before?.checks };
  const changes: Change[] = [];
  for (const finding of findings) {
    const { id, state } = finding;
    const known = before?.checks[id];
    const isBad = state === 'bad';
    const announced = known?.announced ?? false;
    const agree = (known?.state === 'bad') === isBad;
    const news = isBad !== announced && agree;
    if (news) changes.push({ became: isBad ? 'bad' : 'well', finding });
    checks[id] = { state, announced: news ? isBad : announced };
  }
  return { after: { at: at.toISOString(), checks }, changes };
}

/** Returns one line for chat, not yet escaped. */
function changeLine({ became, finding: { says, fix } }: Change): string {
  const line = became === 'bad' ? `🔴 ${says} ${fix ?? ''}` : `🟢 Recovered: ${says}`;
  return line.trim();
}

interface WatchOptions extends OutsideOptions {
  bridge: Bridge;
  connection: () => SlackConnection;
  /** Interval of health checks in milliseconds, over all replicas. */
  everyMs: number;
  reconcileEveryMs: number;
}

/** A response of Slack or the service is not worth delaying a stop. */
const STOP_MS = 500;

/**
 * Checks the bridge's health periodically: one check at a time over all replicas. The findings are stored for the
 * metrics, and each change is announced in the admin channel, once.
 */
export function startWatch(options: WatchOptions): Running {
  const { bridge, everyMs } = options;
  let looking: Promise<void> = Promise.resolve();
  let stopped = false;
  const isStopped = () => stopped;
  const timer = setInterval(() => {
    looking = checkHealth(options).catch((error: unknown) => {
      if (!isStopped()) bridge.log.warn({ err: error }, 'could not check the bridge’s health');
    });
  }, everyMs);
  timer.unref();
  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await inTime(STOP_MS, looking);
    },
  };
}

async function checkHealth(options: WatchOptions): Promise<void> {
  if (!(await acquireSlots(options))) return;
  const { bridge, database, clock, adminChannel } = options;
  const { log } = bridge;
  const facts = await readDatabase(database);
  const work = await readWork(database, { clock });
  const findings: Finding[] = [
    checkSchema(facts),
    ...checkWork(work, {
      now: clock.now(),
      runningMs: facts.runningMs,
      everyMs: options.reconcileEveryMs,
    }),
    ...(await checkOutside(options, { connection: options.connection(), pings: false })),
  ];
  const changes = await bridge.engine.transaction(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`${database.schema}:health`}, 0))`.execute(tx);
    const { after, changes } = compareChecks(await readStates(tx), findings, clock.now());
    await writeSetting(tx, STATES_KEY, after);
    if (adminChannel !== undefined) await notifyAdmins(tx, bridge, adminChannel, changes);
    return changes;
  });
  for (const { became, finding } of changes)
    log[became === 'bad' ? 'error' : 'info'](
      { event: 'health.changed', check: finding.id, became, fix: finding.fix },
      finding.says,
    );
}

/** Posts one line per change, in order, even across checks. */
export async function notifyAdmins(
  tx: BridgeTx,
  bridge: Pick<Bridge, 'bot' | 'newId' | 'clock'>,
  channel: string,
  changes: readonly Change[],
): Promise<void> {
  const { team } = bridge.bot;
  const place = { conversationId: null, team, channel, orderingKey: adminKey(team, channel) };
  const lines = changes.map((change) => ({
    kind: 'bot-message' as const,
    text: escapeMrkdwn(changeLine(change)),
  }));
  await planPosts(tx, bridge, place, lines);
}

const TURN_KEY = 'health-turn';
const EventContext = z.object({ at: z.string() });

/** Returns whether this replica runs the check now: none has for most of the interval. */
async function acquireSlots({ database, clock, everyMs }: WatchOptions): Promise<boolean> {
  return transaction(database.db, async (tx) => {
    const { rows } = await sql<{ mine: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${`${database.schema}:health`}, 0)) as mine`.execute(
      tx,
    );
    if (!rows[0]?.mine) return false;
    const last = await readSetting(tx, TURN_KEY, EventContext);
    const now = clock.now();
    if (last && now.getTime() - Date.parse(last.at) < everyMs * 0.75) return false;
    await writeSetting(tx, TURN_KEY, { at: now.toISOString() });
    return true;
  });
}
