import type { RequestType, TicketField } from '../../contract/index.ts';
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
  if (!type || type.customFields.length === 0) return merged(stored, given);
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
  const values = merged(stored, taken);
  const missing = type.customFields.find((field) => isMissing(field, type.customFields, values, input));
  if (missing)
    throw unprocessable(`${path}.${missing.customField.key}`, `"${missing.customField.label}" is required`);
  return values;
}

function merged(stored: Values, given: Values): Values {
  return Object.fromEntries(Object.entries({ ...stored, ...given }).filter(([, value]) => value !== null));
}

function isMissing(field: Field, all: readonly Field[], values: Values, { fills }: FieldValues): boolean {
  if (!field.required && !field.customField.required) return false;
  if (checkValue(field.customField, null).kind === 'none' || !isAsked(field, all, values)) return false;
  if (isFilled(values[field.customField.key])) return false;
  return field.ticketField === null || !fills(field.ticketField);
}

/** A dependent field is shown only if its parent is, with the matching value. */
function isAsked({ parentId, dependsOnValue }: Field, all: readonly Field[], values: Values): boolean {
  const parent = parentId === null ? undefined : all.find(({ id }) => id === parentId);
  if (!parent) return true;
  if (!isAsked(parent, all, values)) return false;
  const value = values[parent.customField.key];
  if (dependsOnValue === null) return isFilled(value);
  const { options } = parent.customField;
  const words = (Array.isArray(value) ? (value as unknown[]) : [value]).map(String);
  return words.some(
    (word) =>
      word === dependsOnValue ||
      options.some((option) => option.id === word && option.value === dependsOnValue),
  );
}
