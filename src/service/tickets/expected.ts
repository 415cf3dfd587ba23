import type { ParsedBody, TicketDetail } from '../../contract/index.ts';
import type { Caller, ServiceTx } from '../handler.ts';
import { conflict, type ServiceProblem } from '../problem.ts';
import { lastChangeOf } from './activity.ts';
import type { TicketKey } from './find.ts';

type Body = Pick<ParsedBody<'updateTicket'>, 'data' | 'expected'>;
type Field = keyof NonNullable<Body['expected']>;

const NAMES: Record<Field | 'approval' | 'mergedIntoId', string> = {
  title: 'title',
  description: 'description',
  priority: 'priority',
  queueId: 'queue',
  requesterId: 'requester',
  assigneeId: 'assignee',
  statusId: 'status',
  requestTypeId: 'request type',
  private: 'visibility',
  dueAt: 'due date',
  snoozeUntil: 'snooze',
  approval: 'approval',
  mergedIntoId: 'merge',
};

/**
 * Throws 409 if a field of the locked ticket has another value than the caller expects, unless it is the value that the
 * caller writes; the error says who changed it, and to what.
 */
export async function requireExpected(
  tx: ServiceTx,
  caller: Caller,
  key: TicketKey,
  before: TicketDetail,
  { data, expected }: Body,
): Promise<void> {
  for (const [field, value] of Object.entries(expected ?? {}) as [Field, Expected][]) {
    if (value === undefined) continue;
    const now = textOf(field, before[field]);
    if (now === textOf(field, value)) continue;
    if (data[field] !== undefined && now === textOf(field, data[field])) continue;
    throw await changedMeanwhile(tx, caller, key, field, now);
  }
}

type Expected = string | boolean | null | undefined;

function textOf(field: Field, value: Expected): string | null {
  if (value === null || value === undefined) return null;
  const isInstant = field === 'dueAt' || field === 'snoozeUntil';
  return isInstant ? new Date(String(value)).toISOString() : String(value);
}

/** Returns the 409 for a field that has another value by now. */
export async function changedMeanwhile(
  tx: ServiceTx,
  caller: Caller,
  key: TicketKey,
  field: keyof typeof NAMES,
  now: string | null,
): Promise<ServiceProblem> {
  const { by, value } = await lastChangeOf(tx, caller, key, { field, value: now });
  const name = value === null ? 'nothing' : typeof value === 'string' ? `“${value}”` : value.name;
  return conflict(
    `${by?.name ?? 'Another user'} changed the ${NAMES[field]} to ${name}. Check the ticket, then repeat.`,
    { field, value, by },
  );
}
