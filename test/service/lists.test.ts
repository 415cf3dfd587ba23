import fc from 'fast-check';
import { CompiledQuery, sql } from 'kysely';
import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { ticketListQuery } from '../../src/contract/index.ts';
import { type Body, type Running, sharedService, startTestService } from './harness.ts';
import { openTables } from './world.ts';

const newWorkspace = sharedService();

async function everyPage({ call }: Running, path: string, between?: () => Promise<unknown>): Promise<Body[]> {
  const items: Body[] = [];
  let cursor: string | null = null;
  do {
    const separator = path.includes('?') ? '&' : '?';
    const answer = await call('GET', cursor === null ? path : `${path}${separator}cursor=${cursor}`);
    expect(answer.status).toBe(200);
    items.push(...answer.body.items);
    cursor = answer.body.nextCursor;
    await between?.();
  } while (cursor !== null);
  return items;
}

const ticket = ({ call }: Running, body: object) =>
  call('POST', '/tickets', { body: { title: 'T', ...body } });

describe('paging', () => {
  it('deep in a list reads the rows of its page, and none before it', async () => {
    const service = await startTestService();
    const { db } = openTables(service);
    const { id } = (await ticket(service, {})).body;
    await db.transaction().execute(async (tx) => {
      await sql`set local session_replication_role = replica`.execute(tx);
      await sql`insert into ticket select t.* from ticket o, generate_series(2, 4000) n, jsonb_populate_record(o, jsonb_build_object(
        'id', 'tkt_' || n, 'number', n, 'short_id', n, 'created_at', o.created_at - n * interval '1 minute')) t
        where o.id = ${id}`.execute(tx);
    });
    await sql`vacuum analyze ticket`.execute(db);
    const first = (await service.call('GET', '/tickets?limit=20&skip=3000')).body;
    const sent = vi.spyOn(pg.Client.prototype, 'query');
    onTestFinished(() => sent.mockRestore());
    const page = await service.call('GET', `/tickets?limit=20&cursor=${first.nextCursor ?? ''}`);
    expect(page.body.items.map(({ number }) => number)).toEqual(
      Array.from({ length: 20 }, (_, at) => 3021 + at),
    );
    const statements = sent.mock.calls.map(([config]) => config as unknown as pg.QueryConfig);
    const { text = '', values = [] } = statements.find((each) => each.text.includes('record_id')) ?? {};
    const parameters = values as unknown[];
    const { rows } = await db.executeQuery<{ 'QUERY PLAN': string }>(
      CompiledQuery.raw(`explain (analyze, timing off) ${text}`, parameters),
    );
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).not.toMatch(/Removed by Filter: \d{2,}/);
  });

  it('P7 by cursor, in any order and any page size, shows every ticket once while others are inserted', async () => {
    const service = await newWorkspace();
    const priorities = ['URGENT', 'HIGH', 'MEDIUM', 'LOW', 'NO_PRIORITY'];
    const there = new Set<string>();
    for (let count = 0; count < 25; count++) {
      const dueAt = count % 3 === 0 ? null : `2026-12-0${(count % 4) + 1}T00:00:00Z`;
      const made = await ticket(service, { title: `T${count % 7}`, priority: priorities[count % 5], dueAt });
      there.add(made.body.id);
    }
    const { sortBy, groupBy } = ticketListQuery.shape;
    const orders = fc.record({
      limit: fc.integer({ min: 5, max: 30 }),
      // Sorting by relevance has no pages, and needs a query (search.test.ts).
      sortBy: fc.constantFrom(
        ...sortBy
          .unwrap()
          .unwrap()
          .options.filter((by) => by !== 'relevance'),
        '',
      ),
      sortDirection: fc.constantFrom('asc', 'desc', ''),
      groupBy: fc.constantFrom(...groupBy.unwrap().unwrap().options, ''),
      groupDirection: fc.constantFrom('asc', 'desc', ''),
    });
    await fc.assert(
      fc.asyncProperty(orders, async ({ limit, ...order }) => {
        const path = `/tickets?${new URLSearchParams({ ...order, limit: String(limit) }).toString()}`;
        const seen = (
          await everyPage(service, path, () => ticket(service, { priority: 'LOW', title: 'late' }))
        ).map(({ id }) => id);
        expect(new Set(seen).size).toBe(seen.length);
        expect([...there].filter((id) => !seen.includes(id))).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });

  it('counts once: later pages have the total from their cursor', async () => {
    const service = await newWorkspace();
    for (let count = 0; count < 4; count++) await ticket(service, {});
    const first = (await service.call('GET', '/tickets?limit=2')).body;
    await ticket(service, {});
    const second = (await service.call('GET', `/tickets?limit=2&cursor=${first.nextCursor}`)).body;
    expect([first.totalCount, second.totalCount]).toEqual([4, 4]);
    expect((await service.call('GET', '/tickets?limit=2')).body.totalCount).toBe(5);
  });

  it('every list can be sorted and grouped by each of its documented fields', async () => {
    const service = await newWorkspace();
    await ticket(service, {});
    const { routes } = await import('../../src/contract/index.ts');
    for (const route of [
      routes.listTickets,
      routes.listTicketMessages,
      routes.listUsers,
      routes.listQueues,
      routes.listStatuses,
      routes.listWorkspaces,
      routes.listApiKeys,
      routes.listWebhooks,
    ]) {
      const { sortBy, groupBy } = route.query.shape;
      for (const sort of sortBy
        .unwrap()
        .unwrap()
        .options.filter((by: string) => by !== 'relevance'))
        for (const group of groupBy.unwrap().unwrap().options) {
          const answer = await service.call('GET', `${route.path}?sortBy=${sort}&groupBy=${group}&limit=1`);
          expect([route.path, sort, group, answer.status]).toEqual([route.path, sort, group, 200]);
          if (answer.body.nextCursor === null) continue;
          const next = await service.call(
            'GET',
            `${route.path}?sortBy=${sort}&groupBy=${group}&limit=1&cursor=${answer.body.nextCursor}`,
          );
          expect([next.status, next.body.items[0]?.id]).not.toEqual([200, answer.body.items[0]?.id]);
        }
    }
  });

  it('by skip or offset counts the same rows; both at once, or with a cursor, get 400', async () => {
    const service = await newWorkspace();
    for (let count = 0; count < 5; count++) await ticket(service, {});
    const numbers = async (query: string) =>
      (await service.call('GET', `/tickets?${query}`)).body.items.map(({ number }) => number);
    expect(await numbers('skip=2&limit=2')).toEqual([3, 2]);
    expect(await numbers('offset=2&limit=2')).toEqual([3, 2]);
    expect(await numbers('offset=0&sortDirection=asc')).toEqual([1, 2, 3, 4, 5]);
    expect(await numbers('offset=100')).toEqual([]);
    const { nextCursor } = (await service.call('GET', '/tickets?limit=2')).body;
    for (const query of [
      'skip=1&offset=1',
      `skip=1&cursor=${nextCursor ?? ''}`,
      `offset=0&cursor=${nextCursor ?? ''}`,
    ])
      expect((await service.call('GET', `/tickets?${query}`)).status).toBe(400);
  });

  it('a cursor of another order or list, or an invalid one, gets 400', async () => {
    const service = await newWorkspace();
    for (let count = 0; count < 3; count++) await ticket(service, {});
    const cursor = (await service.call('GET', '/tickets?limit=1')).body.nextCursor ?? '';
    expect((await service.call('GET', `/tickets?sortBy=number&cursor=${cursor}`)).status).toBe(400);
    expect((await service.call('GET', `/ticket-messages?cursor=${cursor}`)).status).toBe(400);
    const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const order = 'createdAt desc';
    for (const value of [
      null,
      1,
      [],
      [order, ['x'], 'id'],
      [order, ['2026-13-01T00:00:00.000Z'], 'id'],
      [order, ["'; drop"], 'id'],
      [order, [1], 'id'],
      [order, [], 'id'],
      ['', ['2026-01-01T00:00:00.000Z'], 1],
    ])
      expect((await service.call('GET', `/tickets?cursor=${forged(value)}`)).status).toBe(400);
    expect((await service.call('GET', '/tickets?cursor=%00%01')).status).toBe(400);
  });

  it('set returns only the named ids, and nothing about others', async () => {
    const service = await newWorkspace();
    const ids = [];
    for (let count = 0; count < 3; count++) ids.push((await ticket(service, {})).body.id);
    const { body } = await service.call('GET', `/tickets?set=${ids[0] ?? ''}, ${ids[2] ?? ''},nothing,`);
    expect([body.items.map(({ id }) => id), body.totalCount]).toEqual([[ids[2], ids[0]], 2]);
  });
});

describe('filters of tickets', () => {
  it('each restricts the items and the total alike', async () => {
    const service = await newWorkspace();
    const { call } = service;
    const person = async (firstName: string) =>
      (await call('POST', '/users', { body: { firstName, email: `${firstName}@acme.example` } })).body.id;
    const [ada, mira, zoe] = [await person('Ada'), await person('Mira'), await person('Zoe')];
    const { items } = (await call('GET', '/statuses')).body;
    const done = items.find(({ label }) => label === 'Done')?.id ?? '';
    const queueId = (await call('POST', '/queues', { body: { name: 'IT', prefix: 'IT' } })).body.id;
    const plain = (await ticket(service, { title: 'Plain 100%', requesterId: zoe })).body;
    const busy = (
      await ticket(service, {
        title: 'Busy_one',
        description: 'Printer on fire',
        queueId,
        requesterId: ada,
        authorId: mira,
        assigneeId: mira,
        priority: 'URGENT',
        snoozeUntil: '2999-01-01T00:00:00.000Z',
        private: true,
        approverIds: [mira],
        followers: [{ id: ada }],
        parentId: plain.id,
        chatChannelId: 'C1',
        chatTimestamp: '1.1',
      })
    ).body;
    const draft = (await ticket(service, { title: 'Draft', published: false, statusId: done })).body;
    const codes = async (query: string) => {
      const { body } = await call('GET', `/tickets?sortBy=createdAt&sortDirection=asc&${query}`);
      expect([query, body.totalCount]).toEqual([query, body.items.length]);
      return body.items.map(({ code }) => code);
    };
    const [P, B, D] = [plain.code, busy.code, draft.code];
    const expected: [string, string[]][] = [
      ['', [P, B]],
      ['includeUnpublished=true', [P, B, D]],
      ['includeUnpublished=true&openFilter=true', [P, B]],
      ['includeUnpublished=true&openFilter=false', [P, B, D]],
      [`openFilter=true&assigneeId=${mira}`, [B]],
      ['openFilter=true&workspaceId=wsp_none', []],
      [`queueId=${queueId}`, [B]],
      [`statusId=${done}&includeUnpublished=true`, [D]],
      [`assigneeId=${mira}`, [B]],
      [`requesterId=${ada}`, [B]],
      [`authorId=${mira}`, [B]],
      ['priority=URGENT', [B]],
      [`parentId=${plain.id}`, [B]],
      ['private=true', [B]],
      ['private=false', [P]],
      ['snoozedFilter=true', [B]],
      ['snoozedFilter=false', [P]],
      ['snoozed=true', [B]],
      ['snoozed=false', [P]],
      ['unassignedFilter=true', [P]],
      [`approverId=${mira}`, [B]],
      ['undecidedFilter=true', [B]],
      [`followerId=${ada}`, [B]],
      [`visibleToUserId=${ada}`, [P, B]],
      [`visibleToUserId=${zoe}`, [P]],
      [`createdFrom=${encodeURIComponent(busy.createdAt)}`, [B]],
      [`createdTo=${encodeURIComponent(plain.createdAt)}`, [P]],
      [`updatedFrom=${encodeURIComponent(busy.updatedAt)}`, [B]],
      [`updatedTo=${encodeURIComponent(plain.updatedAt)}`, [P]],
      ['chatChannelId=C1', [B]],
      ['chatMessageTs=1.1', [B]],
      ['chatChannelId=C2&chatMessageTs=1.1', []],
      ['search=PRINTER', [B]],
      ['search=100%25', [P]],
      ['search=busy_one', [B]],
      ['search=%25', [P]],
      ['email=ADA@acme.example', [B]],
      [`workspaceId=${service.workspaceId}`, [P, B]],
      ['workspaceId=wsp_other', []],
      ['requestTypeId=none', []],
      ['tagId=none', []],
    ];
    for (const [query, wanted] of expected) expect([query, await codes(query)]).toEqual([query, wanted]);
  });
});
