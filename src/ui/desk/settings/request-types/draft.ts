import type { BodyOf, ItemOf } from '../../api/types.ts';

export type RequestType = ItemOf<'listRequestTypes'>;
export type CustomField = ItemOf<'listCustomFields'>;
type SaveBody = NonNullable<BodyOf<'saveRequestType'>>;
type FieldBody = NonNullable<BodyOf<'updateCustomField'>>;
type QuestionType = CustomField['type'];

/** The types of questions, in the order in which they are offered; those that only show something come last. */
export const ASKS = [
  'TEXT',
  'TEXT_AREA',
  'NUMBER',
  'DATE',
  'TIME',
  'DATETIME',
  'BOOLEAN',
  'SELECT',
  'MULTI_SELECT',
  'USER_SELECT',
  'USER_MULTI_SELECT',
  'TAG_SELECT',
  'PRIORITY_SELECT',
  'STATUS_SELECT',
  'FILE_PICKER',
] as const satisfies readonly QuestionType[];
export const SHOWS = ['HEADING', 'DIVIDER', 'TEXT_BLOCK'] as const satisfies readonly QuestionType[];

export const asksNothing = (type: QuestionType): boolean => (SHOWS as readonly string[]).includes(type);
export const hasChoices = (type: QuestionType): boolean => type === 'SELECT' || type === 'MULTI_SELECT';

/** A choice of a question; one that was saved has an id. */
export interface Choice {
  id?: string;
  value: string;
  description?: string | null;
  color?: string | null;
  icon?: string | null;
}

/** A question of a draft: its custom field, which other request types may share, and its place on this form. */
export interface Question {
  id: string;
  customFieldId: string | null;
  key: string | null;
  type: QuestionType;
  label: string;
  hint: string;
  /** Required wherever the field is asked. */
  everywhere: boolean;
  config: Record<string, unknown>;
  options: Choice[];
  /** The number of other request types that use the field. */
  elsewhere: number;
  /** The field as it was saved (`fieldBody`), as JSON; null before. */
  saved: string | null;
  required: boolean;
  isPrivate: boolean;
  ticketField: RequestType['customFields'][number]['ticketField'];
  /** The question that this one depends on. */
  parentId: string | null;
  dependsOnValue: string | null;
}

/** The fields of a request type that are edited; a collection has fewer. */
const EMPTY = {
  name: '',
  emoji: null as string | null,
  description: null as string | null,
  parentId: null as string | null,
  defaultQueueId: null as string | null,
  defaultPriority: null as RequestType['defaultPriority'],
  defaultStatusId: null as string | null,
  titleTemplate: null as string | null,
  aiExamples: null as string | null,
  isDefault: false,
  isPrivate: false,
  published: true,
  formEnabled: true,
};
const OWN = Object.keys(EMPTY) as (keyof typeof EMPTY)[];

/** An edited request type: `id` is null for a new one, `version` tells changes by others. */
export type Draft = typeof EMPTY & {
  id: string | null;
  workspaceId: string | null;
  type: RequestType['type'];
  version: string | null;
  tags: string[];
  questions: Question[];
};

export function draftOf(record: RequestType): Draft {
  const { id, workspaceId, type } = record;
  return {
    ...EMPTY,
    ...(Object.fromEntries(OWN.map((key) => [key, record[key] ?? EMPTY[key]])) as typeof EMPTY),
    id,
    workspaceId,
    type,
    version: versionOf(record),
    tags: record.tags.map((tag) => tag.id),
    questions: record.customFields
      .toSorted((one, other) => one.order - other.order)
      .map((field) => questionOf(field, record)),
  };
}

export function newDraft(type: RequestType['type'], workspaceId: string | null): Draft {
  const isForm = type !== 'collection';
  return {
    ...EMPTY,
    id: null,
    type,
    workspaceId,
    version: null,
    formEnabled: isForm,
    tags: [],
    questions: [],
  };
}

export const versionOf = ({ updatedAt, customFields }: RequestType): string =>
  [updatedAt, ...customFields.map(({ customField }) => customField.updatedAt)].join(' ');

/** It has the id of its custom field: its place on the form gets another id each time it is saved. */
function questionOf(field: RequestType['customFields'][number], { customFields }: RequestType): Question {
  const { customField, required, ticketField, dependsOnValue } = field;
  const parentId = customFields.find(({ id }) => id === field.parentId)?.customFieldId ?? field.parentId;
  return {
    ...questionOfField(customField, customField.id),
    required: required || customField.required,
    isPrivate: field.private,
    ticketField,
    parentId,
    dependsOnValue,
    elsewhere: Math.max(0, (customField._count?.requestTypeCustomField ?? 1) - 1),
  };
}

