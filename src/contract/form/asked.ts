import type { FormFieldShape, FormShape } from './shape.ts';

/** What stands in a field while a form is open: words, an id, several of them; nothing where it is empty. */
export type Answers<F> = (field: F) => string | readonly string[] | null | undefined;

/** What the two choices of a yes-or-no question are called. */
export const YES = 'yes';
export const NO = 'no';

/** Kinds that show something and ask nothing. */
const SILENT: ReadonlySet<string> = new Set(['HEADING', 'DIVIDER', 'TEXT_BLOCK']);

/** Whether a field is one to be filled in. */
export function isQuestion({ customField }: FormFieldShape): boolean {
  return !SILENT.has(customField.type);
}

/** Whether other fields are asked by what stands in this one. */
export function isParent(form: FormShape, { id }: FormFieldShape): boolean {
  return form.customFields.some((field) => field.parentId === id);
}

/** Which of the ticket's own fields the form asks for by a field of the request type. */
export function asks(form: FormShape | undefined, ticketField: string): boolean {
  return (form?.customFields ?? []).some((field) => field.ticketField === ticketField && isQuestion(field));
}

/** Whether the form itself asks for a title: not where a field of the request type is it, or a template makes it. */
export function asksTitle(form: FormShape | undefined): boolean {
  return !asks(form, 'TITLE') && !form?.titleTemplate;
}

/**
 * The fields that are asked while the form holds these answers, in their order: one that hangs on another only where
 * that one has its value.
 */
export function askedOf<F extends FormFieldShape>(fields: readonly F[], answers: Answers<F>): F[] {
  const all = fields.toSorted((a, b) => a.order - b.order);
  return all.filter((field) => isAsked(field, all, answers));
}

function isAsked<F extends FormFieldShape>(field: F, all: readonly F[], answers: Answers<F>): boolean {
  const parent = parentOf(field, all);
  if (!parent) return true;
  if (!isAsked(parent, all, answers)) return false;
  const { dependsOnValue } = field;
  const words = [answers(parent) ?? []].flat();
  if (dependsOnValue === null) return words.some((word) => word !== '');
  const { options, type } = parent.customField;
  return words.some(
    (word) =>
      word === dependsOnValue ||
      (type === 'BOOLEAN' && String(word === YES) === dependsOnValue) ||
      options.some(({ id, value }) => [id, value].includes(word) && [id, value].includes(dependsOnValue)),
  );
}

/**
 * What a field hangs on. Nothing where fields hang on each other in a circle, which another service may let happen: an
 * answer too many is better than a form that asks nothing.
 */
function parentOf<F extends FormFieldShape>(field: F, all: readonly F[]): F | undefined {
  const over = ({ parentId }: F) => all.find(({ id }) => id === parentId);
  const above = new Set<F>();
  for (let at = over(field); at && !above.has(at); at = over(at)) above.add(at);
  return above.has(field) ? undefined : over(field);
}
