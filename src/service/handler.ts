import type {
  ParsedBody,
  ParsedParams,
  ParsedQuery,
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

/** Who calls: an API key. */
export interface Caller {
  keyId: string;
  role: Role;
  /** What speaks with the key. */
  source: Source;
  /** The home workspace, used where a call names none. */
  workspaceId: string;
  /** All workspaces the key can access; every query is narrowed to them. */
  workspaceIds: readonly string[];
  /** The key's service user: the default author. */
  personId: string | null;
}

/** What a handler gets, already validated. */
export interface Call<N extends RouteName> {
  caller: Caller;
  params: ParsedParams<N>;
  query: ParsedQuery<N>;
  body: ParsedBody<N>;
  now: Date;
  /** Where a write tells its events. */
  outbox: Outbox;
}

/** What handlers need beside the call. */
export interface Tools {
  newId: NewId;
  /** 0 ≤ x < 1. */
  random: () => number;
  /** Bytes that nobody can guess. */
  randomBytes: (length: number) => Buffer;
  /** Whether a webhook may be registered at this URL; names are resolved and checked only when it is called. */
  webhookUrlAllowed: (url: string) => boolean;
  /** What must be readable to us and to nobody who only has the database. */
  sealing: Sealing;
  /** Where this service is reached from outside, without `/api`: for the addresses of pictures it serves. */
  publicUrl: string;
}

/** The answer of an operation that says whether it made the record. */
export interface CreatedOrFound<Record> {
  record: Record;
  created: boolean;
}

type HandlerAnswer<N extends RouteName> = (typeof routes)[N] extends { saysCreated: true }
  ? CreatedOrFound<RouteAnswer<N>>
  : RouteAnswer<N> | Exclude<RouteThinAnswer<N>, undefined>;

/**
 * A handler that reads gets the pool's handle. One that writes runs inside one transaction, whose handle is all it
 * sees: what it writes and the event of it commit together, or neither does.
 */
export type Handler<N extends RouteName> = (typeof routes)[N]['method'] extends 'GET'
  ? (call: Call<N>, db: ServiceDb) => Promise<HandlerAnswer<N>>
  : (call: Call<N>, tx: ServiceTx) => Promise<HandlerAnswer<N>>;

/** One per row of the route table; the compiler checks that none is missing. */
export type Handlers = { [N in RouteName]: Handler<N> };
