import { cut, LIMITS, type RequestType } from '../../contract/index.ts';

type Field = RequestType['customFields'][number]['customField'];

/** The values that a template may use. */
export interface TemplateValues {
  /** The custom fields of the request type that everyone on the ticket may read. */
  fields: readonly Field[];
  /** The ticket's values by the key of their field. */
  values: Readonly<Record<string, unknown>>;
  requestType: string;
  /** The requester's name; empty if there is none. */
  requester: string;
}

/** Types of fields whose values are ids, which are useless in a title. */
const REFERENCES: ReadonlySet<Field['type']> = new Set([
  'USER_SELECT',
  'USER_MULTI_SELECT',
  'TAG_SELECT',
  'STATUS_SELECT',
  'FILE_PICKER',
]);

/**
 * Returns a title made from a request type's `titleTemplate`, which may contain `{{requestType}}`, `{{requester}}` and
 * `{{<custom field's key>}}`; unknown and empty ones are left out (docs/api.md, Configuration records). Undefined if the
 * title would have no words.
 */
export function fillTitleTemplate(template: string, available: TemplateValues): string | undefined {
  const filled = template
    .replaceAll(/\{\{\s*([^{}]+?)\s*\}\}/g, (_whole, name: string) => variableText(name, available))
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (!/[\p{L}\p{N}]/u.test(filled)) return undefined;
  return cut(filled, LIMITS.ticketTitle);
}

function variableText(name: string, { fields, values, requestType, requester }: TemplateValues): string {
  const field = fields.find(({ key }) => key === name);
  if (field) return REFERENCES.has(field.type) ? '' : valueText(field, values[name]);
  if (name === 'requestType') return requestType;
  return name === 'requester' ? requester : '';
}

/** Returns a value as text: an option by its label, several separated by commas. */
function valueText(field: Field, value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => valueText(field, one)).join(', ');
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (typeof value !== 'string') return '';
  return field.options.find(({ id }) => id === value)?.value ?? value;
}
