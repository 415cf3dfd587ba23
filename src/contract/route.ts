import type { z } from 'zod';

import type { AuditAction } from './audit-entry.ts';
import type { PersonRole, Role } from './enums.ts';
import type { ErrorCode } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One operation of the API, as data. */
export interface Route {
  method: Method;
  /** Path below the base URL; parameters in braces, as in the specification. */
  path: `/${string}`;
  /** The lowest role that a key needs. */
  role: Role;
  /** The lowest role that a signed-in person needs; null: only keys may call it. */
  person: PersonRole | null;
  /** Beyond the specification: another implementation may answer 404 or 405. */
  ext: boolean;
  /** One line for the API reference. */
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodObject;
  answer: z.ZodType;
  /** The response with `responseType=thin`. */
  thin?: z.ZodType;
  /** Whether the `x-created` response header says if this call created the record. */
  saysCreated?: true;
  /** Whether the response headers `TICKET_HEADERS` describe the ticket. */
  saysTicket?: true;
  /** Error codes of this operation, in addition to those of every operation. */
  errors?: readonly ErrorCode[];
  /**
   * The action of a successful write in the audit log; `own`: its handler records it. When absent, a write of the role
   * `admin` is `settings.changed`, and any other is not recorded.
   */
  audit?: AuditAction | 'own';
  /** Bytes; LIMITS.body when absent. */
  bodyLimit?: number;
}

/** `true` if the call created the record, `false` if it found an existing one. */
export const CREATED_HEADER = 'x-created';
/** Its requester (empty: none) and its status group as they are after the call, URI-encoded. */
export const TICKET_HEADERS = { requester: 'x-ticket-requester', statusGroup: 'x-ticket-status-group' };
/** Request header with the id of a webhook of the same key: that webhook gets no events of this write. */
export const ORIGIN_HEADER = 'x-origin-webhook';

/** Keeps a row's exact types while checking it. */
export function route<const R extends Route>(row: R): R {
  return row;
}
