import { z } from 'zod';

/** The subset of JSON Schema (2020-12, as used by OpenAPI 3.1) that the API needs. */
export interface Json {
  $ref?: string;
  $schema?: string;
  $defs?: Record<string, Json>;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Json[];
  oneOf?: Json[];
  items?: Json;
  prefixItems?: Json[];
  properties?: Record<string, Json>;
  required?: string[];
  additionalProperties?: Json | boolean;
  [keyword: string]: unknown;
}

const LOCAL = '#/$defs/';

/**
 * Converts schemas of the API to JSON Schema. Named records (`.meta({ id })`) become components and are referenced. A
 * record whose input and output differ would be two components with one name; that is an error, because a reader could
 * not tell them apart.
 */
export class Components {
  readonly schemas: Record<string, Json> = {};

  add(schema: z.ZodType, io: 'input' | 'output'): Json {
    const {
      $schema: _$schema,
      $defs = {},
      ...own
    } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
    for (const [name, definition] of Object.entries($defs)) this.#keep(name, definition);
    return pointToComponents(own);
  }

  #keep(name: string, definition: Json): void {
    const { id: _id, ...made } = pointToComponents(definition);
    const known = this.schemas[name];
    if (known && JSON.stringify(known) !== JSON.stringify(made))
      throw new TypeError(`two different schemas of the contract are named "${name}"`);
    this.schemas[name] = made;
  }
}

function pointToComponents(json: Json): Json {
  return JSON.parse(
    JSON.stringify(json, (key, value: unknown) => {
      if (key === '$ref' && typeof value === 'string' && value.startsWith(LOCAL))
        return `#/components/schemas/${value.slice(LOCAL.length)}`;
      // Linters require a schema there; `maxItems` already says that a tuple has no more.
      if (key === 'items' && value === false) return {};
      return value;
    }),
  ) as Json;
}
