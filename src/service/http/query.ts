import type { z } from 'zod';

/**
 * The values of a query as the contract's schema expects them. A query holds only texts: numbers and booleans are
 * read where the schema wants them; empty text and `null` mean absent (docs/api.md, Conventions). What cannot be
 * read stays a text, which the schema then refuses with its own words.
 */
export function readQuery(schema: z.ZodObject, given: Record<string, unknown>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries<z.core.$ZodType>(schema.shape)) {
    const value = given[name];
    if (value === undefined || value === '' || value === 'null') continue;
    values[name] = typeof value === 'string' ? readText(kindOf(field), value) : value;
  }
  return values;
}

function readText(kind: string, text: string): unknown {
  if (kind === 'number' && /^[+-]?\d{1,15}(\.\d+)?$/.test(text)) return Number(text);
  if (kind === 'boolean') {
    if (text === 'true' || text === '1') return true;
    if (text === 'false' || text === '0') return false;
  }
  return text;
}

/** What a schema takes, under whatever makes it optional or changes it afterwards. */
function kindOf(schema: z.core.$ZodType): string {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return kindOf(def.innerType);
    case 'pipe':
      return kindOf(def.in);
    default:
      return def.type;
  }
}
