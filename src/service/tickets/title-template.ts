import { LIMITS, type RequestType } from '../../contract/index.ts';

type Field = RequestType['customFields'][number]['customField'];

export interface TemplateWords {
  /** The custom fields of the request type, and the ticket's values by their keys. */
  fields: readonly Field[];
  values: Readonly<Record<string, unknown>>;
  requestType: string;
  /** The requester's name; empty where nobody is named. */
  requester: string;
}

/** Kinds of fields whose values name other records: an id says nothing in a title. */
const REFERENCES: ReadonlySet<Field['type']> = new Set([
  'USER_SELECT',
  'USER_MULTI_SELECT',
  'TAG_SELECT',
  'STATUS_SELECT',
  'FILE_PICKER',
]);

/**
 * A request type's `titleTemplate`, filled in: `{{requestType}}`, `{{requester}}` and `{{<custom field's key>}}`; what
 * is unknown or empty leaves nothing (docs/api.md, Configuration records). Undefined where no words are left.
 */
export function titleFrom(template: string, words: TemplateWords): string | undefined {
  const filled = template
    .replaceAll(/\{\{\s*([^{}]+?)\s*\}\}/g, (_whole, name: string) => wordOf(name, words))
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (!/[\p{L}\p{N}]/u.test(filled)) return undefined;
  // Not in the middle of a character.
  return filled.slice(0, LIMITS.ticketTitle).replace(/[\uD800-\uDBFF]$/, '');
}

function wordOf(name: string, { fields, values, requestType, requester }: TemplateWords): string {
  const field = fields.find(({ key }) => key === name);
  if (field) return REFERENCES.has(field.type) ? '' : textOf(field, values[name]);
  if (name === 'requestType') return requestType;
  return name === 'requester' ? requester : '';
}

/** A value as people read it: an option by what it is called, several with commas between. */
function textOf(field: Field, value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => textOf(field, one)).join(', ');
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (typeof value !== 'string') return '';
  return field.options.find(({ id }) => id === value)?.value ?? value;
}
