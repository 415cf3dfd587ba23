import { readFileSync } from 'node:fs';

import type { CompiledQuery } from 'kysely';

/** The meaning of a parameter of a recorded statement when it runs again for another request. */
export type Parameter =
  | { is: 'the ticket' | 'the content' | 'the time' }
  /** An id that was made for this request; the same number stands for the same id. */
  | { is: 'a new id'; number: number }
  | { is: 'a text with new ids'; text: string }
  | { is: 'bytes'; base64: string }
  | { is: 'as recorded'; value: unknown };

export interface Statement {
  text: string;
  parameters: Parameter[];
}

/** The statements of one request of each kind. */
export type Recorded = Record<string, Statement[]>;

/** The values of the recorded request that change with each request. */
interface Request {
  ticketId: string;
  content: string;
}

/** The prefix of ids that are made while a request is recorded; a number follows. */
export const NEW_ID = 'bench-new-';

export function statementOf({ sql, parameters }: CompiledQuery, request?: Request): Statement {
  return { text: sql, parameters: parameters.map((value) => parameterOf(value, request)) };
}

/** Replaces the ids in a recorded text by those that they have in another request. */
export function withNewIds(text: string, idOf: (number: number) => string): string {
  return text.replace(NEW_IDS, (_whole, number: string) => idOf(Number(number)));
}
const NEW_IDS = new RegExp(`${NEW_ID}(\\d+)`, 'g');

function parameterOf(value: unknown, request: Request | undefined): Parameter {
  if (request && value === request.ticketId) return { is: 'the ticket' };
  if (request && value === request.content) return { is: 'the content' };
  if (value instanceof Date) return { is: 'the time' };
  if (Buffer.isBuffer(value)) return { is: 'bytes', base64: value.toString('base64') };
  if (typeof value === 'string' && value.startsWith(NEW_ID))
    return { is: 'a new id', number: Number(value.slice(NEW_ID.length)) };
  if (typeof value === 'string' && value.includes(NEW_ID)) return { is: 'a text with new ids', text: value };
  return { is: 'as recorded', value };
}

export function readRecorded(file: string): Recorded {
  return JSON.parse(readFileSync(file, 'utf8')) as Recorded;
}
