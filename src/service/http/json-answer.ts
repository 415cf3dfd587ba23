import { Readable } from 'node:stream';

import type { z } from 'zod';

import { ownTurn } from '../../platform/own-turn.ts';

/** Records, and characters of their JSON, validated and written at once: a few milliseconds. */
const PORTION = 100;
const PORTION_CHARACTERS = 256 * 1024;

/** The field of an answer that may be long: of a list, and of a trend. */
const LONG_FIELDS = ['items', 'data'];

/**
 * Serializes a response to JSON and validates it against its schema: an unintended column causes an error instead of a
 * leak. A long list is written in portions, with the event loop free in between; an invalid record after the first
 * portion ends the connection.
 */
export function jsonAnswer(schema: z.ZodType, answer: unknown): string | Readable {
  const list = longList(schema, answer);
  if (!list) return JSON.stringify(schema.parse(answer));
  const portions = portionsOf(list);
  const first = portions.next();
  const second = portions.next();
  if (second.done) return `${listBeginning(list)}${first.value ?? ''}]}`;
  return Readable.from(written(list, [first.value ?? '', second.value], portions));
}

interface LongList {
  name: string;
  item: z.ZodType;
  items: readonly unknown[];
  /** Everything besides the items, validated. */
  rest: object;
}

function longList(schema: z.ZodType, answer: unknown): LongList | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const values = answer as Record<string, unknown>;
  const name = LONG_FIELDS.find((field) => Array.isArray(values[field]));
  const shape: Record<string, unknown> | undefined = (schema as Partial<z.ZodObject>).shape;
  const item = name === undefined ? undefined : (shape?.[name] as Partial<z.ZodArray> | undefined)?.element;
  if (name === undefined || !item) return undefined;
  const { [name]: items, ...rest } = values;
  return {
    name,
    item: item as z.ZodType,
    items: items as unknown[],
    rest: schemaWithout(name, schema).parse(rest) as object,
  };
}

/** By the schema of the whole answer, of which each has one long field: making a schema takes longer than using it. */
const withoutLongField = new WeakMap<z.ZodType, z.ZodType>();

function schemaWithout(name: string, schema: z.ZodType): z.ZodType {
  const made = withoutLongField.get(schema) ?? (schema as z.ZodObject).omit({ [name]: true } as never);
  withoutLongField.set(schema, made);
  return made;
}

const listBeginning = ({ rest, name }: LongList) => {
  const fields = JSON.stringify(rest).slice(0, -1);
  return `${fields}${fields === '{' ? '' : ','}${JSON.stringify(name)}:[`;
};

function* portionsOf({ item, items }: LongList): Generator<string, undefined> {
  let [records, characters]: [string[], number] = [[], 0];
  for (const each of items) {
    const record = JSON.stringify(item.parse(each));
    records.push(record);
    characters += record.length;
    if (records.length < PORTION && characters < PORTION_CHARACTERS) continue;
    yield records.join(',');
    [records, characters] = [[], 0];
  }
  if (records.length > 0) yield records.join(',');
  return undefined;
}

async function* written(
  list: LongList,
  first: readonly string[],
  more: Iterable<string>,
): AsyncGenerator<string> {
  yield `${listBeginning(list)}${first.join(',')}`;
  for (const portion of more) {
    await ownTurn();
    yield `,${portion}`;
  }
  yield ']}';
}
