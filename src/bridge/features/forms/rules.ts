import { askedOf, isBlank, isQuestion, WINDOW, YES } from '../../../contract/index.ts';
import { editedMarkdown, markdownToField } from '../../text/typed.ts';
import type { RequestFields } from '../../threads/open-ticket.ts';
import type { Form } from '../../tickets/catalogue.ts';
import { lastMomentOf, isOver } from '../../blocks/time.ts';
import type { Filled } from '../../slack/interaction.ts';

export type { Form };
export type FormField = Form['customFields'][number];

/** Block ids of every form's standard questions. */
export const OWN_QUESTIONS = {
  type: 'ask:type',
  title: 'ask:title',
  description: 'ask:description',
} as const;

/** Longest key used unchanged in a block id (255 characters, https://docs.slack.dev/reference/block-kit/blocks). */
const KEY_CHARACTERS = 200;

/** Returns the block id of a field: constant while the form is open, so its value stays. */
export function blockOf({ customField: { key }, id }: FormField): string {
  return `field:${key.length <= KEY_CHARACTERS ? key : id}`;
}

export function askedFields(form: Form | undefined, filled: Filled): FormField[] {
  return askedOf(form?.customFields ?? [], (field) => filled[blockOf(field)]);
}

/** Returns the chat users in a form: they must become users of the service before it can be read. */
export function peopleIn(form: Form | undefined, filled: Filled): string[] {
  return askedFields(form, filled)
    .filter(({ customField: { type } }) => type === 'USER_SELECT' || type === 'USER_MULTI_SELECT')
    .flatMap((field) => filled[blockOf(field)] ?? [])
    .flat();
}

/** A form's request, in the terms of `POST /tickets`. */
export interface Request {
  title: string;
  /** As the user typed it. */
  description: string;
  customFields: Record<string, unknown>;
  /** The ticket's own fields set by fields of the request type, except title and description. */
  fields: RequestFields;
  /** Permalinks: the answers to questions for files, which are copied to the ticket. */
  files: readonly string[];
  /** The values that everyone in the thread may read, by label. */
  shown: readonly Shown[];
}

interface Shown {
  label: string;
  value: string;
  /** Its instant: each reader sees it in their own time zone. */
  at?: Date;
}

/** The context in which a form's answers are read. */
export interface Reading {
  /** The service's user and their name, by chat user. */
  people: ReadonlyMap<string, { userId: string; name: string }>;
  /** Time zone of the user who filled it in; null is UTC. */
  timeZone: string | null;
}

/** Returns a form's values for the service (B37). Only visible fields count: dependent fields go with their parents. */
export function readForm(form: Form | undefined, filled: Filled, reading: Reading): Request {
  const request: Request & { shown: Shown[]; files: string[] } = {
    title: textIn(filled, OWN_QUESTIONS.title),
    description: textIn(filled, OWN_QUESTIONS.description),
    customFields: {},
    fields: {},
    files: [],
    shown: [],
  };
  for (const field of askedFields(form, filled)) {
    const typed = filled[blockOf(field)];
    if (!isQuestion(field) || typed === null || typed === undefined || typed.length === 0) continue;
    const { value, words, at } = answerOf(field, typed, reading);
    if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) continue;
    const { key, label } = field.customField;
    request.customFields[key] = value;
    if (field.customField.type === 'FILE_PICKER') request.files.push(...[typed].flat());
    if (field.ticketField === 'TITLE') request.title = words ?? '';
    else if (field.ticketField === 'DESCRIPTION') request.description = words ?? '';
    else {
      Object.assign(request.fields, ticketFieldOf(field, value, reading));
      if (!field.private && words !== undefined)
        request.shown.push({ label, value: words, ...(at && { at }) });
    }
  }
  return request;
}

/**
 * Returns a description as the field of a form shows it, and what has no room there: a field holds 3,000 characters,
 * and is cut between two words.
 */
export function fieldOf(markdown: string): { shown: string; rest: string } {
  const whole = markdownToField(markdown).trim();
  if (whole.length <= WINDOW.text) return { shown: whole, rest: '' };
  const head = whole.slice(0, WINDOW.text + 1);
  const at = Math.max(head.lastIndexOf('\n'), head.lastIndexOf(' '));
  const shown = (at > 0 ? head.slice(0, at) : head.slice(0, WINDOW.text)).trimEnd();
  return { shown, rest: whole.slice(shown.length) };
}

