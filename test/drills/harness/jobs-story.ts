import type { Generated } from 'kysely';

import type { JobTables } from '../../../src/platform/jobs/index.ts';

/** Definitions shared by jobs-crash.test.ts and its workers. */
export const SCHEMA = 'room';
/**
 * Short, so that jobs of dead workers are soon claimed again; long enough for a loaded machine to renew in
 * time.
 */
export const LEASE_MS = 3_000;

/**
 * The steps of a job at which a worker may die. The last two only exist if the job is completed in the
 * handler's transaction.
 */
export const STEPS = ['begun', 'written', 'completed', 'committed'] as const;
export type Step = (typeof STEPS)[number];

/** The `n`th job of an ordering key. */
export interface Effect {
  key: string;
  n: number;
}

export type CrashTables = JobTables & { effect: Effect & { id: Generated<number>; queue: string } };
