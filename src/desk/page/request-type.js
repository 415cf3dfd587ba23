import { drafts } from './drafts.js';
import { keep, kept } from './settings.js';
import { isOfWorkspace, workspace } from './workspaces.js';

/** The section's key in the state. */
export const PLACE = 'request-types';

/** The loaded records: `items`, the published `forms`, and the workspace's custom `fields`. */
export const known = () => kept(PLACE);
/** The edited `draft`, and the preview of its form. */
export const edited = () => kept(PLACE).edited;
export const keepEdited = (part) => keep(PLACE, { edited: { ...edited(), ...part } });

/** The types of questions, with their labels; types that only show something come last. */
export const KINDS = {
  TEXT: 'a line of text',
  TEXT_AREA: 'several lines',
  NUMBER: 'a number',
  DATE: 'a day',
  TIME: 'a time',
  DATETIME: 'a day and a time',
  BOOLEAN: 'yes or no',
  SELECT: 'one of several choices',
  MULTI_SELECT: 'several choices',
  USER_SELECT: 'a person',
  USER_MULTI_SELECT: 'several people',
  TAG_SELECT: 'tags',
  PRIORITY_SELECT: 'a priority',
  STATUS_SELECT: 'a status',
  FILE_PICKER: 'files',
};
export const SHOWN = { HEADING: 'a heading', DIVIDER: 'a line between', TEXT_BLOCK: 'a text to read' };

export const asksNothing = ({ type }) => Object.hasOwn(SHOWN, type);
export const hasChoices = ({ type }) => type === 'SELECT' || type === 'MULTI_SELECT';

/** An empty request type; a collection has no questions. */
const EMPTY = {
  name: '',
  emoji: null,
  description: null,
  parentId: null,
  defaultQueueId: null,
  defaultPriority: null,
  defaultStatusId: null,
  titleTemplate: null,
  aiExamples: null,
  isDefault: false,
  isPrivate: false,
  published: true,
  formEnabled: true,
};
const OWN = Object.keys(EMPTY);

/** A request type as a draft: `id` is null for a new one, `version` detects changes by other users. */
export function draftOf(record) {
  return {
    id: record.id,
    workspaceId: record.workspaceId,
    type: record.type,
    version: versionOf(record),
    ...Object.fromEntries(OWN.map((key) => [key, record[key] ?? EMPTY[key]])),
    tags: record.tags.map(({ id }) => id),
    questions: record.customFields.toSorted((a, b) => a.order - b.order).map(questionOf),
  };
}

function newDraft(type) {
  const workspaceId = workspace()?.id ?? null;
  return {
    id: null,
    type,
    workspaceId,
    version: null,
    ...EMPTY,
    formEnabled: type === 'request-type',
    tags: [],
    questions: [],
  };
}

export function versionOf({ updatedAt, customFields }) {
  return [updatedAt, ...customFields.map(({ customField }) => customField.updatedAt)].join(' ');
}

function questionOf(field) {
  const { required, ticketField, parentId, dependsOnValue } = field;
  return {
    ...questionOfField(field.customField),
    id: field.id,
    required: required || field.customField.required,
    isPrivate: field.private,
    ticketField,
    parentId,
    dependsOnValue,
    elsewhere: Math.max(0, (field.customField._count?.requestTypeCustomField ?? 1) - 1),
  };
}

let made = 0;
/** Ids of questions that are not saved yet. */
const newId = () => `new-${Date.now()}-${++made}`;
const place = () => ({
  id: newId(),
  required: false,
  isPrivate: false,
  ticketField: null,
  parentId: null,
  dependsOnValue: null,
});

/** A question from an existing field of the workspace. */
export function questionOfField(field) {
  const question = {
    ...place(),
    required: field.required,
    customFieldId: field.id,
    key: field.key,
    type: field.type,
    label: field.label,
    hint: field.description ?? '',
    everywhere: field.required,
    config: field.config ?? {},
    options: field.options.toSorted((a, b) => a.order - b.order),
    elsewhere: field._count?.requestTypeCustomField ?? 0,
  };
  return { ...question, saved: JSON.stringify(fieldBody(question)) };
}

