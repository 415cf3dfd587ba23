/**
 * What the service adds to its own SQL: `node bench/service.ts`. Compares three operations with a handler of
 * bare node:http and pg that runs the same statements on the same Postgres. The statements are recorded from
 * the service itself, so they stay the same as it changes.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { freePorts } from '../test/harness/ports.ts';
import { KEY, TOKEN, UNLIMITED } from './lib/desk.ts';
import type { Figure } from './lib/figures.ts';
import { inTurn, must } from './lib/load.ts';
import { startPostgres } from './lib/postgres.ts';
import { scratch, startBaseline, startDeskbridge } from './lib/programs.ts';
import { record } from './lib/record.ts';
import { type Rig, runAlone } from './lib/report.ts';
import type { Recorded } from './lib/statements.ts';

/** Requests in flight. */
const AT_ONCE = 16;

export const service: Rig = { title: 'The service', minutes: 4, measure };

interface Operation {
  name: string;
  requests: number;
  send(base: string, ticketId: string): Promise<unknown>;
}

const OPERATIONS: readonly Operation[] = [
  {
    name: 'POST /ticket-messages',
    requests: 800,
    send: (base, ticketId) =>
      must('POST', `${base}/api/ticket-messages`, { ticketId, content: 'My laptop does not start.' }, KEY),
  },
  {
    name: 'GET /tickets?limit=100',
    requests: 150,
    send: (base) => must('GET', `${base}/api/tickets?limit=100`, undefined, KEY),
  },
  {
    name: 'GET /tickets/{id}',
    requests: 2_000,
    send: (base, ticketId) => must('GET', `${base}/api/tickets/${ticketId}`, undefined, KEY),
  },
];

async function measure(rounds: number): Promise<Figure[]> {
  const postgres = await startPostgres();
  const url = await postgres.database('service');
  const [port = 0, barePort = 0] = await freePorts(2);
  await startDeskbridge(['service', '--demo'], {
    DATABASE_URL: url,
    PORT: String(port),
    SERVICE_API_TOKEN: TOKEN,
    RATE_LIMIT_PER_MINUTE: UNLIMITED,
  });
  const ours = `http://127.0.0.1:${port}`;
  const { items } = (await must('GET', `${ours}/api/tickets?limit=100`, undefined, KEY)) as {
    items: { id: string }[];
  };
  const tickets = items.map(({ id }) => id);
  const statements = path.join(scratch(), 'statements.json');
  const recorded = await record(url, tickets[0] ?? '');
  writeFileSync(statements, JSON.stringify(recorded));
  await startBaseline('bare-service.ts', {
    DATABASE_URL: url,
    PORT: String(barePort),
    STATEMENTS: statements,
  });
  const bare = `http://127.0.0.1:${barePort}`;
  const figures: Figure[] = [];
  for (const operation of OPERATIONS) {
    const perSecond = async (base: string, count: number) => {
      const requests = Array.from({ length: count }, (_, at) => tickets[at % tickets.length] ?? '');
      const began = performance.now();
      await inTurn(requests, AT_ONCE, (ticketId) => operation.send(base, ticketId));
      return count / ((performance.now() - began) / 1000);
    };
    const found = { ours: [] as number[], bare: [] as number[] };
    for (const base of [ours, bare]) await perSecond(base, operation.requests / 2);
    for (let round = 0; round < rounds; round++) {
      found.ours.push(await perSecond(ours, operation.requests));
      found.bare.push(await perSecond(bare, operation.requests));
    }
    figures.push({
      name: operation.name,
      unit: 'requests/s',
      ours: found.ours,
      baseline: { name: 'bare node:http and pg, the same SQL', values: found.bare },
      goal: { atLeast: 0.7 },
      note: noteOf(recorded),
    });
  }
  return figures;
}

function noteOf({ write = [], list = [], read = [] }: Recorded): string {
  return `SQL statements per request: ${write.length} to write a message, ${list.length} to list, ${read.length} to read. The service also validates the request and the answer, counts the key's limit, and writes a log line, which weighs most where statements are few and short. ${AT_ONCE} requests are in flight.`;
}

if (import.meta.main) await runAlone(service);
