import type { z } from 'zod';

import type { Role } from './enums.ts';
import type { ErrorCode } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One operation of the interface, as data. */
export interface Route {
  method: Method;
  /** Below the base URL; parameters in braces, as in the specification. */
  path: `/${string}`;
  /** The least role a key needs. */
  role: Role;
  /** Beyond the specification: another implementation may answer 404 or 405. */
  ext: boolean;
  /** One line for people, in the API reference. */
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodObject;
  answer: z.ZodType;
  /** The answer when the query says `responseType=thin`. */
  thin?: z.ZodType;
  /** Whether the answer says in the header `x-created` if this call made the record. */
  saysCreated?: true;
  /** Codes that this operation adds to those that any may answer. */
  errors?: readonly ErrorCode[];
  /** Bytes; LIMITS.body when absent. */
  bodyLimit?: number;
}

/** `true` where the call made the record, `false` where it found one stored before. */
export const CREATED_HEADER = 'x-created';

/** Keeps a row's exact types while checking that it is one. */
export function route<const R extends Route>(row: R): R {
  return row;
}