export function newQuestion(type) {
  const words = { customFieldId: null, key: null, type, label: '', hint: '' };
  return { ...place(), ...words, everywhere: false, config: {}, options: [], elsewhere: 0, saved: null };
}

/** The custom field of a question, as it is saved. */
export function fieldBody({ type, label, hint, everywhere, config, options }) {
  return {
    label: label.trim(),
    description: hint.trim() || null,
    required: everywhere,
    config: Object.keys(config).length > 0 ? config : null,
    ...(hasChoices({ type }) && {
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
export function requestTypeBody(draft) {
  const fieldOf = (id) => draft.questions.find((question) => question.id === id)?.customFieldId ?? id;
  return {
    ...Object.fromEntries(OWN.map((key) => [key, draft[key]])),
    name: draft.name.trim(),
    type: draft.type,
    tags: draft.tags.map((id) => ({ id })),
    customFields: draft.questions.map(
      ({ id: _, customFieldId, required, isPrivate, ticketField, parentId, dependsOnValue }, order) => ({
        customFieldId,
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

/** The draft in the form of a saved request type, for the service's preview. */
export function shapeOf(draft) {
  const { name, emoji, description, isPrivate, titleTemplate, parentId, questions } = draft;
  const parent = known().items.find(({ id }) => id === parentId);
  return {
    id: draft.id ?? 'new',
    name: name.trim() || 'Without a name',
    emoji,
    parent: parent ? { name: parent.name } : null,
    description,
    isPrivate,
    titleTemplate,
    customFields: questions.map(
      ({ id, required, ticketField, parentId: above, dependsOnValue, ...field }, order) => ({
        id,
        order,
        required,
        ticketField,
        parentId: above,
        dependsOnValue,
        customField: {
          label: field.label.trim() || 'Without words',
          description: field.hint.trim() || null,
          required: field.everywhere,
          type: field.type,
          config: field.config,
          options: field.options.map(({ id: known, value, description: words }, position) => ({
            id: known ?? value,
            value,
            order: position,
            description: words ?? null,
          })),
        },
      }),
    ),
  };
}

const keptAs = ({ id, type }) => `request-type ${id ?? `new ${type}`}`;

/** Opens a request type for editing, with the draft that this tab has stored. */
function open(item, draft) {
  const left = drafts.get(keptAs(draft));
  const untouched = JSON.stringify(draft);
  // The preview of the saved one stays until it is redrawn.
  const { preview, opened = null } = (draft.id && edited()?.item === item && edited()) || {};
  keep(PLACE, {
    edited: { item, draft: left ? JSON.parse(left) : draft, untouched, answers: {}, opened, preview },
  });
}

/** Opens what an address names: a record, `new` or `new-collection`; nothing if there is none. */
export function openRequestType(item) {
  const record = known().items.find(({ id }) => id === item);
  if (item === 'new') open(item, newDraft('request-type'));
  else if (item === 'new-collection') open(item, newDraft('collection'));
  else if (record) open(item, draftOf(record));
  else keep(PLACE, { edited: undefined });
}

/** Continues with the saved record; changes typed after it was `sent` stay in the draft. */
export function settle(record, sent) {
  const { draft } = edited();
  forget(draft);
  if (JSON.stringify(draft) === JSON.stringify(sent)) return openRequestType(record.id);
  keepEdited({ item: record.id, untouched: JSON.stringify(draftOf(record)) });
  return edit({ id: record.id, version: versionOf(record) });
}

/** Whether there are unsaved changes. */
export function isChanged() {
  const { draft, untouched } = edited();
  return JSON.stringify(draft) !== untouched;
}

/** Changes the draft and stores it in this tab until it is saved. */
export function edit(part) {
  const draft = { ...edited().draft, ...part };
  keepEdited({ draft });
  drafts.set(keptAs(draft), isChanged() ? JSON.stringify(draft) : '');
}

export function editQuestion(id, part) {
  edit({
    questions: edited().draft.questions.map((question) =>
      question.id === id ? { ...question, ...part } : question,
    ),
  });
}

export function forget(draft) {
  drafts.set(keptAs(draft), '');
}

/** The records of the shown workspace. */
export const shownHere = () => known().items.filter(isOfWorkspace);
