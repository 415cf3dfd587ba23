import { unescape } from 'node:querystring';
import { setTimeout as wait } from 'node:timers/promises';

import {
  CREATED_HEADER,
  LIMITS,
  ORIGIN_HEADER,
  readErrorBody,
  TICKET_HEADERS,
  type RouteAnswer,
  type RouteBody,
  type RouteName,
  type RouteParams,
  type RouteQuery,
  routes,
  type Tolerant,
  tolerant,
} from '../contract/index.ts';
import { AnsweredError, ProxyError, ServiceError, UnreadableError } from './errors.ts';
import { ATTEMPT_TIMEOUT_MS, type Connections, type Request, type Success, Transport } from './transport.ts';

export interface ClientOptions {
  /** Base URL of the service, with `/api`. */
  baseUrl: string;
  token: string;
  /** Header of the key; default `x-service-api-token`. */
  tokenHeader?: string;
  now: () => Date;
  /** 0 ≤ x < 1, for jitter. */
  random: () => number;
  /** Time limit of one attempt in milliseconds; default 5,000. */
  attemptTimeoutMs?: number;
  /** Time limit of one call, including all attempts and waits, in milliseconds; default 12,000. */
  totalTimeoutMs?: number;
  /** Maximum number of attempts per call; default 3. */
  attempts?: number;
  /** Connections that clients share, of `openConnections`; `close` leaves them open. Default: a pool of its own. */
  connections?: Connections;
  /** The webhook of this key that gets no events of what this client writes; none while undefined. */
  origin?: () => string | undefined;
  /** Called when the service has done an operation, such as `POST /tickets`. */
  onDone?: (done: { operation: string; writes: boolean }) => void;
  /** Wraps every attempt and supplies extra headers, for tracing. */
  traced?: <Result>(
    operation: string,
    attempt: (headers: Record<string, string>) => Promise<Result>,
  ) => Promise<Result>;
}

type Given<Key extends string, Value> = undefined extends Value
  ? Value extends undefined
    ? unknown
    : { [K in Key]?: Value }
  : { [K in Key]: Value };
type CallInput<N extends RouteName> = Given<'params', RouteParams<N>> &
  ([RouteQuery<N>] extends [undefined] ? unknown : { query?: RouteQuery<N> }) &
  Given<'body', RouteBody<N>>;
export type Answer<N extends RouteName> = Tolerant<RouteAnswer<N>>;

/** What a ticket is after a message was added to it. */
export interface TicketState {
  requesterId: string | null;
  statusGroup: string;
}

export interface CallOptions {
  signal?: AbortSignal;
}

type Calls = { [N in RouteName]: (input: CallInput<N>, options?: CallOptions) => Promise<Answer<N>> };
type CreatingRoute = {
  [N in RouteName]: (typeof routes)[N] extends { saysCreated: true } ? N : never;
}[RouteName];
type ListRoute = {
  [N in RouteName]: Answer<N> extends { items: unknown[]; nextCursor: string | null } ? N : never;
}[RouteName];
type ItemOf<N extends ListRoute> = Answer<N> extends { items: (infer Item)[] } ? Item : never;

/**
 * The typed client of the API: one method per operation. A call is retried only where that is safe (reads, idempotent
 * writes, and calls that certainly had no effect), within its total time; then it throws a ServiceError that says what
 * to do next and whether the call certainly had no effect.
 */
export interface Client extends Calls {
  /**
   * Returns every record of a list, page by page by cursor; no record appears twice while others are inserted. If a
   * service sends no cursor with a full page, the client continues by offset.
   */
  all<N extends ListRoute>(name: N, input: CallInput<N>, options?: CallOptions): AsyncGenerator<ItemOf<N>>;
  /**
   * Creates a record and returns whether this call created it or found one stored for the same chat pair, and of a
   * message what has become of its ticket. Both are undefined if the service does not say: the headers are not part of
   * the published interface.
   */
  createOrFind<N extends CreatingRoute>(
    name: N,
    input: CallInput<N>,
    options?: CallOptions,
  ): Promise<{ record: Answer<N>; created: boolean | undefined; ticket: TicketState | undefined }>;
  close(): Promise<void>;
}

const DEFAULTS = {
  attemptTimeoutMs: ATTEMPT_TIMEOUT_MS,
  totalTimeoutMs: 12_000,
  attempts: 3,
  tokenHeader: 'x-service-api-token',
  origin: () => undefined,
  onDone: () => undefined,
  traced: <Result>(_: string, attempt: (headers: Record<string, string>) => Promise<Result>) => attempt({}),
};
const FIRST_WAIT_MS = 200;
const NOTHING_SAID = readErrorBody(undefined);
const mayMeanMissing = (error: unknown): error is ProxyError =>
  error instanceof ProxyError && error.mayMeanMissing;

interface AnyInput {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean | null | undefined>;
  body?: Record<string, unknown>;
}

