import type { Filter } from './search.ts';

const SEVERAL: ReadonlySet<Filter> = new Set([
  'statusId',
  'queueId',
  'priority',
  'assigneeId',
  'requesterId',
  'approverId',
  'followerId',
  'tagId',
  'requestTypeId',
  'due',
]);

/** Whether a filter may have several values, with commas between them: any of them. */
export const takesSeveral = (filter: Filter): boolean => SEVERAL.has(filter);
