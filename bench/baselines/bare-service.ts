/**
 * Bare node:http and pg: runs the statements that the service was recorded to run for the same request, one
 * after the other, and returns the rows of the longest result. It has no validation, rate limit or response
 * schema.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';

import pg from 'pg';

import { type Parameter, readRecorded, withNewIds } from '../lib/statements.ts';

const { DATABASE_URL = '', PORT = '', STATEMENTS = '' } = process.env;
const recorded = readRecorded(STATEMENTS);
const pool = new pg.Pool({
  connectionString: DATABASE_URL,
  options: '-c search_path=service,public -c timezone=UTC',
  max: 10,
});

interface Asked {
  ticket: string;
  content: string;
}

/** The timestamps of a ticket's messages differ. */
let last = 0;
function instant(): Date {
  last = Math.max(Date.now(), last + 1);
  return new Date(last);
}

async function answer(kind: string, { ticket, content }: Asked): Promise<unknown> {
  const time = instant();
  const ids = new Map<number, string>();
  const idOf = (number: number) => {
    const id = ids.get(number) ?? randomUUID();
    ids.set(number, id);
    return id;
  };
  const valueOf = (parameter: Parameter): unknown => {
    switch (parameter.is) {
      case 'the ticket':
        return ticket;
      case 'the content':
        return content;
      case 'the time':
        return time;
      case 'bytes':
        return Buffer.from(parameter.base64, 'base64');
      case 'a new id':
        return idOf(parameter.number);
      case 'a text with new ids':
        return withNewIds(parameter.text, idOf);
      case 'as recorded':
        return parameter.value;
    }
  };
  const client = await pool.connect();
  let longest: Record<string, unknown>[] = [];
  try {
    for (const [at, { text, parameters }] of (recorded[kind] ?? []).entries()) {
      const values = parameters.map(valueOf);
      // Prepared, like the service's own statements.
      const name = `${kind}-${at}`;
      const query = values.length > 0 ? { name, text, values } : { text };
      const { rows } = await client.query<Record<string, unknown>>(query);
      if (fields(rows) >= fields(longest)) longest = rows;
    }
  } finally {
    client.release();
  }
  return longest;
}

function fields(rows: readonly Record<string, unknown>[]): number {
  return rows.length * Object.keys(rows[0] ?? {}).length;
}

async function bodyOf(incoming: IncomingMessage): Promise<{ ticketId: string; content: string }> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as { ticketId: string; content: string };
}

async function handle(incoming: IncomingMessage): Promise<unknown> {
  if (incoming.method === 'POST') {
    const { ticketId, content } = await bodyOf(incoming);
    return answer('write', { ticket: ticketId, content });
  }
  const { pathname } = new URL(incoming.url ?? '', 'http://127.0.0.1');
  if (pathname === '/api/tickets') return answer('list', { ticket: '', content: '' });
  return answer('read', { ticket: pathname.replace('/api/tickets/', ''), content: '' });
}

const server = createServer((incoming, outgoing) => {
  handle(incoming)
    .then((found) => {
      const status = incoming.method === 'POST' ? 201 : 200;
      outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(found));
    })
    .catch((error: unknown) => {
      console.error(error);
      outgoing.writeHead(500).end();
    });
});
process.on('SIGTERM', () => process.exit());
server.listen(Number(PORT), '127.0.0.1', () => console.log('{"msg":"ready"}'));
