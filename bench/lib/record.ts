import { type CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';

import { type RouteName, routes } from '../../src/contract/index.ts';
import { Engine } from '../../src/platform/engine/index.ts';
import { createLog } from '../../src/platform/log.ts';
import { createSealing } from '../../src/platform/sealing.ts';
import type { Call, Tools } from '../../src/service/handler.ts';
import { createHandlers } from '../../src/service/handlers.ts';
import { runHandler } from '../../src/service/http/answer.ts';
import { validate } from '../../src/service/http/validate.ts';
import type { Tables } from '../../src/service/schema/tables.ts';
import { createKnownCallers } from '../../src/service/http/known-callers.ts';
import { createEmbeddings } from '../../src/service/search/embeddings.ts';
import { type ServiceEngine, SLOTS } from '../../src/service/work.ts';
import { TOKEN } from './desk.ts';
import { NEW_ID, type Recorded, statementOf } from './statements.ts';

/** The statements of one request of each kind, as the service's own handlers make them. */
export async function record(url: string, ticketId: string): Promise<Recorded> {
  const pool = new pg.Pool({
    connectionString: url,
    options: '-c search_path=service,public -c timezone=UTC',
    max: 4,
  });
  let seen: CompiledQuery[] = [];
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void seen.push(query),
  });
  let made = 0;
  const tools: Tools = {
    newId: () => `${NEW_ID}${made++}`,
    random: Math.random,
    randomBytes: (length) => Buffer.alloc(length),
    webhookUrlAllowed: () => true,
    sealing: createSealing([Buffer.alloc(32)]),
    publicUrl: '',
  };
  const embeddings = createEmbeddings({}, () => new Date());
  const handlers = createHandlers(tools, embeddings);
  // It is not started: it plans work, and does none.
  const engine: ServiceEngine = new Engine({
    database: { db, schema: 'service', pool, connection: {}, close: () => db.destroy() },
    log: createLog({ level: 'silent', pretty: false }),
    slots: SLOTS,
  });
  const keys = createKnownCallers(db, engine, { now: () => new Date() });
  const request = { ticketId, content: 'what was recorded' };
  async function statements(name: RouteName, raw: { params?: unknown; query?: unknown; body?: unknown }) {
    const caller = await keys.callerOf(TOKEN);
    seen = [];
    const { params, query, body } = validate(routes[name], {
      params: raw.params ?? {},
      query: raw.query ?? {},
      body: raw.body,
    });
    const call = { caller, params, query, body, now: new Date() } as Omit<Call<RouteName>, 'outbox'>;
    await runHandler(name, call, { db, engine, handlers, tools });
    // Every list request returns the same tickets.
    const varying = name === 'listTickets' ? undefined : request;
    return seen.map((statement) => statementOf(statement, varying));
  }
  try {
    return {
      read: await statements('readTicket', { params: { id: ticketId } }),
      list: await statements('listTickets', { query: { limit: '100' } }),
      write: await statements('createTicketMessage', { body: { ...request } }),
    };
  } finally {
    await embeddings.stop();
    await db.destroy();
  }
}
