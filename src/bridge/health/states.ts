import { z } from 'zod';

import type { Db } from '../../platform/database/open.ts';
import { readSetting } from '../settings.ts';
import type { BridgeTables } from '../schema/tables.ts';

const State = z.enum(['ok', 'warn', 'bad']);
/** `warn` still works but needs attention; `bad` loses something, or will, until someone acts. */
export type State = z.infer<typeof State>;
export const RANK: Readonly<Record<State, number>> = { ok: 0, warn: 1, bad: 2 };

const Checked = z.object({
  state: State,
  /** Whether the last notice said that it is bad. */
  told: z.boolean(),
});

/** The findings of the last health check, for all replicas. */
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
