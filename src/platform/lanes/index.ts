export { backoff } from './backoff.ts';
export { enqueue, enqueueing } from './enqueue.ts';
export { LeaseLost, Park, RetryLater } from './errors.ts';
export { laneCompletion, laneFunctions } from './functions.ts';
export type { Job, NewJob } from './job.ts';
export { createLanes, type Lanes } from './lanes.ts';
export { hurry } from './operate.ts';
export { lanesMigration, type LanesTables } from './schema.ts';
