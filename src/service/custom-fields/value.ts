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
const wrong = (expected: string): ValueCheck => ({ kind: 'wrong', expected });

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
    return wrong(`at most ${LIMITS.arrayItems} values`);
  switch (field.type) {
    case 'TEXT':
    case 'TEXT_AREA':
      return typeof value === 'string' ? FINE : wrong('a text');
    case 'NUMBER':
      return typeof value === 'number' && Number.isFinite(value) ? FINE : wrong('a number');
    case 'BOOLEAN':
      return typeof value === 'boolean' ? FINE : wrong('true or false');
    case 'DATE':
      return isTime(value, DATE) ? FINE : wrong('a day like 2026-11-20');
    case 'TIME':
      return typeof value === 'string' && TIME.test(value) ? FINE : wrong('a time like 09:30');
    case 'DATETIME':
      return isTime(value, INSTANT) ? FINE : wrong('an instant like 2026-11-20T09:30:00Z');
    case 'SELECT':
      return isOption(value) ? FINE : wrong('one of the field’s options');
    case 'MULTI_SELECT':
      return Array.isArray(value) && value.every(isOption) ? FINE : wrong('an array of the field’s options');
    case 'PRIORITY_SELECT':
      return priority.safeParse(value).success ? FINE : wrong('a priority');
    case 'USER_SELECT':
      return isText(value) ? { kind: 'references', table: 'person', ids: [value] } : wrong('a user’s id');
    case 'USER_MULTI_SELECT':
      return isTexts(value)
        ? { kind: 'references', table: 'person', ids: value }
        : wrong('an array of users’ ids');
    case 'TAG_SELECT':
      return isTexts(value)
        ? { kind: 'references', table: 'tag', ids: value }
        : wrong('an array of tags’ ids');
    case 'STATUS_SELECT':
      return isText(value) ? { kind: 'references', table: 'status', ids: [value] } : wrong('a status’s id');
    case 'FILE_PICKER':
      return isTexts(value) ? FINE : wrong('an array of addresses of files');
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

function isTime(value: unknown, form: RegExp): boolean {
  return typeof value === 'string' && form.test(value) && !Number.isNaN(Date.parse(value));
}
