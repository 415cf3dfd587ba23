import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';

import { LIMITS } from '../../src/contract/index.ts';
import { createClients } from '../../src/desk/clients.ts';
import { Everywhere } from '../../src/desk/everywhere.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { rebuildIndex } from '../../src/service/search/index/rebuild.ts';
import { type Running, sharedService } from '../service/harness.ts';
import { anotherWorkspace, keyOfBoth, openTables } from '../service/world.ts';

const newWorkspace = sharedService();

/** A list whose records can be large: what makes the first one, and the column that is made large in its copies. */
interface Large {
  list: (id: string, parent: string) => string;
  table: string;
  column: string;
  create: { path: string; body: (parent: string) => object };
  parent?: { path: string; body: object };
  /** Columns that are unique. */
  unique?: Record<string, string>;
}

const TEXT = 99_000;
const COPIES = 50;

const LISTS: Record<string, Large> = {
  messages: {
    list: (_, ticketId) => `/ticket-messages?ticketId=${ticketId}`,
    table: 'ticket_message',
    column: 'content',
    create: { path: '/ticket-messages', body: (ticketId) => ({ ticketId, content: 'x' }) },
    parent: { path: '/tickets', body: { title: 'x' } },
    unique: { updated_at: "o.updated_at + n * interval '1 second'" },
  },
  tickets: {
    list: () => '/tickets?search=',
    table: 'ticket',
    column: 'description',
    create: { path: '/tickets', body: () => ({ title: 'x' }) },
    unique: { number: 'n + 100', short_id: 'n' },
  },
  'documents of a knowledge base': {
    list: (_, base) => `/kbs/${base}/documents?search=`,
    table: 'knowledge_base_document',
    column: 'content',
    create: { path: '/kbs/PARENT/documents', body: () => ({ title: 'x', content: 'x' }) },
    parent: { path: '/kbs', body: { name: 'Lamps' } },
  },
  'canned replies': {
    list: () => '/canned-replies?search=',
    table: 'canned_reply',
    column: 'content',
    create: {
      path: '/canned-replies',
      body: () => ({ title: 'x', shortcut: 'x', content: 'x', shared: true }),
    },
    unique: { shortcut: "'s' || n" },
  },
  personalities: {
    list: () => '/personalities?search=',
    table: 'personality',
    column: 'greeting',
    create: { path: '/personalities', body: () => ({ greeting: 'x' }) },
  },
  'custom fields': {
    list: () => '/custom-fields?search=',
    table: 'custom_field',
    column: 'description',
    create: { path: '/custom-fields', body: () => ({ label: 'x', type: 'TEXT' }) },
    unique: { key: "'k' || n" },
  },
  'request types': {
    list: () => '/request-types?search=',
    table: 'request_type',
    column: 'ai_examples',
    create: { path: '/request-types', body: () => ({ name: 'x' }) },
  },
  'AI agents': {
    list: () => '/agents?search=',
    table: 'ai_agent',
    column: 'description',
    create: { path: '/agents', body: () => ({ name: 'x' }) },
  },
  workflows: {
    list: () => '/workflows?search=',
    table: 'workflow',
    column: 'description',
    create: { path: '/workflows', body: () => ({ name: 'x' }) },
  },
};

/** Makes a record and copies of it with a long text; returns the path of their list. */
async function manyLarge(
  running: Running,
  large: Large,
  { copies = COPIES, characters = TEXT } = {},
): Promise<string> {
  const { call, workspaceId } = running;
  const made = async (path: string, body: object) => {
    const answer = await call('POST', path, { body });
    expect([path, answer.status, answer.body]).toEqual([path, 200, answer.body]);
    return answer.body.id;
  };
  const parent = large.parent ? await made(large.parent.path, large.parent.body) : '';
  const id = await made(large.create.path.replace('PARENT', parent), large.create.body(parent));
  const values = Object.entries(large.unique ?? {}).map(([column, value]) => `'${column}', ${value}`);
  await openTables(running)
    .db.transaction()
    .execute(async (tx) => {
      await sql`set local session_replication_role = replica`.execute(tx);
      await sql`insert into ${sql.table(large.table)}
        select t.* from ${sql.table(large.table)} o, generate_series(1, ${copies}::int) n, jsonb_populate_record(o, jsonb_build_object(
          'id', o.id || n, ${sql.lit(large.column)}, repeat('a', ${characters}::int)
          ${sql.raw(values.map((value) => `, ${value}`).join(''))})) t
        where o.workspace_id = ${workspaceId} and o.id = ${id}`.execute(tx);
    });
  return large.list(id, parent);
}

const bytesOf = (body: { items: object[] }) => Buffer.byteLength(JSON.stringify(body.items));

