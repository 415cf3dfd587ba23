import { type Answers, askedOf, asks, asksTitle, isParent, isQuestion } from './asked.ts';
import { shorten, WINDOW } from './fit.ts';
import { choicesOf, fieldInput, type FormInput, type FormMenus, textInput } from './input.ts';
import { type FormFieldShape, type FormKind, type FormShape, SOMETHING_ELSE } from './shape.ts';

/** What stands on the window of every form. */
export const FORM_WINDOW = { title: 'New ticket', submit: 'Open ticket', close: 'Cancel' } as const;

/** One thing that a form shows; every text is as long as chat has room for. */
export type FormPart<F extends FormFieldShape = FormFieldShape> =
  { kind: 'quiet' | 'heading' | 'words'; text: string } | { kind: 'divider' } | FormQuestion<F>;

export interface FormQuestion<F extends FormFieldShape = FormFieldShape> {
  kind: 'question';
  /** A field of the request type, or what every form may ask beside them. */
  asks: 'type' | 'title' | 'description' | F;
  label: string;
  hint: string | null;
  required: boolean;
  /** Other questions may come and go with its answer. */
  changes: boolean;
  input: FormInput;
}

export interface FormSituation<F extends FormFieldShape> {
  /** The kinds of requests that are offered, the chosen one among them. */
  kinds: readonly FormKind[];
  chosen: FormShape<F> | undefined;
  answers: Answers<F>;
  menus: FormMenus;
  /** Why the form is open again, or what was done before it; said on top. */
  note?: string | undefined;
}

/**
 * What a form shows from top to bottom (B37, docs/admin.md): what kind of request it is, then what is asked of that
 * kind. Chat's window and the desk's preview are both drawn from this list, so they cannot differ.
 */
export function formParts<F extends FormFieldShape>(situation: FormSituation<F>): FormPart<F>[] {
  const { kinds, chosen, answers, menus, note } = situation;
  const about = chosen ? aboutKind(chosen) : '';
  const parts: FormPart<F>[] = [
    ...(note === undefined ? [] : [quiet(note)]),
    ...(kinds.length > 0 ? [kindQuestion<F>(kinds)] : []),
    ...(about === '' ? [] : [quiet(about)]),
    // What kind it is comes first; without kinds there is nothing to choose.
    ...(chosen || kinds.length === 0 ? ownQuestions<F>(chosen) : []),
    ...(chosen ? askedOf(chosen.customFields, answers).map((field) => fieldPart(chosen, field, menus)) : []),
  ];
  // Where there is more than a window holds, headings and words go first: what is asked stays.
  return parts.length <= WINDOW.parts ? parts : parts.filter(({ kind }) => kind === 'question');
}

/** Whether a form asks more than a window of chat holds. */
export function isTooLong(form: FormShape): boolean {
  return form.customFields.filter(isQuestion).length > WINDOW.parts - 3;
}

function quiet(text: string): FormPart<never> {
  return { kind: 'quiet', text: shorten(text, WINDOW.quiet) };
}

function aboutKind({ description, isPrivate }: FormShape): string {
  return [
    description?.trim(),
    isPrivate ? '🔒 A private request: seen by you, whom you name in it, and the team.' : '',
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
 * Kinds of requests as a menu shows them: those of a collection together, the others first, and last of all what those
 * choose who fit none of them.
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

function fieldPart<F extends FormFieldShape>(form: FormShape<F>, field: F, menus: FormMenus): FormPart<F> {
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
        changes: isParent(form, field),
        input: fieldInput(field, menus),
      };
  }
}
