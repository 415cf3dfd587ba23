import type { z } from 'zod';

/** The workspace does not let us find out; the message says why. */
export class CannotTry extends Error {
  override readonly name = 'CannotTry';
}

/**
 * What of an answer is needed.
 * @throws CannotTry where it is not there.
 */
export function read<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.output<Schema> {
  const parsed = schema.safeParse(answer);
  if (!parsed.success) throw new CannotTry('an answer has not the fields that this needs');
  return parsed.data;
}
