import { cut, LIMITS, type RequestType } from '../../contract/index.ts';

type Field = RequestType['customFields'][number]['customField'];

export interface TemplateWords {
  /**
   * The custom fields of the request type that everyone on the ticket may read, and the ticket's values by their keys.
   */
  fields: readonly Field[];
  values: Readonly<Record<string, unknown>>;
  requestType: string;
  /** The requester's name; empty if there is none. */
  requester: string;
}

/** Types of fields that reference other records: an id is useless in a title. */
const REFERENCES: ReadonlySet<Field['type']> = new Set([
  'USER_SELECT',
  'USER_MULTI_SELECT',
  'TAG_SELECT',
  'STATUS_SELECT',
  'FILE_PICKER',
]);

/**
 * Fills in a request type's `titleTemplate`: `{{requestType}}`, `{{requester}}` and `{{<custom field's key>}}`; unknown
 * or empty ones become nothing (docs/api.md, Configuration records). Undefined if no words are left.
 */
export function titleFrom(template: string, words: TemplateWords): string | undefined {
  const filled = template
    .replaceAll(/\{\{\s*([^{}]+?)\s*\}\}/g, (_whole, name: string) => wordOf(name, words))
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (!/[\p{L}\p{N}]/u.test(filled)) return undefined;
  return cut(filled, LIMITS.ticketTitle);
}

function wordOf(name: string, { fields, values, requestType, requester }: TemplateWords): string {
  const field = fields.find(({ key }) => key === name);
  if (field) return REFERENCES.has(field.type) ? '' : textOf(field, values[name]);
  if (name === 'requestType') return requestType;
  return name === 'requester' ? requester : '';
}

/** Returns a value as text: an option by its label, several separated by commas. */
function textOf(field: Field, value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => textOf(field, one)).join(', ');
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (typeof value !== 'string') return '';
  return field.options.find(({ id }) => id === value)?.value ?? value;
}
