import { askedWhere, LIMITS, type RequestType, type TicketField } from '../../contract/index.ts';
import { checkValue, isFilled } from '../custom-fields/value.ts';
import type { ServiceDb } from '../handler.ts';
import { unprocessable } from '../problem.ts';
import { requireIds } from '../references.ts';

type Values = Record<string, unknown>;
type Field = RequestType['customFields'][number];

export interface FieldValues {
  workspaceId: string;
  /** Its request type. */
  type: RequestType | undefined;
  /** The stored and the new values. */
  stored: Values;
  given: Values;
  /** Whether the ticket itself fills the field that a custom field maps to. */
  fills: (field: TicketField) => boolean;
  /** The path of issues: `customFields` or `data.customFields`. */
  path: string;
}

/**
 * Returns the values that a ticket has after a write: named ones are written, null removes, the others stay. If its
 * request type has custom fields, named values must belong to one of them (others are dropped) and fit it, and required
 * ones must be present: 422 otherwise (docs/api.md, Configuration records).
 */
export async function fieldValues(db: ServiceDb, input: FieldValues): Promise<Values> {
  const { workspaceId, type, stored, given, path } = input;
  if (!type || type.customFields.length === 0) return withinBounds(mergeValues(stored, given), input);
  const byKey = new Map(type.customFields.map((field) => [field.customField.key, field]));
  const taken: Values = {};
  for (const [key, value] of Object.entries(given)) {
    const field = byKey.get(key);
    if (!field) continue;
    if (value === null) {
      taken[key] = null;
      continue;
    }
    const check = checkValue(field.customField, value);
    if (check.kind === 'none') continue;
    if (check.kind === 'wrong') throw unprocessable(`${path}.${key}`, `Expected ${check.expected}`);
    if (check.kind === 'references')
      await requireIds(db, check.table, workspaceId, check.ids, `${path}.${key}`);
    taken[key] = value;
  }
  const values = mergeValues(stored, taken);
  const asked = askedWhere(type.customFields, (field, parent) => isMet(field, parent, values));
  const missing = type.customFields.find((field) => asked.has(field) && isMissing(field, values, input));
  if (missing)
    throw unprocessable(`${path}.${missing.customField.key}`, `"${missing.customField.label}" is required`);
  return withinBounds(values, input);
}

/** Returns the values; 422 if they are more, or larger, than a ticket may have and than they were before. */
function withinBounds(values: Values, { stored, path }: FieldValues): Values {
  const { keys, bytes } = LIMITS.customFields;
  const tooMany = (count: number, before: number, most: number) => count > most && count > before;
  if (tooMany(Object.keys(values).length, Object.keys(stored).length, keys))
    throw unprocessable(path, `A ticket has at most ${keys} custom fields. Send null for some that it has`);
  if (tooMany(jsonBytes(values), jsonBytes(stored), bytes))
    throw unprocessable(
      path,
      `The custom fields of a ticket have at most ${bytes / 1024} KiB of JSON together. Send shorter values, or null for some that it has`,
    );
  return values;
}

function jsonBytes(values: Values): number {
  return Buffer.byteLength(JSON.stringify(values));
}

function mergeValues(stored: Values, given: Values): Values {
  return Object.fromEntries(Object.entries({ ...stored, ...given }).filter(([, value]) => value !== null));
}

function isMissing(field: Field, values: Values, { fills }: FieldValues): boolean {
  if (!field.required && !field.customField.required) return false;
  if (checkValue(field.customField, null).kind === 'none') return false;
  if (isFilled(values[field.customField.key])) return false;
  return field.ticketField === null || !fills(field.ticketField);
}

/** Returns whether the value of a field's parent is the one that the field depends on. */
function isMet({ dependsOnValue }: Field, parent: Field, values: Values): boolean {
  const value = values[parent.customField.key];
  if (dependsOnValue === null) return isFilled(value);
  const matching = new Set([dependsOnValue]);
  for (const option of parent.customField.options)
    if (option.value === dependsOnValue) matching.add(option.id);
  return (Array.isArray(value) ? (value as unknown[]) : [value]).some((word) => matching.has(String(word)));
}
