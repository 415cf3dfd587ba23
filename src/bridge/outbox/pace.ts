import { sql } from 'kysely';

import type { Db } from '../../platform/database/open.ts';
import type { BridgeTables } from '../schema/tables.ts';

/**
 * Reserves the next slot of a rate limit that all replicas share, and returns the milliseconds until then (0: now).
 * Generic cell rate: one call per `gapMs`, with bursts of `burst`.
 */
export async function reserveTurn(
  db: Db<BridgeTables>,
  key: string,
  gapMs: number,
  burst: number,
): Promise<number> {
  const gap = sql`make_interval(secs => ${gapMs / 1000}::double precision)`;
  const credit = sql`make_interval(secs => ${(gapMs * (burst - 1)) / 1000}::double precision)`;
  const { rows } = await sql<{ wait: number }>`
    insert into rate_limit as p (key, next_at) values (${key}, clock_timestamp() - ${credit} + ${gap})
    on conflict (key) do update set next_at = greatest(p.next_at, clock_timestamp() - ${credit}) + ${gap}
    returning (extract(epoch from p.next_at - ${gap} - clock_timestamp()) * 1000)::double precision as wait`.execute(
    db,
  );
  return Math.max(0, Math.ceil(rows[0]?.wait ?? 0));
}