const PLACE = { isPrivate: false, ticketField: null, parentId: null, dependsOnValue: null };

/** A question from an existing field of the workspace. */
export function questionOfField(field: CustomField, id: string): Question {
  const { key, type, label, required } = field;
  const question = {
    ...PLACE,
    id,
    customFieldId: field.id,
    key,
    type,
    label,
    required,
    hint: field.description ?? '',
    everywhere: required,
    config: (field.config ?? {}) as Record<string, unknown>,
    options: field.options.toSorted((one, other) => one.order - other.order),
    elsewhere: field._count?.requestTypeCustomField ?? 0,
    saved: null,
  };
  return { ...question, saved: JSON.stringify(fieldBody(question)) };
}

export function newQuestion(type: QuestionType, id: string): Question {
  return {
    ...PLACE,
    id,
    type,
    customFieldId: null,
    key: null,
    label: '',
    hint: '',
    saved: null,
    required: false,
    everywhere: false,
    config: {},
    options: [],
    elsewhere: 0,
  };
}

/** An id for a question that is not saved yet: the first that the draft has not. */
export function freeId(questions: readonly Question[]): string {
  for (let number = 1; ; number++) {
    const id = `new-${number}`;
    if (!questions.some((question) => question.id === id)) return id;
  }
}

/** The custom field of a question, as it is saved. */
export function fieldBody({ type, label, hint, everywhere, config, options }: Question): FieldBody {
  return {
    label: label.trim(),
    description: hint.trim() || null,
    required: everywhere,
    config: Object.keys(config).length > 0 ? config : null,
    ...(hasChoices(type) && {
      options: options.map(({ value, description, color, icon }, order) => ({
        value,
        order,
        description: description ?? null,
        color: color ?? null,
        icon: icon ?? null,
      })),
    }),
  };
}

/** The request type of a draft, as it is saved after its questions. */
export function requestTypeBody(draft: Draft): SaveBody {
  const fieldOf = (id: string) => draft.questions.find((question) => question.id === id)?.customFieldId ?? id;
  return {
    ...(Object.fromEntries(OWN.map((key) => [key, draft[key]])) as typeof EMPTY),
    name: draft.name.trim(),
    type: draft.type,
    tags: draft.tags.map((id) => ({ id })),
    customFields: draft.questions.map(
      ({ customFieldId, required, isPrivate, ticketField, parentId, dependsOnValue }, order) => ({
        customFieldId: customFieldId ?? '',
        order,
        required,
        private: isPrivate,
        ticketField,
        parentId: parentId && fieldOf(parentId),
        dependsOnValue: parentId && dependsOnValue,
      }),
    ),
  };
}

/** Whether a question is this one or depends on it: two that depend on each other would never be asked. */
export function dependsOn(questions: readonly Question[], question: Question, id: string): boolean {
  const seen = new Set<Question>();
  for (let at: Question | undefined = question; at && !seen.has(at);) {
    if (at.id === id) return true;
    seen.add(at);
    const { parentId }: Question = at;
    at = questions.find((each) => each.id === parentId);
  }
  return false;
}

/** The draft in the form of a saved request type, for the preview of its form. */
export function shapeOf(draft: Draft, names: { parent: string | undefined; unnamed: string }) {
  const { emoji, description, isPrivate, titleTemplate, questions } = draft;
  return {
    id: draft.id ?? 'new',
    name: draft.name.trim() || names.unnamed,
    emoji,
    description,
    isPrivate,
    titleTemplate,
    parent: names.parent === undefined ? null : { name: names.parent },
    customFields: questions.map((question, order) => ({
      id: question.id,
      order,
      required: question.required,
      ticketField: question.ticketField,
      parentId: question.parentId,
      dependsOnValue: question.dependsOnValue,
      customField: {
        label: question.label.trim() || names.unnamed,
        description: question.hint.trim() || null,
        required: question.everywhere,
        type: question.type,
        config: question.config,
        options: question.options.map(({ id, value, description: words }, position) => ({
          id: id ?? value,
          value,
          order: position,
          description: words ?? null,
        })),
      },
    })),
  };
}
