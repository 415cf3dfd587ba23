import {
  type Route,
  type RouteAnswer,
  type RouteBody,
  type RouteName,
  type RouteParams,
  type RouteQuery,
  routes,
} from '../../contract/index.ts';
import { requireOwnIdentity } from '../access/identity.ts';
import { recorded } from '../audit/record.ts';
import type { Call, Caller, CreatedOrFound, Handlers, ServiceDb, ServiceTx } from '../handler.ts';
import { requireRole } from '../http/roles.ts';
import { validateValues } from '../http/validate.ts';
import { Outbox } from '../outbox.ts';
import { withOpenings } from '../tickets/opened.ts';
import type { NewId } from '../../platform/ids.ts';

/** The parts of a request, as a client sends them. */
interface Input<N extends RouteName> {
  params?: RouteParams<N>;
  query?: RouteQuery<N>;
  body?: RouteBody<N>;
}

/** Runs an operation of the API as a caller, with every check that a request gets. */
export type Operations = <N extends RouteName>(name: N, input: Input<N>) => Promise<RouteAnswer<N>>;

interface Surroundings {
  caller: Caller;
  now: Date;
  handlers: Handlers;
  newId: NewId;
}

/** A handler without its types: which one is called is known only at run time. */
type AnyHandler = (call: Call<RouteName>, handle: ServiceDb | ServiceTx) => Promise<unknown>;

/** Returns the operations that read. */
export function readingOperations(db: ServiceDb, around: Surroundings): Operations {
  return async (name, input) => {
    if (routes[name].method !== 'GET') throw new TypeError(`${name} does not only read`);
    const call = { ...requestOf(name, input, around), outbox: new Outbox() };
    return answerOf(name, await handlerOf(around.handlers, name)(call, db));
  };
}

/** Returns the operations that write, in a transaction that stores the events which they add. */
export function writingOperations(
  tx: ServiceTx,
  { outbox, ...around }: Surroundings & { outbox: Outbox },
): Operations {
  return async (name, input) => {
    const call = { ...requestOf(name, input, around), outbox };
    const { handlers, newId } = around;
    const write = () => handlerOf(handlers, name)(call, tx);
    return answerOf(name, await recorded(name, call, { tx, handlers, newId }, write));
  };
}

function handlerOf(handlers: Handlers, name: RouteName): AnyHandler {
  return handlers[name] as AnyHandler;
}

/** Returns the request for a handler, with the checks that a request gets before its handler. */
function requestOf<N extends RouteName>(
  name: N,
  { params, query, body }: Input<N>,
  { caller, now, newId }: Surroundings,
): Omit<Call<RouteName>, 'outbox'> {
  const route: Route = routes[name];
  requireRole(route, caller);
  const request = validateValues(route, { params, query: query ?? {}, body });
  requireOwnIdentity(caller, request.body);
  return withOpenings({ caller, now, ...request } as Omit<Call<RouteName>, 'outbox'>, newId);
}

/** Returns the record that a handler answers, checked against its schema as in a response. */
function answerOf<N extends RouteName>(name: N, answered: unknown): RouteAnswer<N> {
  const route: Route = routes[name];
  const record = route.saysCreated ? (answered as CreatedOrFound<unknown>).record : answered;
  return route.answer.parse(record) as RouteAnswer<N>;
}
