import { setTimeout as wait } from 'node:timers/promises';

import { sql } from 'kysely';
import { z } from 'zod';

import { AnsweredError, ServiceError } from '../../client/index.ts';
import type { Db } from '../../platform/database/open.ts';
import type { Bridge } from '../bridge.ts';
import { ChatError } from '../slack/errors.ts';
import { readSetting, settingOr, writeSetting } from '../settings.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { rebuild, type Rebuilt } from './rebuild.ts';
import type { Reconciler } from './reconciler.ts';

const KEY = 'links';
/** `restoring`: a rebuild has begun and was not finished. */
const State = z.enum(['restoring', 'whole']);

/** Another replica may be at it; it holds the lock while it restores, and no longer than it lives. */
const LOOK_EVERY_MS = 1_000;
const TRY_AGAIN_MS = 5_000;
/** A line of the log for so many tickets. */
const TELL_EVERY = 500;

/**
 * Before a bridge works: where its tables are empty though the service has tickets of channels that it is in, they were
 * lost (B50), and what they knew is restored first, by one of the replicas while the others wait. A restoring that was
 * interrupted, also one by hand, is done again. Waits for a chat or a service that is away.
 */
export async function restoreLost(reconciler: Reconciler, stopping: AbortSignal): Promise<void> {
  const { log, database } = reconciler.bridge;
  // A function: the compiler would take the signal's state for settled across an await.
  const isStopping = () => stopping.aborted;
  while (!isStopping()) {
    try {
      if ((await readSetting(database.db, KEY, State)) === 'whole') return;
      if (await alone(database.db, database.schema, () => restoreOnce(reconciler))) return;
      await wait(LOOK_EVERY_MS, undefined, { signal: stopping });
    } catch (error) {
      if (isStopping()) return;
      if (!(error instanceof ChatError || error instanceof ServiceError)) throw error;
      log.warn({ event: 'links.waiting', err: error }, 'the links cannot be looked at yet; trying again');
      await wait(error.retryAfterMs ?? TRY_AGAIN_MS, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
}

/** Rebuilds, and remembers until its end that it is not done. Throws ChatError or ServiceError. */
export async function* rebuildWhole(reconciler: Reconciler): AsyncGenerator<Rebuilt> {
  const { db } = reconciler.bridge.database;
  await settingOr(db, KEY, State, 'restoring');
  yield* rebuild(reconciler);
  await writeSetting(db, KEY, 'whole');
}

async function restoreOnce(reconciler: Reconciler): Promise<void> {
  const { bridge } = reconciler;
  const { log, database } = bridge;
  const state = await readSetting(database.db, KEY, State);
  if (state === 'whole') return;
  if (state === undefined && !(await areLost(reconciler))) {
    await writeSetting(database.db, KEY, 'whole');
    return;
  }
  log.warn(
    { event: 'links.lost' },
    'the service has tickets of this chat, and the tables of this bridge do not know their threads: they are restored before work begins',
  );
  let sum: Rebuilt | undefined;
  for await (const now of rebuildWhole(reconciler)) {
    sum = now;
    if (now.tickets % TELL_EVERY === 0) log.info({ event: 'links.restoring', ...now }, 'restoring the links');
  }
  log.info({ event: 'links.restored', ...sum }, 'the links are restored; work begins');
}

/** No thread is any ticket's, though the service has tickets with a thread in a channel that this bot is in. */
async function areLost({ bridge, beforeRead }: Reconciler): Promise<boolean> {
  const known = await bridge.database.db
    .selectFrom('conversation')
    .select('id')
    .where('ticket_id', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  if (known) return false;
  for await (const { id } of bridge.chat.memberChannels(beforeRead))
    if (await hasThread(bridge, id)) return true;
  return false;
}

async function hasThread({ service, channels, log }: Bridge, channel: string): Promise<boolean> {
  const inChannel = { chatChannelId: channel, includeArchived: true, includeUnpublished: true, limit: 1 };
  try {
    for (const workspaceId of await channels.workspaceIds()) {
      const { items } = await service.listTickets({ query: { ...inChannel, workspaceId } });
      // A service that does not know the filter answers any ticket.
      if (items.some(({ chatThreads }) => chatThreads.some(({ channelId }) => channelId === channel)))
        return true;
    }
    return false;
  } catch (error) {
    if (!(error instanceof AnsweredError && error.next === 'give-up')) throw error;
    log.warn(
      { event: 'links.unknown', err: error },
      'the service does not list tickets by channel: whether links were lost cannot be seen; where they were, run `deskbridge rebuild`',
    );
    return false;
  }
}

/** Whether this process could have the lock, and has done the work under it; it is free again however the process ends. */
async function alone(db: Db<BridgeTables>, schema: string, work: () => Promise<void>): Promise<boolean> {
  const lock = sql`hashtextextended(${`restore:${schema}`}, 0)`;
  return db.connection().execute(async (connection) => {
    const { rows } = await sql<{ held: boolean }>`select pg_try_advisory_lock(${lock}) as held`.execute(
      connection,
    );
    if (!rows[0]?.held) return false;
    try {
      await work();
      return true;
    } finally {
      // A connection that was lost meanwhile has taken the lock with it.
      await sql`select pg_advisory_unlock(${lock})`.execute(connection).catch(() => undefined);
    }
  });
}
