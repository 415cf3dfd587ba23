import { isDeepStrictEqual } from 'node:util';

import { type ParsedBody, PRIORITY_WORD, type TicketDetail } from '../../contract/index.ts';
import type { Caller, ServiceTx } from '../handler.ts';
import { conflict, type ServiceProblem } from '../problem.ts';
import { lastChangeOf } from './activity.ts';
import type { TicketKey } from './find.ts';
import { readsTeamMatters } from './shown.ts';

type Body = Pick<ParsedBody<'updateTicket'>, 'data' | 'expected'>;
type Expectations = NonNullable<Body['expected']>;
/** The fields with a value of their own; custom fields are compared one by one, followers as a set. */
type Field = Exclude<keyof Expectations, 'customFields' | 'followers'>;

type Compared = Field | 'approval' | 'mergedIntoId';

const NAMES: Record<Compared, string> = {
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
  data: Body['data'],
  { customFields = {}, followers, ...fields }: Expectations,
): Promise<void> {
  for (const [field, value] of Object.entries(fields) as [Field, Expected][]) {
    if (value === undefined) continue;
    const now = comparableValue(field, before[field]);
    if (now === comparableValue(field, value)) continue;
    if (data[field] !== undefined && now === comparableValue(field, data[field])) continue;
    throw await changedMeanwhile(tx, caller, key, field, now);
  }
  for (const [name, value] of Object.entries(customFields ?? {})) {
    const now = before.customFields[name] ?? null;
    if (isDeepStrictEqual(now, value) || isDeepStrictEqual(now, data.customFields?.[name])) continue;
    throw await fieldChangedMeanwhile(tx, caller, key, name);
  }
  if (followers !== undefined) requireFollowers(before, data, followers);
}

/** Who changed the followers is not recorded. */
function requireFollowers(
  before: TicketDetail,
  data: Body['data'],
  expected: Expectations['followers'],
): void {
  const now = idSet(before.followers);
  if (isDeepStrictEqual(now, idSet(expected))) return;
  if (data.followers !== undefined && isDeepStrictEqual(now, idSet(data.followers))) return;
  throw conflict('Another user changed the followers. Check the ticket and try again.', {
    field: 'followers',
    value: null,
    by: null,
  });
}

const idSet = (refs: Expectations['followers']) => new Set(refs?.map(({ id }) => id));

type Expected = string | boolean | null | undefined;

function comparableValue(field: Field, value: Expected): string | null {
  if (value === null || value === undefined) return null;
  const isInstant = field === 'dueAt' || field === 'snoozeUntil';
  return isInstant ? new Date(String(value)).toISOString() : String(value);
}

/** Returns the 409 for a field that has another value by now. */
export async function changedMeanwhile(
  tx: ServiceTx,
  caller: Caller,
  key: TicketKey,
  field: Compared,
  now: string | null,
): Promise<ServiceProblem> {
  // Not even that there was a snooze, and whose, to who does not read it.
  const isHidden = field === 'snoozeUntil' && !readsTeamMatters(caller);
  const { by, value } = isHidden
    ? { by: null, value: now }
    : await lastChangeOf(tx, caller, key, { field, value: now });
  return conflict(
    `${by?.name ?? 'Another user'} changed the ${NAMES[field]}${toWhat(field, value)}. Check the ticket and try again.`,
    { field, value, by },
  );
}

/** Returns the end of the sentence that says what a field was changed to; empty where the stored value says nothing. */
function toWhat(field: Compared, value: string | { name: string } | null): string {
  if (value === null) return ' to nothing';
  if (typeof value !== 'string') return ` to ${value.name}`;
  if (field === 'title') return ` to “${value}”`;
  if (field === 'priority') return ` to ${PRIORITY_WORD[value] ?? value}`;
  if (field === 'private') return ` to ${value === 'true' ? 'private' : 'public'}`;
  return '';
}

/**
 * Returns the 409 for a custom field that has another value by now; the message leaves it out, as it may be private.
 */
async function fieldChangedMeanwhile(
  tx: ServiceTx,
  caller: Caller,
  key: TicketKey,
  name: string,
): Promise<ServiceProblem> {
  const { by, value } = await lastChangeOf(tx, caller, key, { field: 'customFields', value: name });
  const label = value === null || typeof value === 'string' ? name : value.name;
  return conflict(`${by?.name ?? 'Another user'} changed “${label}”. Check the ticket and try again.`, {
    field: `customFields.${name}`,
    value: null,
    by,
  });
}
