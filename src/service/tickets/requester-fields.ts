import type { ParsedBody, RequestType, TicketField } from '../../contract/index.ts';
import type { Caller } from '../handler.ts';
import { unprocessable } from '../problem.ts';

type Body = ParsedBody<'createTicket'>;
type Name = keyof Body;

/**
 * The fields of a new ticket that a requester may set only where the form of the request type asks for them
 * (docs/rules.md, Roles). Without such a question they have the value in the third column, which may be sent too.
 */
const BY_FORM: readonly [Name, TicketField, (type: RequestType | undefined) => unknown][] = [
  ['approverIds', 'APPROVERS', () => undefined],
  ['approvers', 'APPROVERS', () => undefined],
  ['followers', 'FOLLOWERS', () => undefined],
  ['assigneeId', 'ASSIGNEE', () => undefined],
  ['statusId', 'STATUS', (type) => type?.defaultStatusId],
  ['dueAt', 'DUE_DATE', () => undefined],
];
const PRIORITY = [
  'priority',
  'PRIORITY',
  (type: RequestType | undefined) => type?.defaultPriority ?? 'MEDIUM',
] as const;

/** Fields that only the team may set, even if a form asks for them, with their values otherwise. */
const BY_TEAM: readonly [Name, unknown][] = [
  ['published', true],
  ['tags', undefined],
  ['parentId', undefined],
  ['snoozeUntil', undefined],
  ['startAt', undefined],
  ['disableAIResponse', false],
  ['assignedAIAgent', undefined],
  ['tellRequester', false],
];

/** Throws 422 if a signed-in person, who is not in the queue's team, sets more than a requester may. */
export function requireRequesterFields(
  { session }: Pick<Caller, 'session'>,
  type: RequestType | undefined,
  body: Body,
): void {
  const isOffered = type !== undefined && type.formEnabled && type.published;
  const asked = new Set(
    isOffered
      ? type.customFields.filter((field) => !field.private).map(({ ticketField }) => ticketField)
      : [],
  );
  const byForm = session?.role === 'requester' ? [...BY_FORM, PRIORITY] : BY_FORM;
  for (const [name, field, usual] of byForm)
    if (isSet(body[name]) && !asked.has(field) && body[name] !== usual(type))
      throw unprocessable(name, 'The form does not ask for this. Leave it out; the team sets it');
  for (const [name, usual] of BY_TEAM)
    if (isSet(body[name]) && body[name] !== usual)
      throw unprocessable(name, 'Only the team of the queue sets this. Leave it out');
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}