/**
 * Returns a description after its field was edited; the same if it was not, and with what had no room there.
 * @param typed without white space at its ends.
 */
export function editedField(markdown: string, typed: string): string {
  if (typed === '') return '';
  const { shown, rest } = fieldOf(markdown);
  return typed === shown ? markdown : editedMarkdown(markdown, `${typed}${rest}`);
}

function textIn(filled: Filled, block: string): string {
  const typed = filled[block];
  return typeof typed === 'string' ? typed.trim() : '';
}

/**
 * Returns a value in the format of its custom field (docs/api.md, Configuration records), undefined if it is empty; its
 * text, undefined if it is only an id or a file's URL; and its instant.
 */
function answerOf(
  { customField: { type, options } }: FormField,
  typed: string | readonly string[],
  { people }: Reading,
): { value: unknown; words: string | undefined; at?: Date } {
  const several = [typed].flat();
  const [one = ''] = several;
  const optionOf = (chosen: string) =>
    options.find(({ id, value }) => id === chosen || value === chosen)?.value;
  switch (type) {
    case 'DATETIME': {
      const at = new Date(Number(one) * 1000);
      const value = at.toISOString();
      return { value, words: `${value.slice(0, 16).replace('T', ' ')} UTC`, at };
    }
    case 'BOOLEAN':
      return { value: one === YES, words: one === YES ? 'Yes' : 'No' };
    case 'SELECT':
    case 'MULTI_SELECT': {
      const values = several.flatMap((chosen) => optionOf(chosen) ?? []);
      const words = several.map((chosen) => optionOf(chosen) ?? chosen).join(', ');
      return { value: type === 'SELECT' ? values[0] : values, words };
    }
    case 'USER_SELECT':
    case 'USER_MULTI_SELECT': {
      const users = several.flatMap((chosen) => people.get(chosen) ?? []);
      const ids = users.map(({ userId }) => userId);
      return {
        value: type === 'USER_SELECT' ? ids[0] : ids,
        words: users.map(({ name }) => name).join(', '),
      };
    }
    case 'TAG_SELECT':
    case 'FILE_PICKER':
      return { value: several, words: undefined };
    case 'STATUS_SELECT':
    case 'PRIORITY_SELECT':
      return { value: one.trim(), words: undefined };
    case 'NUMBER':
      return {
        value: Number.isFinite(Number(one)) ? Number(one) : undefined,
        words: several.join(', ').trim(),
      };
    default:
      return { value: one.trim(), words: several.join(', ').trim() };
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
      // A day ends at midnight in the user's time zone.
      return { dueAt: customField.type === 'DATE' ? lastMomentOf(first, timeZone).toISOString() : first };
    default:
      return {};
  }
}

/** The parts of a submitted form that can be validated without the service. */
interface SubmittedForm {
  filled: Filled;
  /** The request type whose questions were shown. */
  shown: string | null;
  required: readonly string[];
  /** Fields whose value must be in the future. */
  due: readonly string[];
}

/**
 * Returns the errors of a form, by block id (B37): shown at the field while the form is open. Slack itself checks
 * required fields, lengths, numbers and addresses; what only the service knows is reported later, with the form stored.
 */
export function formErrors(
  { filled, shown, required, due }: SubmittedForm,
  now: Date,
): Record<string, string> {
  const chosen = filled[OWN_QUESTIONS.type];
  if (typeof chosen === 'string' && chosen !== shown)
    return { [OWN_QUESTIONS.type]: 'Its questions are loading. Check them, then open the ticket.' };
  const errors: Record<string, string> = {};
  for (const block of required) {
    const typed = filled[block];
    if (typeof typed === 'string' && isBlank(typed)) errors[block] = 'Write a few words here.';
  }
  for (const block of due) {
    const typed = filled[block];
    if (typeof typed === 'string' && isPast(typed, now)) errors[block] = 'Choose a time in the future.';
  }
  return errors;
}

function isPast(typed: string, now: Date): boolean {
  if (/^\d{4}-\d{2}-\d{2}$/.test(typed)) return isOver(typed, now);
  return /^\d{10}$/.test(typed) && Number(typed) * 1000 < now.getTime();
}
