import { openDatabase } from '../platform/database/open.ts';
import { createLanes } from '../platform/lanes/index.ts';
import type { Running } from '../platform/lifecycle.ts';
import type { Log } from '../platform/log.ts';
import type { BridgeTables } from './schema/tables.ts';

export interface ParkedItem {
  id: number;
  queue: string;
  /** What it was about, without anybody's words. */
  what: string;
  reason: string;
  parkedAt: Date;
}

/** The bridge's parked items, for operators (B49). */
export interface ParkedItems extends Running {
  list(): Promise<ParkedItem[]>;
  /** How many were put back where they were in their lanes. */
  retry(which: number[] | 'all'): Promise<number>;
  drop(which: number[] | 'all'): Promise<number>;
}

export async function openParked(databaseUrl: string, log: Log): Promise<ParkedItems> {
  const database = openDatabase<BridgeTables>({ url: databaseUrl, schema: 'bridge', log, poolSize: 2 });
  const lanes = createLanes({ database, log });
  const idsOf = async (which: number[] | 'all') =>
    which === 'all' ? (await lanes.parked()).map(({ id }) => id) : which;
  return {
    list: async () =>
      (await lanes.parked()).map(({ id, queue, payload, reason, parkedAt }) => ({
        id,
        queue,
        what: JSON.stringify(payload),
        reason,
        parkedAt,
      })),
    retry: async (which) => lanes.retryParked(await idsOf(which)),
    drop: async (which) => lanes.dropParked(await idsOf(which)),
    stop: () => database.close(),
  };
}
