import { askedOf, isQuestion, YES } from '../../../contract/index.ts';
import type { RequestFields } from '../../tickets/open-ticket.ts';
import type { Form } from '../../tickets/request-types.ts';
import { lastMomentOf } from '../../blocks/day.ts';
import type { Filled } from '../../slack/interaction.ts';

export type { Form };
export type FormField = Form['customFields'][number];

/** Block ids of what every form may ask beside a request type's own fields. */
export const OWN_QUESTIONS = {
  type: 'ask:type',
  title: 'ask:title',
  description: 'ask:description',
} as const;

/** Longest key that a block id is made of as it is (255 characters, https://docs.slack.dev/reference/block-kit/blocks). */
const KEY_CHARACTERS = 200;

/** The block that asks for a field: the same for as long as the form is open, so what was filled in stays. */
export function blockOf({ customField: { key }, id }: FormField): string {
  return `field:${key.length <= KEY_CHARACTERS ? key : id}`;
}

/** The fields that are asked while the form holds this. */
export function askedFields(form: Form | undefined, filled: Filled): FormField[] {
  return askedOf(form?.customFields ?? [], (field) => filled[blockOf(field)]);
}

/** The chat users that a form names: they have to become users of the service before it can be read. */
export function peopleIn(form: Form | undefined, filled: Filled): string[] {
  return askedFields(form, filled)
    .filter(({ customField: { type } }) => type === 'USER_SELECT' || type === 'USER_MULTI_SELECT')
    .flatMap((field) => filled[blockOf(field)] ?? [])
    .flat();
}

/** What somebody asked for by a form, in the words of `POST /tickets`. */
export interface Request {
  title: string;
  /** As it was typed. */
  description: string;
  customFields: Record<string, unknown>;
  /** Of the ticket's own fields those that a field of the request type stands for, title and description apart. */
  fields: RequestFields;
  /** What everybody in the thread may read of it, by label. */
  shown: readonly Shown[];
}

interface Shown {
  label: string;
  value: string;
  /** The instant that it is: each reader sees it in their own time zone. */
  at?: Date;
}

/** Whom a chat user is, and what else a form's answers are read by. */
export interface Reading {
  /** By chat user: the service's user, and what they are called. */
  people: ReadonlyMap<string, { userId: string; name: string }>;
  /** Of who filled it in; null is UTC. */
  timeZone: string | null;
}

/** What was filled in, as the service takes it (B37). Only what is asked counts: what hangs on another answer goes with it. */
export function readForm(form: Form | undefined, filled: Filled, reading: Reading): Request {
  const request: Request & { shown: Shown[] } = {
    title: textIn(filled, OWN_QUESTIONS.title),
    description: textIn(filled, OWN_QUESTIONS.description),
    customFields: {},
    fields: {},
    shown: [],
  };
  for (const field of askedFields(form, filled)) {
    const typed = filled[blockOf(field)];
    if (!isQuestion(field) || typed === null || typed === undefined || typed.length === 0) continue;
    const value = valueOf(field, typed, reading);
    if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) continue;
    request.customFields[field.customField.key] = value;
    if (field.ticketField === 'TITLE') request.title = wordsOf(field, typed, reading) ?? '';
    else if (field.ticketField === 'DESCRIPTION') request.description = wordsOf(field, typed, reading) ?? '';
    else {
      Object.assign(request.fields, ticketFieldOf(field, value, reading));
      const said = wordsOf(field, typed, reading);
      if (!field.private && said !== undefined)
        request.shown.push({ label: field.customField.label, value: said, ...instantOf(field, value) });
    }
  }
  return request;
}

function instantOf({ customField }: FormField, value: unknown): { at?: Date } {
  return customField.type === 'DATETIME' && typeof value === 'string' ? { at: new Date(value) } : {};
}

function textIn(filled: Filled, block: string): string {
  const typed = filled[block];
  return typeof typed === 'string' ? typed.trim() : '';
}

/** A value as custom fields of its type take it (docs/api.md, Configuration records); undefined where it says nothing. */
function valueOf(
  { customField }: FormField,
  typed: string | readonly string[],
  { people }: Reading,
): unknown {
  const one = typeof typed === 'string' ? typed : (typed[0] ?? '');
  const several = typeof typed === 'string' ? [typed] : typed;
  const optionOf = (chosen: string) =>
    customField.options.find(({ id, value }) => id === chosen || value === chosen)?.value;
  switch (customField.type) {
    case 'NUMBER':
      return Number.isFinite(Number(one)) ? Number(one) : undefined;
    case 'DATETIME':
      return new Date(Number(one) * 1000).toISOString();
    case 'BOOLEAN':
      return one === YES;
    case 'SELECT':
      return optionOf(one);
    case 'MULTI_SELECT':
      return several.map(optionOf).filter((value) => value !== undefined);
    case 'USER_SELECT':
      return people.get(one)?.userId;
    case 'USER_MULTI_SELECT':
      return several.flatMap((chosen) => people.get(chosen)?.userId ?? []);
    case 'TAG_SELECT':
    case 'FILE_PICKER':
      return several;
    default:
      return one.trim();
  }
}

function ticketFieldOf(
  { ticketField, customField }: FormField,
  value: unknown,
  { timeZone }: Reading,
): RequestFields {
  const words = [value].flat().filter((word) => typeof word === 'string');
  const [first] = words;
  if (first === undefined) return {};
  switch (ticketField) {
    case 'STATUS':
      return { statusId: first };
    case 'PRIORITY':
      return { priority: first };
    case 'REQUESTER':
      return { requesterId: first };
    case 'ASSIGNEE':
      return { assigneeId: first };
    case 'APPROVERS':
      return { approverIds: words };
    case 'FOLLOWERS':
      return { followers: words.map((id) => ({ id })) };
    case 'DUE_DATE':
      // A day is over at its end, where who asks is.
      return { dueAt: customField.type === 'DATE' ? lastMomentOf(first, timeZone).toISOString() : first };
    default:
      return {};
  }
}

/** What an answer is called; undefined for what is only an id, or an address of a file. */
function wordsOf(
  { customField: { type, options } }: FormField,
  typed: string | readonly string[],
  { people }: Reading,
): string | undefined {
  const several = typeof typed === 'string' ? [typed] : typed;
  switch (type) {
    case 'SELECT':
    case 'MULTI_SELECT':
      return several
        .map((chosen) => options.find(({ id, value }) => id === chosen || value === chosen)?.value ?? chosen)
        .join(', ');
    case 'USER_SELECT':
    case 'USER_MULTI_SELECT':
      return several.flatMap((chosen) => people.get(chosen)?.name ?? []).join(', ');
    case 'BOOLEAN':
      return several[0] === YES ? 'Yes' : 'No';
    case 'DATETIME':
      return `${new Date(Number(several[0]) * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    case 'TAG_SELECT':
    case 'STATUS_SELECT':
    case 'FILE_PICKER':
    case 'PRIORITY_SELECT':
      return undefined;
    default:
      return several.join(', ').trim();
  }
}
