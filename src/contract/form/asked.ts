import type { FormFieldShape, FormShape } from './shape.ts';

/** The value of a field while a form is open: text, an id, or several; undefined if it is empty. */
export type Answers<F> = (field: F) => string | readonly string[] | null | undefined;

/** The values of the two choices of a yes-or-no question. */
export const YES = 'yes';
export const NO = 'no';

/** Field types that show text and have no answer. */
const SILENT: ReadonlySet<string> = new Set(['HEADING', 'DIVIDER', 'TEXT_BLOCK']);

/** Returns whether a field is an input. */
export function isQuestion({ customField }: FormFieldShape): boolean {
  return !SILENT.has(customField.type);
}

/** Returns whether other fields depend on the value of this one. */
export function isParent(form: FormShape, { id }: FormFieldShape): boolean {
  return form.customFields.some((field) => field.parentId === id);
}

/** Returns whether a custom field of the request type fills this field of the ticket. */
export function asks(form: FormShape | undefined, ticketField: string): boolean {
  return (form?.customFields ?? []).some((field) => field.ticketField === ticketField && isQuestion(field));
}

/** Returns whether the form itself asks for a title: not if a field of the request type or a template provides it. */
export function asksTitle(form: FormShape | undefined): boolean {
  return !asks(form, 'TITLE') && !form?.titleTemplate;
}

/**
 * Returns the fields that are visible with these answers, in order: a dependent field only if its parent has the
 * matching value.
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
 * Returns the parent of a field. None if fields depend on each other in a cycle, which another service may allow:
 * showing too many fields is better than an empty form.
 */
function parentOf<F extends FormFieldShape>(field: F, all: readonly F[]): F | undefined {
  const over = ({ parentId }: F) => all.find(({ id }) => id === parentId);
  const above = new Set<F>();
  for (let at = over(field); at && !above.has(at); at = over(at)) above.add(at);
  return above.has(field) ? undefined : over(field);
}
