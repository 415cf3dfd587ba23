import { type RouteName, routes } from '../../contract/index.ts';
import { transaction } from '../../platform/database/open.ts';
import { storeEvents } from '../delivery/store.ts';
import type { Call, Handlers, ServiceDb, ServiceTx, Tools } from '../handler.ts';
import { Outbox } from '../outbox.ts';

interface Surroundings {
  db: ServiceDb;
  handlers: Handlers;
  tools: Tools;
}

/** A handler without its types: which one is called is known only at run time. */
type AnyHandler = (call: Call<RouteName>, handle: ServiceDb | ServiceTx) => Promise<unknown>;

/**
 * Runs the handler of a route. A read gets the connection pool; a write gets one transaction, which also stores its
 * events at its end. A transaction that Postgres rolls back is repeated from the start.
 */
export async function answerOf(
  name: RouteName,
  call: Omit<Call<RouteName>, 'outbox'>,
  { db, handlers, tools }: Surroundings,
): Promise<unknown> {
  const handler = handlers[name] as AnyHandler;
  if (routes[name].method === 'GET') return handler({ ...call, outbox: new Outbox() }, db);
  return transaction(db, async (tx) => {
    const outbox = new Outbox();
    const answer = await handler({ ...call, outbox }, tx);
    await storeEvents(tx, { newId: tools.newId, now: call.now }, outbox);
    return answer;
  });
}
