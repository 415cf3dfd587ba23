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

/** Returns the ids of the fields whose value other fields depend on. */
export function parentIdsOf({ customFields }: FormShape): Set<string> {
  return new Set(customFields.flatMap(({ parentId }) => parentId ?? []));
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
 * Returns the fields that are visible with these answers, in order: a dependent field only if its parent is visible and
 * has the matching value.
 */
export function askedOf<F extends FormFieldShape>(fields: readonly F[], answers: Answers<F>): F[] {
  const asked = askedWhere(fields, (field, parent) => isMet(field, parent, answers));
  return fields.filter((field) => asked.has(field)).toSorted((a, b) => a.order - b.order);
}

/**
 * Returns the fields that are visible: those without a parent, and those whose parent is visible and meets their
 * condition. Each condition is worked out once at most, however the fields depend on each other.
 * @param isMet whether the value of `parent` is the one that `field` depends on.
 */
export function askedWhere<F extends Linked>(
  fields: readonly F[],
  isMet: (field: F, parent: F) => boolean,
): Set<F> {
  const parents = parentsOf(fields);
  const asked = new Map<F, boolean>();
  for (const field of fields) {
    // Up to the first one that is known, then down again: recursion would need a frame for each field of a chain.
    const chain: F[] = [];
    for (let at: F | undefined = field; at && !asked.has(at); at = parents.get(at)) chain.push(at);
    for (const each of chain.toReversed()) {
      const parent = parents.get(each);
      asked.set(each, !parent || (asked.get(parent) === true && isMet(each, parent)));
    }
  }
  return new Set(fields.filter((field) => asked.get(field)));
}

/** A field that may depend on another one. */
type Linked = Pick<FormFieldShape, 'id' | 'parentId'>;

/** Returns whether the answer to a field's parent is the one that the field depends on. */
function isMet<F extends FormFieldShape>({ dependsOnValue }: F, parent: F, answers: Answers<F>): boolean {
  const words = [answers(parent) ?? []].flat();
  if (dependsOnValue === null) return words.some((word) => word !== '');
  const { options, type } = parent.customField;
  const matching = new Set([dependsOnValue]);
  for (const { id, value } of options)
    if (id === dependsOnValue || value === dependsOnValue) matching.add(id).add(value);
  return words.some(
    (word) => matching.has(word) || (type === 'BOOLEAN' && String(word === YES) === dependsOnValue),
  );
}

/**
 * Returns the parent of each field that has one. Fields that depend on each other in a cycle, which another service may
 * allow, have none: showing too many fields is better than an empty form.
 */
function parentsOf<F extends Linked>(fields: readonly F[]): Map<F, F> {
  const byId = new Map<string, F>();
  for (const field of fields) if (!byId.has(field.id)) byId.set(field.id, field);
  const over = ({ parentId }: F) => (parentId === null ? undefined : byId.get(parentId));
  const parents = new Map<F, F>();
  /** The walk that came to a field first. */
  const walkOf = new Map<F, F>();
  for (const start of fields) {
    let at: F | undefined = start;
    while (at && !walkOf.has(at)) {
      walkOf.set(at, start);
      const parent = over(at);
      if (parent) parents.set(at, parent);
      at = parent;
    }
    // The walk came back to a field of its own: that one and all above it are the cycle.
    if (at && walkOf.get(at) === start)
      for (let next: F | undefined = at; next;) {
        const parent = parents.get(next);
        parents.delete(next);
        next = parent;
      }
  }
  return parents;
}
