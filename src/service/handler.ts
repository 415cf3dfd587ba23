import type {
  ParsedBody,
  ParsedParams,
  ParsedQuery,
  PersonRole,
  Role,
  RouteAnswer,
  RouteName,
  routes,
  RouteThinAnswer,
  Source,
} from '../contract/index.ts';
import type { Db, Tx } from '../platform/database/open.ts';
import type { NewId } from '../platform/ids.ts';
import type { Sealing } from '../platform/sealing.ts';
import type { Outbox } from './outbox.ts';
import type { Tables } from './schema/tables.ts';

export type ServiceDb = Db<Tables>;
export type ServiceTx = Tx<Tables>;

/** The session of a signed-in person. */
export interface CallerSession {
  id: string;
  role: PersonRole;
  /** The queues whose team the person is of; null: every queue of the workspace. */
  queueIds: readonly string[] | null;
}

/** The queues that a caller can access through a given interface, in addition to their other permissions. */
export interface Reach {
  /** The queues whose tickets they read and change. */
  queueIds: readonly string[];
  /** The queues among them whose private tickets, internal notes and private answers the caller can read. */
  privateQueueIds: readonly string[];
}

/** The API key or session of a request. */
export interface Caller {
  /** Null for a session, and for the service's own writes. */
  keyId: string | null;
  role: Role;
  /** The kind of program that uses the key. */
  source: Source;
  /** The home workspace, used if a call names none. */
  workspaceId: string;
  /** All workspaces that the key can access; every query is limited to them. */
  workspaceIds: readonly string[];
  /** The queues whose tickets a key reads and writes; null or absent: all. */
  queueIds?: readonly string[] | null;
  /** The key's service user, the default author; the person of a session. */
  personId: string | null;
  /** Absent for a key, whose role and workspaces say all. */
  session?: CallerSession;
  /** The workflow, of what a run of it writes. */
  workflowId?: string;
  /** Narrows what the caller reads and writes: AI tools reach only what the switches of queues say. */
  reach?: Reach;
  /** The AI agent that acts with this key, and the only ticket that it changes. */
  agent?: { id: string; ticketId: string };
  /** The webhook of this key that is not told of what the request writes. */
  originWebhook?: string | undefined;
  /**
   * Records that an admin opens tickets that only a team reads (`withOpenings`), before anything of them is answered;
   * absent for everybody else, and for the service's own reads.
   */
  noteOpened?: (db: ServiceDb, ticketIds: readonly string[]) => Promise<void>;
  /** Waits until a large answer may be made; absent for the service's own reads. */
  takeLargeAnswer?: () => Promise<void>;
}

/** The input of a handler, already validated. */
export interface Call<N extends RouteName> {
  caller: Caller;
  params: ParsedParams<N>;
  query: ParsedQuery<N>;
  body: ParsedBody<N>;
  now: Date;
  /** Collects the events of a write. */
  outbox: Outbox;
}

/** Dependencies of handlers. */
export interface Tools {
  newId: NewId;
  /** 0 ≤ x < 1. */
  random: () => number;
  /** Cryptographically random bytes. */
  randomBytes: (length: number) => Buffer;
  /** Returns whether a webhook may have this URL; host names are resolved and checked only at each call. */
  webhookUrlAllowed: (url: string) => boolean;
  /** Encrypts secrets that the database alone must not reveal. */
  sealing: Sealing;
  /** Public URL of this service, without `/api`; for the URLs of pictures it serves. */
  publicUrl: string;
}

/** The result of an operation that says whether it created the record. */
export interface CreatedOrFound<Record> {
  record: Record;
  created: boolean;
  /** For an operation with `saysTicket`. */
  ticket?: { requesterId: string | null; statusGroup: string };
}

type HandlerAnswer<N extends RouteName> = (typeof routes)[N] extends { saysCreated: true }
  ? CreatedOrFound<RouteAnswer<N>>
  : RouteAnswer<N> | Exclude<RouteThinAnswer<N>, undefined>;

/** Writes that are one statement, and have no event. */
export const OWN_TRANSACTION = ['addChatMessage'] as const satisfies readonly RouteName[];

/**
 * Handles one operation. A read gets the connection pool. A write runs in one transaction, whose handle is all it gets:
 * the write and its event commit together, or neither does.
 */
export type Handler<N extends RouteName> = N extends
  | (typeof OWN_TRANSACTION)[number]
  | { [R in RouteName]: (typeof routes)[R]['method'] extends 'GET' ? R : never }[RouteName]
  ? (call: Call<N>, db: ServiceDb) => Promise<HandlerAnswer<N>>
  : (call: Call<N>, tx: ServiceTx) => Promise<HandlerAnswer<N>>;

/** One per row of the route table; the compiler checks that none is missing. */
export type Handlers = { [N in RouteName]: Handler<N> };
