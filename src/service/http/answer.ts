import { type RouteName, routes } from '../../contract/index.ts';
import { writeWithEvents } from '../delivery/store.ts';
import { recorded } from '../audit/record.ts';
import {
  type Call,
  type Handlers,
  OWN_TRANSACTION,
  type ServiceDb,
  type ServiceTx,
  type Tools,
} from '../handler.ts';
import { Outbox } from '../outbox.ts';
import type { ServiceEngine } from '../work.ts';

interface Surroundings {
  db: ServiceDb;
  engine: ServiceEngine;
  handlers: Handlers;
  tools: Pick<Tools, 'newId'>;
}

/** A handler without its types: which one is called is known only at run time. */
type AnyHandler = (call: Call<RouteName>, handle: ServiceDb | ServiceTx) => Promise<unknown>;

/**
 * Runs the handler of a route. A read gets the connection pool; a write gets one transaction, which also stores its
 * events at its end, unless it makes its own.
 */
export async function runHandler(
  name: RouteName,
  call: Omit<Call<RouteName>, 'outbox'>,
  { db, engine, handlers, tools }: Surroundings,
): Promise<unknown> {
  const handler = handlers[name] as AnyHandler;
  if (routes[name].method === 'GET' || (OWN_TRANSACTION as readonly RouteName[]).includes(name))
    return handler({ ...call, outbox: new Outbox() }, db);
  const context = { newId: tools.newId, now: call.now, caller: call.caller };
  return writeWithEvents(engine, context, (tx, outbox) =>
    recorded(name, call, { tx, handlers, newId: tools.newId }, () => handler({ ...call, outbox }, tx)),
  );
}
