import { z } from 'zod';

import { LIMITS } from '../../../contract/index.ts';

// Inputs come from what people wrote into a workflow, and from outputs of other steps: numbers and flags may be texts.

export const idInput = z.string().trim().min(1).max(LIMITS.shortText);

/** Several ids: an array, one id, or several with commas between them. */
export const idsInput = z
  .union([z.array(idInput), z.string().transform((text) => text.split(',').map((each) => each.trim()))])
  .transform((ids) => [...new Set(ids.filter((each) => each !== ''))])
  .refine((ids) => ids.length > 0 && ids.length <= LIMITS.arrayItems, 'Expected one or more, at most 200');

export const textInput = z.string().max(LIMITS.messageContent);

export const flagInput = z.union([
  z.boolean(),
  z.enum(['true', 'false']).transform((text) => text === 'true'),
]);

/** A year, and a day more for one with a 29 February. */
const LONGEST_MINUTES = 366 * 24 * 60;

export const minutesInput = z.coerce.number().min(0).max(LONGEST_MINUTES);
