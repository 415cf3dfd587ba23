export { backoff } from './backoff.ts';
export { enqueue, enqueueing } from './enqueue.ts';
export { LeaseLost, Park, RetryLater } from './errors.ts';
export type { Job, NewJob } from './job.ts';
export { createLanes, type Lanes } from './lanes.ts';
export { hurry } from './operate.ts';
export { JOBS_SQL } from './schema.ts';
export type { LanesTables } from './tables.ts';
