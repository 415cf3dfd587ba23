import type { z } from 'zod';

import { mayBeNull } from '../../contract/index.ts';

/**
 * Parses the values of a query for its schema. A query contains only text: numbers and booleans are parsed if the
 * schema needs them; empty text and `null` mean absent (docs/api.md, Conventions), other than in the words of a search,
 * where `null` is a word. Anything that cannot be parsed stays
 * text, which the schema then rejects.
 */
export function readQuery(schema: z.ZodObject, given: Record<string, unknown>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries<z.core.$ZodType>(schema.shape)) {
    const value = given[name];
    if (value === undefined || value === '' || (value === 'null' && !isWord(field))) continue;
    values[name] = typeof value === 'string' ? readText(acceptedType(field), value) : value;
  }
  return values;
}

/** Inside optional wrappers. */
function isWord(schema: z.core.$ZodType): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return mayBeNull.has(schema) || ('innerType' in def && isWord(def.innerType));
}

function readText(kind: string, text: string): unknown {
  if (kind === 'number' && /^[+-]?\d{1,15}(\.\d+)?$/.test(text)) return Number(text);
  if (kind === 'boolean') {
    if (text === 'true' || text === '1') return true;
    if (text === 'false' || text === '0') return false;
  }
  return text;
}

/** Returns the type that a schema accepts, inside optional and transforming wrappers. */
function acceptedType(schema: z.core.$ZodType): string {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return acceptedType(def.innerType);
    case 'pipe':
      return acceptedType(def.in);
    default:
      return def.type;
  }
}
