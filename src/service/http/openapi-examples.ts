import { z } from 'zod';

import { ID_PREFIXES } from '../../contract/index.ts';
import { NAMES, VALUES } from './openapi-values.ts';

const SOME_TIME = '2026-11-20T09:30:00.000Z';
/** Tried in this order if a field's name is unknown; the first one that the schema accepts is used. */
const TEXTS = [
  SOME_TIME,
  'https://desk.acme.example/',
  'ada@acme.example',
  '#2f6f4f',
  'IT',
  'it',
  'id',
  'day',
];

/**
 * Returns a plausible value for a schema, derived from the schema itself: so every operation has an up-to-date example.
 * Names have priority (`openapi-values.ts`), then types. A request (`io` input) shows required fields and those
 * optional ones that have a value; a response shows every field.
 */
export function exampleOf(schema: z.core.$ZodType, io: 'input' | 'output', name = '', owner = ''): unknown {
  // Only values that the schema accepts: a `status` is a word here and a record there.
  const known = knownValue(name, owner);
  if (known !== undefined && takes(schema, known)) return known;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return objectOf(def.shape, io, recordOf(schema, name) || owner);
    case 'array':
      return [exampleOf(def.element, io, singular(name), name)];
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
      return exampleOf(def.innerType, io, name, owner);
    case 'pipe':
      return exampleOf(io === 'input' ? def.in : def.out, io, name, owner);
    case 'lazy':
      return null;
    case 'union':
      return exampleOf(def.options[0] as z.core.$ZodType, io, name, owner);
    case 'record':
      return dictionaryOf(def.keyType, def.valueType, io);
    case 'tuple':
      return def.items.map((item) => exampleOf(item, io, ''));
    case 'enum':
      return Object.values(def.entries)[0];
    case 'literal':
      return def.values[0];
    case 'boolean':
      return false;
    case 'number':
      return [1, 5, 0, 100].find((number) => takes(schema, number)) ?? 1;
    case 'string':
      return textOf(schema, name, owner);
    default:
      return null;
  }
}

/** Returns the value for a field's name; ids and names are those of the record that contains the field. */
function knownValue(name: string, owner: string): unknown {
  if (name === 'id') return idOf(owner);
  if (name === 'name') return NAMES[owner] ?? VALUES['name'];
  return Object.hasOwn(VALUES, name) ? VALUES[name] : undefined;
}

/** Returns the kind of record that an object is: by its name in the API, else by the field that contains it. */
function recordOf(schema: z.core.$ZodType, name: string): string {
  const named = z.globalRegistry.get(schema as z.ZodType)?.id ?? name;
  const record = singular(named.charAt(0).toLowerCase() + named.slice(1));
  return RECORDS[record] ?? record;
}

/** Records with another name where they are embedded or reshaped. */
const RECORDS: Readonly<Record<string, string>> = {
  approver: 'user',
  author: 'user',
  autoAssignee: 'user',
  chatTriageChannel: 'chatChannel',
  children: 'ticket',
  createdApiKey: 'apiKey',
  follower: 'user',
  messageEvent: 'event',
  thinTicket: 'ticket',
  ticketDetail: 'ticket',
  ticketEvent: 'event',
  pingEvent: 'event',
};

const PREFIXES: Readonly<Record<string, string>> = ID_PREFIXES;

function idOf(record: string): string {
  return `${PREFIXES[record] ?? 'rec'}_01k9zj5m8w4r2tq7y6x3c1v0b9`;
}

function objectOf(
  shape: Readonly<Record<string, z.core.$ZodType>>,
  io: 'input' | 'output',
  owner: string,
): unknown {
  const fields = Object.entries(shape).filter(
    ([name, field]) => io === 'output' || !isOptional(field) || (VALUES[name] ?? null) !== null,
  );
  // A later page can be requested in three ways; the example requests the first page.
  const shown = fields.filter(([name]) => io === 'output' || !['cursor', 'skip', 'offset'].includes(name));
  return Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(field, io, name, owner)]));
}

function dictionaryOf(keys: z.core.$ZodType, values: z.core.$ZodType, io: 'input' | 'output'): unknown {
  const { def } = (keys as z.core.$ZodTypes)._zod;
  const key = def.type === 'enum' ? Object.values(def.entries)[0] : 'office_floor';
  const value = exampleOf(values, io, '');
  return { [String(key)]: value ?? 'Third floor' };
}

function textOf(schema: z.core.$ZodType, name: string, owner: string): string {
  const record = name.replace(/Ids?$/, '');
  // Relations reduced to ids have the record's own name: `queue`, `tags`.
  const isId = record !== name || RECORDS[record] !== undefined || PREFIXES[record] !== undefined;
  const wanted = isId ? [idOf(RECORDS[record] ?? record), ...TEXTS] : [wordsOf(name), ...TEXTS];
  // Instants are tried before texts, if a text would match only by chance.
  const candidates = takes(schema, 'words') ? wanted : TEXTS;
  return candidates.find((text) => takes(schema, text)) ?? idOf(owner);
}

/** Turns `negativeFeedback` into "negative feedback", so that an unknown text at least names its subject. */
function wordsOf(name: string): string {
  return name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase() || 'text';
}

function singular(name: string): string {
  return name.replace(/(?<!u)s$/, '');
}

function isOptional(schema: z.core.$ZodType): boolean {
  return (schema as z.core.$ZodTypes)._zod.optin === 'optional';
}

function takes(schema: z.core.$ZodType, value: unknown): boolean {
  return (schema as z.ZodType).safeParse(value).success;
}
