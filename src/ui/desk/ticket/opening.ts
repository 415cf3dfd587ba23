/** The pickers of the details that a key or a button elsewhere opens. */
export type Opening =
  'status' | 'assignee' | 'priority' | 'queue' | 'requestType' | 'tags' | 'dueAt' | 'snooze';
