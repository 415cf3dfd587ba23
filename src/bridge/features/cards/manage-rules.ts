import type { Filled } from '../../slack/interaction.ts';
import type { Act } from '../../tickets/may-rules.ts';

/** The fields of a ticket that the modal *Manage* writes, each with the act that it is. */
const ACTS = {
  title: 'edit',
  description: 'edit',
  statusId: 'status',
  priority: 'priority',
  assigneeId: 'assign',
  queueId: 'move',
  dueAt: 'due',
  snoozeUntil: 'snooze',
} as const satisfies Record<string, Act>;

export type ManagedField = keyof typeof ACTS;

/** What a person changed: the new value, null to empty the field. A person of chat stands for the assignee. */
export type Changes = Partial<Record<ManagedField, string | null>>;

const CLEARABLE: readonly ManagedField[] = ['assigneeId', 'dueAt', 'snoozeUntil'];
/** Moments travel as Unix seconds. */
const MOMENTS: readonly ManagedField[] = ['dueAt', 'snoozeUntil'];

/**
 * What somebody changed in the modal *Manage*: only what differs from what it was opened with is written, so whatever
 * others changed meanwhile stays (B25, B31). What was emptied stays as it is, except by the boxes that say so: chat has
 * no way to empty a menu.
 */
export function changesOf(before: Filled, after: Filled): Changes {
  const changes: Changes = {};
  for (const field of Object.keys(ACTS) as ManagedField[]) {
    const value = after[field];
    if (typeof value !== 'string' || value === before[field] || value.trim() === '') continue;
    changes[field] = MOMENTS.includes(field) ? new Date(Number(value) * 1000).toISOString() : value;
  }
  // A description may be taken away altogether.
  if (after['description'] === null && before['description']) changes.description = '';
  const cleared = after['clear'];
  if (Array.isArray(cleared))
    for (const field of CLEARABLE) if (cleared.includes(field)) changes[field] = null;
  return changes;
}

/** The acts that changes amount to. */
export function actsOf(changes: Changes): Act[] {
  return [...new Set((Object.keys(changes) as ManagedField[]).map((field) => ACTS[field]))];
}
