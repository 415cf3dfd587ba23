import { type Answers, askedOf, asks, asksTitle, isQuestion, parentIdsOf } from './asked.ts';
import { shorten } from '../cut.ts';
import { WINDOW } from './fit.ts';
import { choicesOf, fieldInput, type FormInput, type FormMenus, textInput } from './input.ts';
import { type FormFieldShape, type FormKind, type FormShape, SOMETHING_ELSE } from './shape.ts';

/** The texts of every form's modal. */
export const FORM_WINDOW = { title: 'New ticket', submit: 'Open ticket', close: 'Cancel' } as const;

/** One part of a form; every text fits Slack's limits. */
export type FormPart<F extends FormFieldShape = FormFieldShape> =
  { kind: 'quiet' | 'heading' | 'words'; text: string } | { kind: 'divider' } | FormQuestion<F>;

export interface FormQuestion<F extends FormFieldShape = FormFieldShape> {
  kind: 'question';
  /** A field of the request type, or a standard question of every form. */
  asks: 'type' | 'title' | 'description' | F;
  label: string;
  hint: string | null;
  required: boolean;
  /** Its answer may show or hide other questions. */
  changes: boolean;
  input: FormInput;
}

export interface FormSituation<F extends FormFieldShape> {
  /** The request types to choose from, including the selected one. */
  kinds: readonly FormKind[];
  chosen: FormShape<F> | undefined;
  answers: Answers<F>;
  menus: FormMenus;
  /** Shown at the top: why the form is open again, or what was done before it. */
  note?: string | undefined;
}

/**
 * Returns the parts of a form from top to bottom (B37, docs/rules.md): the request type, then its questions. Slack's
 * modal and the desk's preview are both drawn from this list, so they cannot differ.
 */
export function formParts<F extends FormFieldShape>(situation: FormSituation<F>): FormPart<F>[] {
  const { kinds, chosen, answers, menus, note } = situation;
  const about = chosen ? aboutKind(chosen) : '';
  const parts: FormPart<F>[] = [
    ...(note === undefined ? [] : [quiet(note)]),
    ...(kinds.length > 0 ? [kindQuestion<F>(kinds)] : []),
    ...(about === '' ? [] : [quiet(about)]),
    // The request type comes first, if there are any to choose from.
    ...(chosen || kinds.length === 0 ? ownQuestions<F>(chosen) : []),
    ...(chosen ? ownFields(chosen, answers, menus) : []),
  ];
  // If a modal cannot hold everything, headings and texts are dropped first: questions stay.
  return parts.length <= WINDOW.parts ? parts : parts.filter(({ kind }) => kind === 'question');
}

/** Returns whether a form has more questions than a modal holds. */
export function isTooLong(form: FormShape): boolean {
  return form.customFields.filter(isQuestion).length > WINDOW.parts - 3;
}

function quiet(text: string): FormPart<never> {
  return { kind: 'quiet', text: shorten(text, WINDOW.quiet) };
}

function aboutKind({ description, isPrivate }: FormShape): string {
  return [
    description?.trim(),
    isPrivate ? '🔒 Private request: only you, the people you name in it and the team can see it.' : '',
  ]
    .filter(Boolean)
    .join('\n');
}

function kindQuestion<F extends FormFieldShape>(kinds: readonly FormKind[]): FormQuestion<F> {
  return {
    kind: 'question',
    asks: 'type',
    label: 'What is it about?',
    hint: null,
    required: true,
    changes: true,
    input: {
      kind: 'menu',
      several: false,
      typed: kinds.length >= WINDOW.choices,
      groups: kindGroups(kinds),
      placeholder: 'Choose',
    },
  };
}

/**
 * Returns request types as menu groups: those of each collection together, then the others, and last "something else".
 */
export function kindGroups(kinds: readonly FormKind[]): (FormInput & { kind: 'menu' })['groups'] {
  const byName = Map.groupBy(kinds, ({ parent }) => parent?.name ?? '');
  const isPlain = byName.size === 0 || (byName.size === 1 && byName.has(''));
  if (isPlain) return [{ label: null, choices: choicesOf([...kinds, SOMETHING_ELSE].map(kindChoice)) }];
  const groups = [...byName]
    .toSorted(([a], [b]) => Number(b === '') - Number(a === '') || a.localeCompare(b))
    .map(([name, members]) => ({
      label: shorten(name === '' ? 'Other requests' : name, WINDOW.groupLabel),
      choices: choicesOf(members.map(kindChoice)),
    }));
  return [...groups, { label: 'None of these', choices: choicesOf([kindChoice(SOMETHING_ELSE)]) }];
}

function kindChoice({ id, name, emoji }: FormKind): { id: string; label: string } {
  return { id, label: emoji ? `${emoji} ${name}` : name };
}

function ownQuestions<F extends FormFieldShape>(chosen: FormShape<F> | undefined): FormQuestion<F>[] {
  const own: FormQuestion<F>[] = [];
  const base = { kind: 'question', hint: null, changes: false } as const;
  if (asksTitle(chosen))
    own.push({
      ...base,
      asks: 'title',
      label: 'Title',
      required: true,
      input: textInput({ max: WINDOW.title }),
    });
  if (!asks(chosen, 'DESCRIPTION'))
    own.push({
      ...base,
      asks: 'description',
      label: 'Description',
      required: false,
      input: textInput({ lines: true }),
    });
  return own;
}

function ownFields<F extends FormFieldShape>(
  form: FormShape<F>,
  answers: Answers<F>,
  menus: FormMenus,
): FormPart<F>[] {
  const parents = parentIdsOf(form);
  return askedOf(form.customFields, answers).map((field) => fieldPart(field, parents.has(field.id), menus));
}

function fieldPart<F extends FormFieldShape>(field: F, changes: boolean, menus: FormMenus): FormPart<F> {
  const { label, description, type, required } = field.customField;
  switch (type) {
    case 'HEADING':
      return { kind: 'heading', text: shorten(label, WINDOW.heading) };
    case 'DIVIDER':
      return { kind: 'divider' };
    case 'TEXT_BLOCK':
      return { kind: 'words', text: shorten(description ?? label, WINDOW.words) };
    default:
      return {
        kind: 'question',
        asks: field,
        label: shorten(label, WINDOW.label),
        hint: shorten(description?.trim() ?? '', WINDOW.hint) || null,
        required: field.required || required,
        changes,
        input: fieldInput(field, menus),
      };
  }
}
