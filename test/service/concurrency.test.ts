import { describe, expect, it } from 'vitest';

import { webhookEvent } from '../../src/contract/index.ts';
import { type Body, type Running, startTestService } from './harness.ts';
import { openTables } from './world.ts';

/** Somebody must want them, or events are not stored. */
async function tellSomebody({ call }: Running): Promise<void> {
  await call('POST', '/webhooks', { body: { url: 'http://127.0.0.1:9/hook' } });
}

async function ticketChanges(service: Running): Promise<{ at: string; changes: Record<string, unknown> }[]> {
  const rows = await openTables(service).db.selectFrom('event').select('body').execute();
  return rows
    .map(({ body }) => webhookEvent.parse(JSON.parse(body)))
    .flatMap((event) =>
      event.type === 'Ticket' && event.action === 'updated'
        ? [{ at: event.data.updatedAt, changes: event.changes ?? {} }]
        : [],
    )
    .sort((a, b) => (a.at < b.at ? -1 : 1));
}

describe('two tabs updating one ticket', () => {
  it('at the same moment in different fields both hold, and neither takes back what the other wrote', async () => {
    const service = await startTestService();
    await tellSomebody(service);
    const made = (await service.call('POST', '/tickets', { body: { title: 'T', priority: 'LOW' } })).body;
    const put = (data: object) => service.call('PUT', `/tickets/${made.id}`, { body: { data } });
    const versions = new Set([made.updatedAt]);
    for (let round = 0; round < 10; round++) {
      const priority = round % 2 === 0 ? 'HIGH' : 'URGENT';
      const answers = await Promise.all([put({ title: `T${round}` }), put({ priority })]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      for (const { body } of answers) versions.add(body.updatedAt);
      expect((await service.call('GET', `/tickets/${made.id}`)).body).toMatchObject({
        title: `T${round}`,
        priority,
      });
    }
    expect(versions.size).toBe(21);
    const told = await ticketChanges(service);
    expect(told.map(({ changes }) => Object.keys(changes).length)).toEqual(
      Array.from({ length: 20 }, () => 1),
    );
  });

  it('at the same moment in one field the last wins, the events tell of both in their order, and versions increase', async () => {
    const service = await startTestService();
    await tellSomebody(service);
    const made = (await service.call('POST', '/tickets', { body: { title: 'start' } })).body;
    const titles = Array.from({ length: 20 }, (_, tab) => `tab ${tab}`);
    const answers = await Promise.all(
      titles.map((title) => service.call('PUT', `/tickets/${made.id}`, { body: { data: { title } } })),
    );
    // Each tab is answered with what it wrote, not with what came after it.
    expect(answers.map(({ body }) => body.title)).toEqual(titles);
    const byVersion = answers.map(({ body }) => body).sort((a, b) => (a.updatedAt < b.updatedAt ? -1 : 1));
    const versions = byVersion.map(({ updatedAt }) => updatedAt);
    expect(versions).toEqual([...new Set(versions)].sort());
    expect((versions[0] ?? '') > made.updatedAt).toBe(true);
    const stored = (await service.call('GET', `/tickets/${made.id}`)).body;
    expect([stored.title, stored.updatedAt]).toEqual([byVersion.at(-1)?.title, versions.at(-1)]);
    const told = await ticketChanges(service);
    expect(told.map(({ at }) => at)).toEqual(versions);
    const order = ['start', ...byVersion.map(({ title }) => title)];
    expect(told.map(({ changes }) => changes['title'])).toEqual(
      order.slice(1).map((title, place) => [order[place], title]),
    );
  });
});

it('50 at once in each of two queues number every queue by itself, without a gap and without a double', async () => {
  const service = await startTestService();
  const queue = async (prefix: string) =>
    (await service.call('POST', '/queues', { body: { name: prefix, prefix } })).body.id;
  const [it, hr] = [await queue('IT'), await queue('HR')];
  const made = await Promise.all(
    Array.from({ length: 100 }, (_, place) =>
      service.call('POST', '/tickets', { body: { title: 'T', queueId: place % 2 === 0 ? it : hr } }),
    ),
  );
  const codes = made.map(({ body }) => body.code).sort();
  const expected = ['IT', 'HR'].flatMap((prefix) =>
    Array.from({ length: 50 }, (_, number) => `${prefix}-${number + 1}`),
  );
  expect(codes).toEqual(expected.sort());
});

it.each<[list: string, order: string]>([
  ['tickets', 'sortBy=createdAt&sortDirection=desc'],
  ['tickets', 'sortBy=updatedAt&sortDirection=asc'],
  ['tickets', 'sortBy=title&sortDirection=asc&groupBy=priority'],
  ['ticket-messages', ''],
  ['users', 'sortBy=createdAt&sortDirection=desc'],
])('pages of %s (%s) skip and double nothing while eight writers insert', async (list, order) => {
  const service = await startTestService();
  const { call } = service;
  const ticketId = (await call('POST', '/tickets', { body: { title: 'first' } })).body.id;
  const priorities = ['URGENT', 'LOW', 'MEDIUM'];
  const insert = (number: number): Promise<{ status: number; body: Body }> => {
    if (list === 'users') return call('POST', '/users', { body: { firstName: `P${number}` } });
    if (list === 'tickets')
      return call('POST', '/tickets', {
        body: { title: `T${number % 5}`, priority: priorities[number % 3] },
      });
    return call('POST', '/ticket-messages', { body: { ticketId, content: `m${number}` } });
  };
  const there = new Set<string>();
  for (let number = 0; number < 30; number++) there.add((await insert(number)).body.id);
  let reading = true;
  let inserted = 0;
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    // Bounded, so that reading towards the newest comes to an end.
    for (let number = 0; reading && number < 20; number++) {
      expect((await insert(writer * 100 + number)).status).toBe(200);
      inserted++;
    }
  });
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const next: string = cursor === null ? '' : `&cursor=${cursor}`;
    const page = await call('GET', `/${list}?limit=4&${order}${next}`);
    expect(page.status).toBe(200);
    seen.push(...page.body.items.map(({ id }) => id));
    cursor = page.body.nextCursor;
  } while (cursor !== null);
  reading = false;
  await Promise.all(writers);
  expect(inserted).toBeGreaterThan(8);
  expect(new Set(seen).size).toBe(seen.length);
  expect([...there].filter((id) => !seen.includes(id))).toEqual([]);
});
