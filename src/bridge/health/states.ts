import { z } from 'zod';

import type { Db } from '../../platform/database/open.ts';
import { readSetting } from '../settings.ts';
import type { BridgeTables } from '../schema/tables.ts';

const State = z.enum(['ok', 'warn', 'bad']);
/** `warn` goes on working and wants a look; `bad` loses something, or will, until somebody acts. */
export type State = z.infer<typeof State>;
export const RANK: Readonly<Record<State, number>> = { ok: 0, warn: 1, bad: 2 };

const Checked = z.object({
  state: State,
  /** What was last told of it: whether it is bad. */
  told: z.boolean(),
});

/** What the last look at the bridge's health found, for all replicas. */
const States = z.object({
  /** ISO 8601. */
  at: z.string(),
  checks: z.record(z.string(), Checked),
});
export type States = z.infer<typeof States>;

export const STATES_KEY = 'health';

export async function readStates(db: Db<BridgeTables>): Promise<States | undefined> {
  return readSetting(db, STATES_KEY, States);
}
