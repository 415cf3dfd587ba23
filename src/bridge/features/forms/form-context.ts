import { z } from 'zod';

import { FormPlace } from './drafts.ts';

/** The state of an open form; stored in its `private_metadata`. */
const FormContext = FormPlace.extend({
  /** The submitted form that was opened again. */
  again: z.string().optional(),
  /** References of the similar tickets that it shows. */
  similar: z.array(z.string()).optional(),
  /** The request type whose questions it shows. */
  type: z.string().nullable(),
});
export type FormContext = z.infer<typeof FormContext>;

/** Undefined if it is not ours. */
export function readFormContext(metadata: string): FormContext | undefined {
  try {
    return FormContext.safeParse(JSON.parse(metadata)).data;
  } catch {
    return undefined;
  }
}
