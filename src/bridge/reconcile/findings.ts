import { z } from 'zod';

import type { Db } from '../../platform/database/open.ts';
import { readSetting, writeSetting } from '../settings.ts';
import type { BridgeTables } from '../schema/tables.ts';

/** The compared sources: the service's changes, the channels' messages, the tickets' threads. */
export type Part = 'service' | 'channels' | 'threads';
export const PARTS: readonly Part[] = ['service', 'channels', 'threads'];

const Round = z.object({
  startedAt: z.string(),
  /** Items compared so far: reads of the service, channels, threads. */
  compared: z.number(),
  /** Differences that no event reported; each is being repaired. */
  found: z.number(),
});
const Rounds = z.object({
  current: Round,
  last: Round.nullable(),
  total: z.number(),
});
type Rounds = z.infer<typeof Rounds>;

const roundsKey = (part: Part) => `reconcile:${part}`;

/** Returns the results of a part's rounds; undefined before its first one. */
export async function readRounds(db: Db<BridgeTables>, part: Part): Promise<Rounds | undefined> {
  return readSetting(db, roundsKey(part), Rounds);
}

/** Starts a part's next round. Only the part's own work writes, one at a time. */
export async function beginRound(db: Db<BridgeTables>, part: Part, at: Date): Promise<void> {
  const before = await readRounds(db, part);
  const current = { startedAt: at.toISOString(), compared: 0, found: 0 };
  await writeSetting(db, roundsKey(part), {
    current,
    last: before?.current ?? null,
    total: before?.total ?? 0,
  });
}

export async function addFound(db: Db<BridgeTables>, part: Part, found: number, at: Date): Promise<void> {
  const fresh = { current: { startedAt: at.toISOString(), compared: 0, found: 0 }, last: null, total: 0 };
  const { current, last, total } = (await readRounds(db, part)) ?? fresh;
  const next = { ...current, compared: current.compared + 1, found: current.found + found };
  await writeSetting(db, roundsKey(part), { current: next, last, total: total + found });
}

/** Sums up a figure of the rounds of all parts. */
async function sumOverParts(db: Db<BridgeTables>, figure: (rounds: Rounds) => number): Promise<number> {
  const rounds = await Promise.all(PARTS.map((part) => readRounds(db, part)));
  return rounds.reduce((sum, one) => sum + (one ? figure(one) : 0), 0);
}

/**
 * Returns the workspace's drift: differences found in this round and the previous one, over all parts. 0 is healthy.
 */
export function driftOf(db: Db<BridgeTables>): Promise<number> {
  return sumOverParts(db, ({ current, last }) => current.found + (last?.found ?? 0));
}

export function totalFound(db: Db<BridgeTables>): Promise<number> {
  return sumOverParts(db, ({ total }) => total);
}

/** Returns the progress of a read; undefined if it never ran. */
export async function readCursor(db: Db<BridgeTables>, key: string): Promise<Date | undefined> {
  const row = await db.selectFrom('cursor').select('position').where('key', '=', key).executeTakeFirst();
  return row?.position;
}

/** Advances a cursor; never moves it back. */
export async function moveCursor(db: Db<BridgeTables>, key: string, position: Date): Promise<void> {
  await db
    .insertInto('cursor')
    .values({ key, position })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({ position })
        .where((where) => where('cursor.position', '<', position)),
    )
    .execute();
}
