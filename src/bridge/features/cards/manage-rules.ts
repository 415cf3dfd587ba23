import type { Filled } from '../../slack/interaction.ts';
import type { Act } from '../../tickets/may-rules.ts';

/** The fields of a ticket in the modal *Manage*, each with its action. */
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

type ManagedField = keyof typeof ACTS;

/** Changed values; null clears the field. A chat user stands for the assignee. */
export type Changes = Partial<Record<ManagedField, string | null>>;

const CLEARABLE: readonly ManagedField[] = ['assigneeId', 'dueAt', 'snoozeUntil'];
/** Dates are Unix seconds. */
const MOMENTS: readonly ManagedField[] = ['dueAt', 'snoozeUntil'];

/**
 * Returns what a user changed in the modal *Manage*: only differences to its initial values are written, so other
 * users' changes stay (B25, B31). Empty fields stay unchanged, except by the checkboxes for that: Slack cannot clear a
 * menu.
 */
export function changesOf(before: Filled, after: Filled): Changes {
  const changes: Changes = {};
  for (const field of Object.keys(ACTS) as ManagedField[]) {
    const value = after[field];
    if (typeof value !== 'string' || value === before[field] || value.trim() === '') continue;
    changes[field] = MOMENTS.includes(field) ? new Date(Number(value) * 1000).toISOString() : value;
  }
  // A description may be removed.
  if (after['description'] === null && before['description']) changes.description = '';
  const cleared = after['clear'];
  if (Array.isArray(cleared))
    for (const field of CLEARABLE) if (cleared.includes(field)) changes[field] = null;
  return changes;
}

/** Returns the actions that changes amount to. */
export function actsOf(changes: Changes): Act[] {
  return [...new Set((Object.keys(changes) as ManagedField[]).map((field) => ACTS[field]))];
}
