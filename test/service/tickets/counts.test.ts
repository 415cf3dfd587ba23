import { CompiledQuery, sql } from 'kysely';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';

import { isOutOfTime, limitRest } from '../../../src/platform/database/open.ts';
import { LIMITS } from '../../../src/contract/index.ts';
import { until } from '../../harness/until.ts';
import { MovableClock } from '../clock.ts';
import { type Running, sharedService, startTestService } from '../harness.ts';
import { anotherWorkspace, openTables } from '../world.ts';
import { create, statuses } from './requests.ts';

const newWorkspace = sharedService();

type Counts = { counts: { key: string; count: number; isCapped: boolean }[] };

async function countsOf({ call }: Running, queries: Record<string, string>[], token?: string) {
  const filters = queries.map((query, at) => ({ key: `list ${at}`, query }));
  const { status, body } = await call('POST', '/tickets/counts', {
    body: { filters },
    ...(token !== undefined && { token }),
  });
  expect(status).toBe(200);
  return (body as unknown as Counts).counts;
}

it('counts are the totals of the lists with the same parameters, in their order', async () => {
  const service = await newWorkspace();
  const { Done } = await statuses(service);
  await create(service, { priority: 'URGENT', snoozeUntil: '2999-01-01T00:00:00Z' });
  await create(service, { title: 'Printer', private: true });
  await create(service, { statusId: Done });
  const queries: Record<string, string>[] = [
    {},
    { openFilter: 'true' },
    { openFilter: 'true', snoozed: 'false', sortBy: 'priority', sortDirection: 'desc' },
    { search: 'printer', sortBy: 'relevance' },
    { private: 'true', limit: '1', skip: '1' },
    { queueId: 'que_none' },
    { priority: 'URGENT', groupBy: 'priority', search: '' },
    { workspaceId: 'wsp_none' },
  ];
  const totals = await Promise.all(
    queries.map(async ({ limit: _limit, skip: _skip, ...query }) => {
      const { body } = await service.call('GET', `/tickets?${new URLSearchParams(query).toString()}`);
      return body.totalCount;
    }),
  );
  expect(totals).toEqual([3, 2, 1, 1, 1, 0, 1, 0]);
  expect(await countsOf(service, queries)).toEqual(
    totals.map((count, at) => ({ key: `list ${at}`, count, isCapped: false })),
  );
  const other = await anotherWorkspace(service);
  expect(await countsOf(service, [{}], other.token)).toMatchObject([{ count: 0 }]);
});

it('a parameter that the ticket list does not have or take is refused with its place', async () => {
  const { call } = await newWorkspace();
  for (const [query, place] of [
    [{ openFilter: 'perhaps' }, 'openFilter'],
    [{ colour: 'red' }, 'colour'],
    [{ toString: 'x' }, 'toString'],
    [{ due: 'today', timeZone: '+02:00' }, 'timeZone'],
  ] as const) {
    const filters: object[] = [
      { key: 'good', query: {} },
      { key: 'wrong', query },
    ];
    const { status, body } = await call('POST', '/tickets/counts', { body: { filters } });
    expect([status, body.issues?.[0]?.path]).toEqual([400, `filters.1.query.${place}`]);
  }
  const many = Array.from({ length: LIMITS.ticketCounts.filters + 1 }, () => ({ key: '', query: {} }));
  expect((await call('POST', '/tickets/counts', { body: { filters: many } })).status).toBe(400);
});

it('a count ends at 1,000, and reads no more tickets than that', async () => {
  const service = await startTestService();
  const { db } = openTables(service);
  const { id } = await create(service);
  await db.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`insert into ticket select t.* from ticket o, generate_series(2, 6000) n, jsonb_populate_record(o,
      jsonb_build_object('id', 'tkt_' || n, 'number', n, 'short_id', n,
        'priority', case when n <= 1000 then 'URGENT' else 'LOW' end)) t
      where o.id = ${id}`.execute(tx);
    await sql`update ticket set priority = 'URGENT' where id = ${id}`.execute(tx);
  });
  await sql`vacuum analyze ticket`.execute(db);
  const sent = vi.spyOn(pg.Client.prototype, 'query');
  onTestFinished(() => sent.mockRestore());
  const queries = [{}, { priority: 'URGENT' }, { openFilter: 'true' }, { priority: 'LOW' }];
  expect(await countsOf(service, queries as Record<string, string>[])).toEqual([
    { key: 'list 0', count: 1000, isCapped: true },
    { key: 'list 1', count: 1000, isCapped: false },
    { key: 'list 2', count: 1000, isCapped: true },
    { key: 'list 3', count: 1000, isCapped: true },
  ]);
  const statements = sent.mock.calls.map(([config]) => config as unknown as pg.QueryConfig);
  const { text = '', values = [] } = statements.find((each) => each.text.includes('count(*)')) ?? {};
  const { rows } = await db.executeQuery<{ 'QUERY PLAN': string }>(
    CompiledQuery.raw(`explain (analyze, timing off) ${text}`, values as unknown[]),
  );
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toMatch(/actual rows=1001\b/);
  expect(plan).not.toMatch(/actual rows=[2-6]\d{3}\b/);
});