export function createClient(options: ClientOptions): Client {
  const settings = { ...DEFAULTS, ...options };
  const transport = new Transport({
    baseUrl: settings.baseUrl,
    headers: {
      [settings.tokenHeader]: settings.token,
      accept: 'application/json',
      'user-agent': 'deskbridge',
    },
    attemptTimeoutMs: settings.attemptTimeoutMs,
    connections: settings.connections,
  });

  /**
   * Sends a request once, for an operation that the service may lack: a page instead of its answer is either how the
   * service says so, or a proxy's while there is no service. An operation that every service has tells; then the
   * request is repeated, because the service may have come back in between. Throws AnsweredError if it lacks the
   * operation.
   */
  async function sendOptional(request: Request): Promise<Success> {
    try {
      return await transport.attempt(request, settings.now());
    } catch (error) {
      if (!mayMeanMissing(error)) throw error;
    }
    const { headers, signal } = request;
    const { method, path } = routes.listStatuses;
    const known = { what: `${method} ${path}`, method, path: `${path}?limit=1`, body: undefined };
    await transport.attempt({ ...known, headers, signal }, settings.now());
    try {
      return await transport.attempt(request, settings.now());
    } catch (error) {
      throw mayMeanMissing(error)
        ? new AnsweredError(request.what, error.status, NOTHING_SAID, undefined)
        : error;
    }
  }

  async function send(
    name: RouteName,
    input: AnyInput,
    { signal }: CallOptions = {},
  ): Promise<{ record: unknown; headers: Success['headers'] }> {
    const { method, path, answer, role, ext } = routes[name];
    const what = `${method} ${path}`;
    const request = { what, method, path: pathOf(path, input), body: input.body, signal };
    // With the role `read` nothing can be changed: such a POST is a read with a long question.
    const repeatable = method !== 'POST' || role === 'read' || name === 'createUser';
    const deadline = settings.now().getTime() + settings.totalTimeoutMs;
    for (let attempt = 1; ; attempt++) {
      try {
        const origin = settings.origin();
        const own = origin === undefined ? {} : { [ORIGIN_HEADER]: origin };
        const answered = await settings.traced(`service ${name}`, (more) => {
          const headed = { ...request, headers: { ...own, ...more } };
          return ext || name === 'semanticSearch'
            ? sendOptional(headed)
            : transport.attempt(headed, settings.now());
        });
        const parsed = tolerant(answer).safeParse(answered.body);
        if (!parsed.success) throw new UnreadableError(what, parsed.error);
        settings.onDone({ operation: what, writes: method !== 'GET' && role !== 'read' });
        return { record: parsed.data, headers: answered.headers };
      } catch (error) {
        if (
          !(error instanceof ServiceError) ||
          error.next === 'give-up' ||
          // A POST that may have created a record is not repeated here: not every service recognises it by its chat
          // pair.
          !(repeatable || error.certain) ||
          attempt >= settings.attempts ||
          signal?.aborted
        )
          throw error;
        const pause = Math.max(
          error.retryAfterMs ?? 0,
          FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + settings.random()),
        );
        if (settings.now().getTime() + pause + settings.attemptTimeoutMs > deadline) throw error;
        await wait(pause, undefined, signal ? { signal } : {});
      }
    }
  }

  async function call(name: RouteName, input: AnyInput, callOptions?: CallOptions): Promise<unknown> {
    return (await send(name, input, callOptions)).record;
  }

  async function createOrFind(name: RouteName, input: AnyInput, callOptions?: CallOptions) {
    const { record, headers } = await send(name, input, callOptions);
    const header = headers[CREATED_HEADER];
    const created = header === 'true' ? true : header === 'false' ? false : undefined;
    return { record, created, ticket: ticketOf(headers) };
  }

  async function* all(name: RouteName, input: AnyInput, callOptions?: CallOptions): AsyncGenerator {
    const ask = async (from: { cursor?: string; offset?: number }) =>
      (await call(name, { ...input, query: { ...input.query, ...from } }, callOptions)) as Page;
    const first = await ask({});
    yield* first.items;
    let { nextCursor } = first;
    if (nextCursor === null) {
      yield* byOffset(ask, first, Number(input.query?.['limit'] ?? LIMITS.list.defaultLimit));
      return;
    }
    while (nextCursor !== null) {
      const page: Page = await ask({ cursor: nextCursor });
      yield* page.items;
      ({ nextCursor } = page);
    }
  }

  const calls = Object.fromEntries(
    Object.keys(routes).map((name) => [
      name,
      (input: AnyInput, callOptions?: CallOptions) => call(name as RouteName, input, callOptions),
    ]),
  );
  // The methods are built from the route table at run time; their types are derived from the same table.
  return { ...calls, all, createOrFind, close: () => transport.close() } as unknown as Client;
}

function ticketOf(headers: Success['headers']): TicketState | undefined {
  const requester = headers[TICKET_HEADERS.requester];
  const statusGroup = headers[TICKET_HEADERS.statusGroup];
  if (typeof requester !== 'string' || typeof statusGroup !== 'string') return undefined;
  return { requesterId: unescape(requester) || null, statusGroup: unescape(statusGroup) };
}

interface Page {
  items: unknown[];
  totalCount: number;
  nextCursor: string | null;
}

/** Returns the pages after a full first page without a cursor; none if the route has no offset either. */
async function* byOffset(
  ask: (from: { offset: number }) => Promise<Page>,
  first: Page,
  limit: number,
): AsyncGenerator {
  const begin = JSON.stringify(first.items[0]);
  let page = first;
  for (let seen = first.items.length; page.items.length >= limit; seen += page.items.length) {
    page = await ask({ offset: seen });
    if (JSON.stringify(page.items[0]) === begin) return;
    yield* page.items;
  }
}

function pathOf(path: string, { params = {}, query = {} }: AnyInput): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== '') search.append(key, String(value));
  return search.size > 0 ? `${filled}?${search.toString()}` : filled;
}
