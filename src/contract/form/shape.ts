import { z } from 'zod';

/** Of a custom field's place in a request type what its form is drawn from. */
const formField = z.object({
  id: z.string(),
  order: z.number(),
  required: z.boolean(),
  ticketField: z.string().nullable(),
  parentId: z.string().nullable(),
  dependsOnValue: z.string().nullable(),
  customField: z.object({
    label: z.string(),
    description: z.string().nullable(),
    required: z.boolean(),
    type: z.string(),
    config: z.unknown(),
    options: z.array(
      z.object({
        id: z.string(),
        value: z.string(),
        order: z.number(),
        description: z.string().nullable(),
      }),
    ),
  }),
});
export type FormFieldShape = z.output<typeof formField>;

/** What stands for a request type in the menu of what a form can be about. */
export const formKind = z.object({
  id: z.string(),
  name: z.string(),
  emoji: z.string().nullable(),
  parent: z.object({ name: z.string() }).nullable(),
});
export type FormKind = z.output<typeof formKind>;

/**
 * Of a request type what its form is drawn from: every request type is one, and so is one that nobody has saved yet.
 * Types and ticket fields of tomorrow are taken as well.
 */
export const formShape = formKind.extend({
  description: z.string().nullable(),
  isPrivate: z.boolean(),
  titleTemplate: z.string().nullable(),
  customFields: z.array(formField),
});
export type FormShape<F extends FormFieldShape = FormFieldShape> = Omit<
  z.output<typeof formShape>,
  'customFields'
> & { customFields: readonly F[] };

/** What who fits no kind of request chooses: it asks for a title and a description, and its ticket has no request type. */
export const SOMETHING_ELSE: FormShape<never> = {
  id: 'something-else',
  name: 'Something else',
  emoji: null,
  parent: null,
  description: null,
  isPrivate: false,
  titleTemplate: null,
  customFields: [],
};

/** The request types that are offered in chat of those that `GET /forms` lists: no collections, nothing unpublished. */
export function offeredForms<R extends { type: string; published: boolean; name: string }>(
  listed: readonly R[],
): R[] {
  return listed
    .filter(({ type, published }) => type !== 'collection' && published)
    .toSorted((a, b) => a.name.localeCompare(b.name));
}