it('the searches of a request may have 120 words together, so that counting ends soon', async () => {
  const service = await newWorkspace();
  const { id } = await create(service, { title: 'Printer' });
  const counted = (searches: string[]) =>
    service.call('POST', '/tickets/counts', {
      body: { filters: searches.map((search) => ({ key: id, query: { search } })) },
    });
  const beginnings = Array.from({ length: 125 }, (_, at) => threeLetters(at)).join(' ');
  expect(beginnings.length).toBe(499);
  const attempts: [string[], number][] = [
    [Array.from({ length: 30 }, () => beginnings), 422],
    // Of each, no more than 32 are looked for.
    [Array.from({ length: 4 }, () => beginnings), 422],
    [Array.from({ length: 3 }, () => beginnings), 200],
    [Array.from({ length: 30 }, () => 'printer is on fire'), 200],
  ];
  for (const [searches, expected] of attempts) {
    const { status, body } = await counted(searches);
    expect([searches.length, status, body.issues?.[0]?.path]).toEqual([
      searches.length,
      expected,
      expected === 422 ? 'filters' : undefined,
    ]);
  }
});

const threeLetters = (at: number) => `${String.fromCodePoint(97 + (at % 25), 97 + Math.floor(at / 25))}x`;

it('all counts of a request have one time limit', async () => {
  const service = await startTestService();
  const { db } = openTables(service);
  await create(service);
  const sent = vi.spyOn(pg.Client.prototype, 'query');
  onTestFinished(() => sent.mockRestore());
  expect(await countsOf(service, [{}, { search: 'ticket' }])).toHaveLength(2);
  const texts = sent.mock.calls.map(([config]) => (config as unknown as Partial<pg.QueryConfig>).text ?? '');
  const kinds = texts.filter((text) => /statement_timeout|count\(\*\)/.test(text));
  expect(kinds.map((text) => text.includes('statement_timeout'))).toEqual([true, false, true, false]);

  await db.transaction().execute(async (tx) => {
    const now = async () => {
      const { rows } = await sql<{ limit: number; gone: number }>`
        select setting::integer as limit, extract(epoch from clock_timestamp() - now())::float8 * 1000 as gone
        from pg_settings where name = 'statement_timeout'`.execute(tx);
      return rows[0] ?? { limit: 0, gone: 0 };
    };
    await limitRest(tx, 60_000);
    const first = await now();
    expect(first.limit).toBeLessThanOrEqual(60_000);
    const later = await until('50 ms to be gone', async () => {
      const { gone } = await now();
      return gone >= first.gone + 50 ? gone : undefined;
    });
    await limitRest(tx, 60_000);
    expect((await now()).limit).toBeLessThanOrEqual(Math.ceil(60_000 - later));
  });
  const late = db.transaction().execute(async (tx) => {
    await limitRest(tx, 1);
    await sql`select pg_sleep(60)`.execute(tx);
  });
  expect(await late.catch(isOutOfTime)).toBe(true);
});

it('a count that is canceled because it takes too long is 503, and says so', async () => {
  const service = await startTestService();
  const { db } = openTables(service);
  await db.transaction().execute(async (tx) => {
    await sql`lock table ticket`.execute(tx);
    const counting = service.call('POST', '/tickets/counts', { body: { filters: [{ key: '', query: {} }] } });
    // As the limit does after ten seconds.
    await until('the count to wait for the table', async () => {
      const { rows } = await sql<{ canceled: boolean }>`
        select pg_cancel_backend(pid) as canceled from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%count(*)%'`.execute(
        db,
      );
      return rows.length > 0 || undefined;
    });
    const { status, body } = await counting;
    expect(body).toMatchObject({ message: expect.stringMatching(/^Counting these lists takes/) as string });
    expect(status).toBe(503);
  });
});

it('due lists open tickets by the end of the day in the given time zone; overdue ones are in no other list', async () => {
  // 09:30 UTC on a Friday.
  const service = await startTestService({ clock: new MovableClock() });
  const { Done } = await statuses(service);
  const due = async (title: string, dueAt: string | null, more: object = {}) =>
    create(service, { title, dueAt, ...more });
  await due('last week', '2026-11-13T09:00:00Z');
  await due('now', '2026-11-20T09:30:00Z');
  await due('done', '2026-11-19T09:30:00Z', { statusId: Done });
  await due('this evening', '2026-11-20T22:59:59.999Z');
  await due('tonight', '2026-11-20T23:30:00Z');
  await due('next Thursday', '2026-11-26T20:00:00Z');
  await due('next Friday', '2026-11-27T00:00:00Z');
  await due('never', null);
  const listed = async (query: string) =>
    (await service.call('GET', `/tickets?sortBy=dueAt&due=${query}`)).body.items.map(({ title }) => title);
  expect(await listed('overdue')).toEqual(['last week', 'now']);
  expect(await listed('today')).toEqual(['this evening', 'tonight']);
  expect(await listed('today&timeZone=Europe/Berlin')).toEqual(['this evening']);
  expect(await listed('week')).toEqual(['this evening', 'tonight', 'next Thursday']);
  expect(await listed('week&timeZone=America/New_York')).toEqual([
    'this evening',
    'tonight',
    'next Thursday',
    'next Friday',
  ]);
  expect(
    await countsOf(service, [{ due: 'overdue' }, { due: 'today', timeZone: 'Europe/Berlin' }]),
  ).toMatchObject([{ count: 2 }, { count: 1 }]);
  expect((await service.call('GET', '/tickets?due=tomorrow')).status).toBe(400);
  expect((await service.call('GET', '/tickets?timeZone=Mars')).status).toBe(400);
});
