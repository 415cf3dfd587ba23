import { type CustomFieldType, LIMITS, priority } from '../../contract/index.ts';
import type { Referable } from '../references.ts';

/** The check a value needs besides its format: one of the options, or records of the workspace. */
export type ValueCheck =
  | { kind: 'fine' }
  | { kind: 'wrong'; expected: string }
  /** The field has no value. */
  | { kind: 'none' }
  | { kind: 'references'; table: Extract<Referable, 'person' | 'tag' | 'status'>; ids: string[] };

const FINE: ValueCheck = { kind: 'fine' };
const wrongValue = (expected: string): ValueCheck => ({ kind: 'wrong', expected });

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/;

/**
 * Returns whether a value fits a custom field (specification, Resources, Custom field). No I/O: the caller looks up
 * references.
 */
export function checkValue(
  field: { type: CustomFieldType; options: readonly { id: string; value: string }[] },
  value: unknown,
): ValueCheck {
  const isOption = (given: unknown) =>
    field.options.some((option) => option.value === given || option.id === given);
  if (Array.isArray(value) && value.length > LIMITS.arrayItems)
    return wrongValue(`at most ${LIMITS.arrayItems} values`);
  switch (field.type) {
    case 'TEXT':
    case 'TEXT_AREA':
      return typeof value === 'string' ? FINE : wrongValue('a text');
    case 'NUMBER':
      return typeof value === 'number' && Number.isFinite(value) ? FINE : wrongValue('a number');
    case 'BOOLEAN':
      return typeof value === 'boolean' ? FINE : wrongValue('true or false');
    case 'DATE':
      return typeof value === 'string' && DATE.test(value) && isDay(value)
        ? FINE
        : wrongValue('a day like 2026-11-20');
    case 'TIME':
      return typeof value === 'string' && TIME.test(value) ? FINE : wrongValue('a time like 09:30');
    case 'DATETIME':
      return isInstant(value) ? FINE : wrongValue('an instant like 2026-11-20T09:30:00Z');
    case 'SELECT':
      return isOption(value) ? FINE : wrongValue('one of the field’s options');
    case 'MULTI_SELECT':
      return Array.isArray(value) && value.every(isOption)
        ? FINE
        : wrongValue('an array of the field’s options');
    case 'PRIORITY_SELECT':
      return priority.safeParse(value).success ? FINE : wrongValue('a priority');
    case 'USER_SELECT':
      return isText(value)
        ? { kind: 'references', table: 'person', ids: [value] }
        : wrongValue('a user’s id');
    case 'USER_MULTI_SELECT':
      return isTexts(value)
        ? { kind: 'references', table: 'person', ids: value }
        : wrongValue('an array of users’ ids');
    case 'TAG_SELECT':
      return isTexts(value)
        ? { kind: 'references', table: 'tag', ids: value }
        : wrongValue('an array of tags’ ids');
    case 'STATUS_SELECT':
      return isText(value)
        ? { kind: 'references', table: 'status', ids: [value] }
        : wrongValue('a status’s id');
    case 'FILE_PICKER':
      return isTexts(value) ? FINE : wrongValue('an array of addresses of files');
    case 'HEADING':
    case 'DIVIDER':
    case 'TEXT_BLOCK':
      return { kind: 'none' };
  }
}

/** Returns whether a value counts as filled, as required fields must be. */
export function isFilled(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  return Array.isArray(value) ? value.length > 0 : value !== null && value !== undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

/** Returns whether the calendar has a day (`2026-02-30` has none), from the year 1 on. */
function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text) && text >= '0001';
}

/** Returns whether a value is an instant of the years 1 to 9999, on a day and at a time of day that exist. */
function isInstant(value: unknown): boolean {
  if (typeof value !== 'string' || !INSTANT.test(value)) return false;
  const [day = '', time = ''] = value.split('T');
  const at = Date.parse(value);
  const isInRange = at >= Date.parse('0001-01-01T00:00:00Z') && at <= Date.parse('9999-12-31T23:59:59.999Z');
  return isDay(day) && !time.startsWith('24') && isInRange;
}
