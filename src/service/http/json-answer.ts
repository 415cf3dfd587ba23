import { Readable } from 'node:stream';
import { setImmediate as others } from 'node:timers/promises';

import type { z } from 'zod';

/** Records validated and written at once: a few milliseconds. */
const SLICE = 100;

/**
 * Serializes a response to JSON and validates it against its schema: an unintended column causes an error instead of a
 * leak. A list of more than a hundred records is written in slices, with the event loop free in between; an invalid
 * record ends the connection.
 */
export function jsonAnswer(schema: z.ZodType, answer: unknown): string | Readable {
  const list = longList(schema, answer);
  return list ? Readable.from(slices(list)) : JSON.stringify(schema.parse(answer));
}

interface LongList {
  item: z.ZodArray;
  items: readonly unknown[];
  /** Everything besides the items, validated. */
  rest: object;
}

function longList(schema: z.ZodType, answer: unknown): LongList | undefined {
  const { items, ...rest } = (answer ?? {}) as { items?: unknown };
  if (!Array.isArray(items) || items.length <= SLICE) return undefined;
  const shape = (schema as z.ZodObject).shape as { items: z.ZodArray };
  return { item: shape.items, items, rest: (schema as z.ZodObject).omit({ items: true }).parse(rest) };
}

async function* slices({ item, items, rest }: LongList): AsyncGenerator<string> {
  yield `${JSON.stringify(rest).slice(0, -1)},"items":[`;
  for (let from = 0; from < items.length; from += SLICE) {
    const records = JSON.stringify(item.parse(items.slice(from, from + SLICE)));
    yield `${from === 0 ? '' : ','}${records.slice(1, -1)}`;
    await others();
  }
  yield ']}';
}