describe.each(Object.entries(LISTS))('a list of large records: %s', (_, large) => {
  it('ends its pages below the bound, and shows every record once', async () => {
    const running = await newWorkspace();
    const { call } = running;
    const path = await manyLarge(running, large);
    const seen: string[] = [];
    let cursor = '';
    let pages = 0;
    do {
      const { status, body } = await call('GET', `${path}&limit=10000&cursor=${cursor}`);
      expect(status).toBe(200);
      expect(bytesOf(body)).toBeLessThan(LIMITS.listBytes);
      expect(body.totalCount).toBeGreaterThan(COPIES);
      seen.push(...body.items.map(({ id }) => id));
      cursor = body.nextCursor ?? '';
      pages++;
    } while (cursor !== '');
    expect([pages, new Set(seen).size]).toEqual([2, seen.length]);
    expect(seen.length).toBeGreaterThan(COPIES);
    // Whoever counts rows is told what fits, and it does.
    const refused = await call('GET', `${path}&limit=10000&offset=0`);
    expect([refused.status, refused.body.issues?.[0]?.path]).toEqual([422, 'limit']);
    const limit = /limit=(\d+)/.exec(refused.body.issues?.[0]?.message ?? '')?.[1] ?? '';
    const fitting = await call('GET', `${path}&limit=${limit}&offset=0`);
    expect([fitting.status, String(fitting.body.items.length)]).toEqual([200, limit]);
  });
});

it('tickets by relevance, which have no cursor, are refused with a limit that fits', async () => {
  const running = await newWorkspace();
  const { call } = running;
  await manyLarge(running, LISTS['tickets'] as Large);
  const { db } = openTables(running);
  await db
    .updateTable('ticket')
    .set({ title: 'lamp' })
    .where('workspace_id', '=', running.workspaceId)
    .execute();
  await rebuildIndex(db);
  const path = '/tickets?search=lamp&sortBy=relevance';
  const refused = await call('GET', `${path}&limit=300`);
  expect([refused.status, refused.body.issues?.[0]?.path]).toEqual([422, 'limit']);
  const limit = /limit=(\d+)/.exec(refused.body.issues?.[0]?.message ?? '')?.[1] ?? '';
  expect((await call('GET', `${path}&limit=${limit}`)).body.items).toHaveLength(Number(limit));
});

it('tickets by relevance are all on a page, also those beyond the newest that are ranked', async () => {
  const running = await newWorkspace();
  const { db } = openTables(running);
  await manyLarge(running, LISTS['tickets'] as Large, { copies: 350, characters: 10 });
  await db
    .updateTable('ticket')
    .set({ title: 'zebra crossing' })
    .where('workspace_id', '=', running.workspaceId)
    .execute();
  await rebuildIndex(db);
  const list = async (more: string) => {
    const { body } = await running.call('GET', `/tickets?search=zebra&sortBy=relevance&limit=200${more}`);
    return body.items.map(({ id }) => id);
  };
  const pages = [...(await list('')), ...(await list('&offset=200'))];
  expect([pages.length, new Set(pages).size]).toEqual([351, 351]);
});

it('a desk over several workspaces shows every record of a page that the service ends early', async () => {
  const running = await newWorkspace();
  const other = await anotherWorkspace(running);
  const path = await manyLarge(running, LISTS['messages'] as Large);
  const ticketId = new URLSearchParams(path.split('?')[1]).get('ticketId') ?? '';
  const clients = createClients({
    url: running.url,
    tokenHeader: 'x-service-api-token',
    clock: systemClock,
    random: Math.random,
  });
  onTestFinished(() => clients.close());
  const everywhere = new Everywhere(clients, systemClock);
  const token = await keyOfBoth(running, other.workspaceId);
  /** Page by page, as the desk's page reads it. */
  const list = async (limit: number) => {
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = { ticketId, limit, sortBy: 'createdAt', ...(cursor && { cursor }) };
      const page = (await everywhere.call(token, 'listTicketMessages', { query })) as {
        items: { id: string }[];
        nextCursor: string | null;
      };
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    return ids;
  };
  for (const limit of [200, 50]) {
    const ids = await list(limit);
    expect([ids.length, new Set(ids).size]).toEqual([COPIES + 1, COPIES + 1]);
  }
});

it('a ticket shows the beginning of its children’s descriptions, and too large messages do not come with it', async () => {
  const running = await newWorkspace();
  const { call } = running;
  const { id } = (await call('POST', '/tickets', { body: { title: 'parent' } })).body;
  const description = `begin ${'x'.repeat(TEXT)}`;
  await call('POST', '/tickets', { body: { title: 'child', parentId: id, description } });
  const since = '2020-01-01T00:00:00.000Z';
  const say = (content: string) => call('POST', '/ticket-messages', { body: { ticketId: id, content } });
  const read = async () =>
    (await call('GET', `/tickets/${id}?messagesFrom=${since}`)).body as unknown as Read;
  await say('x'.repeat(TEXT));
  const few = await read();
  expect(few.messages).toHaveLength(1);
  expect(few.children[0]?.description).toBe(`${description.slice(0, 500)}…`);
  for (let count = 0; count < 11; count++) await say('x'.repeat(TEXT));
  expect((await read()).messages).toBeUndefined();
});

interface Read {
  children: { description: string }[];
  messages?: object[];
}
