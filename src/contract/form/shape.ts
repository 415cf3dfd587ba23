import { z } from 'zod';

/** The properties of a request type's custom field that its form needs. */
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

/** The properties of a request type that the menu of a form needs. */
export const formKind = z.object({
  id: z.string(),
  name: z.string(),
  emoji: z.string().nullable(),
  parent: z.object({ name: z.string() }).nullable(),
});
export type FormKind = z.output<typeof formKind>;

/**
 * The properties of a request type that its form needs: every request type has them, and so has an unsaved one. Unknown
 * types and ticket fields are accepted as well.
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

/**
 * The form for requests that fit no request type: it asks for a title and a description, and its ticket has no request
 * type.
 */
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

/** Returns the request types that chat offers from `GET /forms`: no collections, nothing unpublished. */
export function offeredForms<R extends { type: string; published: boolean; name: string }>(
  listed: readonly R[],
): R[] {
  return listed
    .filter(({ type, published }) => type !== 'collection' && published)
    .toSorted((a, b) => a.name.localeCompare(b.name));
}
