import { z } from 'zod';

/** As much of JSON Schema (2020-12, which OpenAPI 3.1 takes as it is) as the contract becomes. */
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
 * Turns schemas of the contract into JSON Schema. Records with a name (`.meta({ id })`) are collected as components
 * and referred to. A record that differs between what is sent and what is answered would be two components of one
 * name; that is refused, because a reader could not tell them apart.
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
      // Linters want a schema there; `maxItems` says already that a tuple has no more.
      if (key === 'items' && value === false) return {};
      return value;
    }),
  ) as Json;
}
