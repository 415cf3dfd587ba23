// Frees the lanes of processes that were killed, long before their leases end. A process holds the advisory lock of its
// name on the connection on which it listens: when it is killed, Postgres closes that connection and frees the lock.

import { sql } from 'kysely';
import type pg from 'pg';

import { transaction } from '../database/open.ts';
import type { Ground } from './ground.ts';
import { notifyClasses } from './lanes.ts';
import type { EngineTables } from './tables.ts';

/** The pause between two looks for dead processes. */
export const RESCUE_EVERY_MS = 3_000;
/**
 * A process counts as dead that was seen without its lock so many times: after a restart of the database each opens its
 * connection again, some seconds after one another.
 */
export const SEEN_ABSENT = 3;

const lockOf = (process: string) =>
  `hashtextextended(concat_ws(chr(31), current_schema(), 'process', ${process}), 0)`;

/** Shows that this process is alive, for as long as the connection is open. */
export async function showAlive(client: pg.Client, process: string): Promise<void> {
  // Shared, so that a new connection need not wait for the end of one that went silent.
  await client.query(`select pg_advisory_lock_shared(${lockOf('$1::text')})`, [process]);
}

/** Returns the processes that have lanes and do not show that they are alive. */
export async function absentProcesses(client: pg.Client, process: string): Promise<Set<string>> {
  const { rows } = await client.query<{ process: string }>(
    `with others as materialized (
      select distinct leased_by as process from lane where leased_until is not null and leased_by <> $1
    )
    select process from others where pg_try_advisory_xact_lock(${lockOf('process')})`,
    [process],
  );
  return new Set(rows.map((row) => row.process));
}

/**
 * Ends the leases of dead processes. If one is alive after all, its claims no longer hold once others have its lanes,
 * as after any lost lease.
 */
export async function freeLanes<Tables extends EngineTables>(
  { database, now, channel }: Pick<Ground<Tables>, 'database' | 'now' | 'channel'>,
  processes: readonly string[],
): Promise<void> {
  if (processes.length === 0) return;
  await transaction(database.db, async (tx) => {
    const { rows } = await sql<{ class: string }>`
      with held as materialized (
        select key from lane where leased_by = any(${processes}::text[]) and leased_until > ${now}
        order by key
        for no key update
      )
      update lane set leased_until = ${now} from held where lane.key = held.key
      returning class`.execute(tx);
    await notifyClasses(tx, channel, rows);
  });
}
