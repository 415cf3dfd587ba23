import { describe, expect, it } from 'vitest';

import { webhookEvent } from '../../src/contract/index.ts';
import { type Running, startTestService } from './harness.ts';
import { readWhileInserting } from './paging.ts';
import { openTables } from './world.ts';

/** Without a subscriber, events are not stored. */
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
  it('at the same moment in different fields both take effect, and neither reverts the other', async () => {
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

  it('at the same moment in one field the last one wins, the events describe both in order, and versions increase', async () => {
    const service = await startTestService();
    await tellSomebody(service);
    const made = (await service.call('POST', '/tickets', { body: { title: 'start' } })).body;
    const titles = Array.from({ length: 20 }, (_, tab) => `tab ${tab}`);
    const answers = await Promise.all(
      titles.map((title) => service.call('PUT', `/tickets/${made.id}`, { body: { data: { title } } })),
    );
    // Each tab gets its own write back, not a later one.
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

it('20 concurrent tickets in each of two queues are numbered per queue, without gaps and duplicates', async () => {
  const service = await startTestService();
  const queue = async (prefix: string) =>
    (await service.call('POST', '/queues', { body: { name: prefix, prefix } })).body.id;
  const [it, hr] = [await queue('IT'), await queue('HR')];
  const made = await Promise.all(
    Array.from({ length: 40 }, (_, place) =>
      service.call('POST', '/tickets', { body: { title: 'T', queueId: place % 2 === 0 ? it : hr } }),
    ),
  );
  const codes = made.map(({ body }) => body.code).sort();
  const expected = ['IT', 'HR'].flatMap((prefix) =>
    Array.from({ length: 20 }, (_, number) => `${prefix}-${number + 1}`),
  );
  expect(codes).toEqual(expected.sort());
});

it.each<[list: string, order: string]>([
  ['tickets', 'sortBy=updatedAt&sortDirection=asc'],
  ['ticket-messages', ''],
])('pages of %s (%s) skip and repeat nothing while eight writers insert', readWhileInserting);
