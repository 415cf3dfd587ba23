import { setTimeout as wait } from 'node:timers/promises';

import { sql } from 'kysely';

import { cursorKey } from '../slack/ids.ts';
import { type ConnectOptions, openBridge } from '../open.ts';
import { readCursor, readRounds, totalFound } from './findings.ts';
import { rebuild } from './rebuild.ts';
import { createReconciler, knownSince, type Reconciler } from './reconciler.ts';
import { scheduleReconcile, compareAll, handleRounds, RECONCILE } from './rounds.ts';

interface Comparison {
  service: boolean;
  /** Channels still to be compared; undefined while they are being listed. */
  channels: number | undefined;
  threads: number;
  /** Differences found since the start. */
  found: number;
  done: boolean;
}

const LOOK_EVERY_MS = 1_000;
/** A user waits: more recent items are left to their events. */
const SETTLE_MS = 5_000;
const EVERY_MS = 60_000;

/**
 * Opens manual reconciliation, on a database that a bridge may be using.
 * @throws StartError if Slack rejects the token; ChatAway if it cannot be reached.
 */
export async function openReconciliation(
  options: ConnectOptions & { readsPerMinute: number; retentionDays: number },
) {
  const { bridge, close } = await openBridge({ ...options, waits: false });
  const { database, clock } = bridge;
  const stopping = new AbortController();
  const { readsPerMinute, retentionDays } = options;
  const settings = { everyMs: EVERY_MS, settleMs: SETTLE_MS, readsPerMinute, retentionDays };
  const reconciler = createReconciler(bridge, settings, stopping.signal);
  const { engine } = bridge;

  return {
    /** Compares everything once; reports progress about once a second. */
    async *compare(): AsyncGenerator<Comparison> {
      handleRounds(reconciler);
      await engine.start();
      const before = await totalFound(database.db);
      const since = clock.now();
      await scheduleReconcile(bridge);
      await compareAll(bridge);
      for (;;) {
        await engine.dueNow(RECONCILE.class);
        await wait(LOOK_EVERY_MS);
        const comparison = await readComparison(reconciler, since);
        yield { ...comparison, found: (await totalFound(database.db)) - before };
        if (comparison.done) return;
      }
    },
    /** Restores the links from Slack and the service (docs/reliability.md); reports progress after each ticket. */
    rebuild: () => rebuild(reconciler),
    async stop() {
      stopping.abort();
      await engine.stop();
      await close();
    },
  };
}

async function readComparison(reconciler: Reconciler, since: Date): Promise<Omit<Comparison, 'found'>> {
  const { database, bot } = reconciler.bridge;
  const begunAt = async (part: 'service' | 'channels') =>
    Date.parse((await readRounds(database.db, part))?.current.startedAt ?? '') >= since.getTime();
  const service = await begunAt('service');
  const listed = await begunAt('channels');
  const { waiting } = await database.db
    .selectFrom('work')
    .select((select) => select.fn.countAll<number>().as('waiting'))
    .where('kind', '=', RECONCILE.name)
    .where('done_at', 'is', null)
    .where(sql<boolean>`body ->> 'part' = 'channel'`)
    .executeTakeFirstOrThrow();
  const asked = (await readCursor(database.db, cursorKey.asked(bot.team))) ?? since;
  const { threads } = await database.db
    .selectFrom('conversation')
    .select((select) => select.fn.countAll<number>().as('threads'))
    .where('team_id', '=', bot.team)
    .where('ticket_id', 'is not', null)
    .where('active_at', '>', knownSince(reconciler))
    .where((where) => where.or([where('checked_at', 'is', null), where('checked_at', '<', asked)]))
    .executeTakeFirstOrThrow();
  const channels = listed ? waiting : undefined;
  return { service, channels, threads, done: service && channels === 0 && threads === 0 };
}
