import { z } from 'zod';

import { isBlank } from './blank.ts';
import { LIMITS } from './limits.ts';

/** A record's id: opaque, and possibly from another implementation. */
export const id = z.string().min(1).max(LIMITS.shortText);
/** An instant in responses: ISO 8601 UTC with milliseconds (docs/api.md, Conventions). */
export const timestamp = z
  .string()
  .regex(
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
    'Expected an instant like 2026-11-20T09:30:00.000Z',
  );

const FIRST_INSTANT = Date.parse('0001-01-01T00:00:00Z');
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/** An instant in requests: ISO 8601 with any offset, of the years 1 to 9999. */
export const instant = z.iso.datetime({ offset: true }).refine((value) => {
  const time = Date.parse(value);
  return time >= FIRST_INSTANT && time <= LAST_INSTANT;
}, 'Expected an instant between the years 1 and 9999');

/** An IANA name of a time zone. */
export const timeZone = z.string().max(LIMITS.shortText).refine(isTimeZone, 'Not an IANA time zone');

/** A name, not an offset: Postgres reads the sign of offsets the other way round. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][\w+\-/]*$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** A short text in a request: a name, a label, a reference. */
export const shortText = z.string().max(LIMITS.shortText);
/** A short text that must not be blank, with composed accents: two names that look alike are one. */
export const name = shortText.normalize('NFC').refine((value) => !isBlank(value), 'Must not be empty');
/** An absolute http or https URL. */
export const httpUrl = z
  .string()
  .max(LIMITS.url)
  .refine((value) => {
    const url = URL.parse(value);
    return url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
  }, 'Expected an absolute http or https URL');

/** `{ id }`, the form in which arrays in requests and responses refer to other records. */
export const ref = z.strictObject({ id });
/** The same in a request, which may contain further keys of the record; they are ignored. */
export const refInput = z.object({ id });
export const refInputs = z.array(refInput).max(LIMITS.arrayItems);
/** Files that were uploaded before the record that they are attached to. */
export const fileIds = z.array(id).max(LIMITS.files.ofMessage).nullish();
export const idInputs = z.array(id).max(LIMITS.arrayItems);

/**
 * Query of a route with a ticket in its path (beyond the specification): the workspace in which a reference such as
 * IT-42 is looked up, if the key can access several. Without it, the key's home workspace comes first.
 */
export const inWorkspace = z.object({ workspaceId: id.nullish() });

/** Path parameters of a route with a record in its path. */
export const idParams = z.object({ id });
