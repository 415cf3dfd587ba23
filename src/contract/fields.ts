import { z } from 'zod';

import { LIMITS } from './limits.ts';

/** A record's id: opaque, and possibly another implementation's. */
export const id = z.string().min(1).max(LIMITS.shortText);
/** An instant in answers: ISO 8601 UTC with milliseconds (docs/api.md, Conventions). */
export const timestamp = z
  .string()
  .regex(
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
    'Expected an instant like 2026-11-20T09:30:00.000Z',
  );

const FIRST_INSTANT = Date.parse('0001-01-01T00:00:00Z');
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/** An instant in requests: any ISO 8601 one with an offset, of the years 1 to 9999. */
export const instant = z.iso.datetime({ offset: true }).refine((value) => {
  const time = Date.parse(value);
  return time >= FIRST_INSTANT && time <= LAST_INSTANT;
}, 'Expected an instant between the years 1 and 9999');

/** A short text of a request: a name, a label, a reference. */
export const shortText = z.string().max(LIMITS.shortText);
/** A short text that must say something. */
export const name = shortText.refine((value) => value.trim() !== '', 'Must not be empty');
/** An absolute http or https address. */
export const httpUrl = z
  .string()
  .max(LIMITS.url)
  .refine((value) => {
    const url = URL.parse(value);
    return url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
  }, 'Expected an absolute http or https URL');

/** `{ id }`, the form in which requests and answers name other records in arrays. */
export const ref = z.strictObject({ id });
/** The same in a request, where further keys of the record are passed over. */
export const refInput = z.object({ id });
export const refInputs = z.array(refInput).max(LIMITS.arrayItems);
export const idInputs = z.array(id).max(LIMITS.arrayItems);

/**
 * Query of a route that names a ticket (beyond the specification): the workspace that a reference such as IT-42 is looked
 * up in, where the key sees several; without it the key's home workspace comes first.
 */
export const inWorkspace = z.object({ workspaceId: id.nullish() });

/** Path parameters of a route that names one record. */
export const idParams = z.object({ id });
