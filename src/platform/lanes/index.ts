export type { WorkOptions } from './attempt.ts';
export { backoff } from './backoff.ts';
export { enqueue } from './enqueue.ts';
export { LeaseLost, Park, RetryLater } from './errors.ts';
export type { Job, JsonValue, NewJob } from './job.ts';
export { createLanes, type Lanes, type LanesOptions } from './lanes.ts';
export type { ParkedJob, QueueStats } from './operate.ts';
export { lanesMigration, type JobTable, type LanesTables } from './schema.ts';
