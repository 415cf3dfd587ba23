export { backoff } from './backoff.ts';
export { enqueue, enqueueing } from './enqueue.ts';
export { LeaseLost, DeadLetter, RetryLater } from './errors.ts';
export type { Job, NewJob } from './job.ts';
export { createJobs, type Jobs } from './jobs.ts';
export { runNow } from './operate.ts';
export { JOBS_SQL } from './schema.ts';
export type { JobTables } from './tables.ts';
