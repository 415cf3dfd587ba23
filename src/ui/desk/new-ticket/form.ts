import { useRef, useState } from 'react';

import { asksTitle, askedOf, isQuestion } from '../../../contract/form/asked.ts';
import type { BodyOf, ItemOf } from '../api/types.ts';
import { type FileRecord, linkOf } from '../files/record.ts';
import { useGone } from '../files/uploads.ts';
import { conditionValue, type CustomField } from '../ticket/field-control.tsx';

export type Form = ItemOf<'listForms'>;
export type FormField = Form['customFields'][number];

/** The input for a new ticket; empty texts are missing ones. */
export interface NewTicketDraft {
  typeId: string;
  title: string;
  description: string;
  requesterId: string;
  /** Empty: as the request type says. */
  queueId: string;
  priority: string;
  assigneeId: string;
  tagIds: readonly string[];
  /** Null: as the request type says. */
  isPrivate: boolean | null;
  /** The requester is told in Slack. */
  isTold: boolean;
  /** Answers by the key of their field; texts as they were typed, files as their records. */
  given: Record<string, unknown>;
  /** Uploaded, and attached when the ticket is created. */
  files: readonly FileRecord[];
}

const EMPTY: NewTicketDraft = {
  typeId: '',
  title: '',
  description: '',
  requesterId: '',
  queueId: '',
  priority: '',
  assigneeId: '',
  tagIds: [],
  isPrivate: null,
  isTold: true,
  given: {},
  files: [],
};

/** The answer to a question for files; undefined if it is none, or typed. */
export const filesIn = (value: unknown): readonly FileRecord[] | undefined =>
  Array.isArray(value) && value.every((each) => typeof each === 'object' && each !== null && 'url' in each)
    ? (value as FileRecord[])
    : undefined;

/** A question that stands for one of these is asked by the form itself. */
const ASKED_ABOVE: readonly (string | null)[] = ['TITLE', 'DESCRIPTION', 'PRIORITY', 'REQUESTER'];
/** Types whose answer is typed into a field in place. */
const TYPED: ReadonlySet<string> = new Set(['TEXT', 'TEXT_AREA', 'NUMBER', 'TIME', 'FILE_PICKER']);

export const isTyped = ({ type }: { type: string }) => TYPED.has(type);

/** The fields of a request type that the answers so far make visible, and that the form does not ask itself. */
export const fieldsOf = (form: Form | undefined, given: Record<string, unknown>): FormField[] =>
  form
    ? askedOf(form.customFields, ({ customField }) =>
        conditionValue(customField, given[customField.key] ?? null),
      ).filter(({ ticketField }) => !ASKED_ABOVE.includes(ticketField))
    : [];

/** Returns whether a title is required: not if the request type makes one from the answers. */
export const needsTitle = (form: Form | undefined): boolean => asksTitle(form) || !form?.titleTemplate;

const isAnswered = (value: unknown) =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);

type Body = NonNullable<BodyOf<'createTicket'>>;

/** The fields of the ticket that an answer stands for. */
function ownField(ticketField: string | null, value: unknown): Partial<Body> {
  const ids = [value].flat().map(String);
  switch (ticketField) {
    case 'STATUS':
      return { statusId: String(value) };
    case 'ASSIGNEE':
      return { assigneeId: String(value) };
    case 'APPROVERS':
      return { approverIds: ids };
    case 'FOLLOWERS':
      return { followers: ids.map((id) => ({ id })) };
    case 'DUE_DATE': {
      const at = String(value);
      // A due day ends at midnight in the time zone of the person who asks.
      return { dueAt: new Date(at.length === 10 ? `${at}T23:59:59` : at).toISOString() };
    }
    default:
      return {};
  }
}

/**
 * The answers as the service expects them, with the ticket's fields that they stand for; or what is wrong with them, by
 * the key of the field.
 */
export function readAnswers(
  fields: readonly FormField[],
  given: Record<string, unknown>,
  readTyped: (field: CustomField, text: string) => { value: unknown } | { error: string },
  required: string,
): { body: Partial<Body>; fileIds: string[]; errors: Record<string, string> } {
  const errors: Record<string, string> = {};
  const customFields: Record<string, unknown> = {};
  const fileIds: string[] = [];
  let own: Partial<Body> = {};
  for (const field of fields.filter(isQuestion)) {
    const { customField, ticketField } = field;
    const { key } = customField;
    const typed = given[key];
    const files = customField.type === 'FILE_PICKER' ? filesIn(typed) : undefined;
    const found =
      isTyped(customField) && typeof typed === 'string'
        ? readTyped(customField, typed)
        : { value: files ? files.map(linkOf) : typed };
    fileIds.push(...(files ?? []).map(({ id }) => id));
    if ('error' in found) errors[key] = found.error;
    else if (isAnswered(found.value)) {
      customFields[key] = found.value;
      own = { ...own, ...ownField(ticketField, found.value) };
    } else if (field.required || customField.required) errors[key] = required;
  }
  const body = { ...own, ...(Object.keys(customFields).length > 0 && { customFields }) };
  return { body, fileIds, errors };
}

const place = (me: string | null | undefined) => `draft ${me ?? 'key'} new ticket`;

function readHere(me: string | null | undefined): NewTicketDraft {
  try {
    const stored = JSON.parse(localStorage.getItem(place(me)) ?? '{}') as Partial<NewTicketDraft>;
    return { ...EMPTY, ...stored };
  } catch {
    return EMPTY;
  }
}

/** The form's content, kept in this browser until the ticket is created. */
export function useNewTicketDraft(me: string | null | undefined) {
  const [stored, setStored] = useState(() => readHere(me));
  /** The newest state, also if it is not rendered yet: files arrive at any time. */
  const latest = useRef(stored);
  const gone = useGone([
    ...stored.files,
    ...Object.values(stored.given).flatMap((value) => filesIn(value) ?? []),
  ]);
  const draft = gone.length > 0 ? without(stored, gone) : stored;
  const store = (next: NewTicketDraft | undefined) => {
    latest.current = next ?? EMPTY;
    setStored(latest.current);
    try {
      if (next) localStorage.setItem(place(me), JSON.stringify(next));
      else localStorage.removeItem(place(me));
    } catch {
      // A browser without storage: what was typed is lost with the page.
    }
  };
  return {
    draft,
    isEmpty: JSON.stringify(draft) === JSON.stringify(EMPTY),
    change: (part: Partial<NewTicketDraft> | ((now: NewTicketDraft) => Partial<NewTicketDraft>)) => {
      const { current } = latest;
      store({ ...current, ...(typeof part === 'function' ? part(current) : part) });
    },
    drop: () => store(undefined),
  };
}

/** A draft without files that are gone. */
function without(draft: NewTicketDraft, gone: readonly string[]): NewTicketDraft {
  const there = (files: readonly FileRecord[]) => files.filter(({ id }) => !gone.includes(id));
  const given = Object.entries(draft.given).map(([key, value]) => {
    const files = filesIn(value);
    return [key, files ? there(files) : value];
  });
  return { ...draft, files: there(draft.files), given: Object.fromEntries(given) as typeof draft.given };
}
