import { expect, it } from 'vitest';

import { type Route, type RouteName, routes } from '../../src/contract/index.ts';
import {
  eventsOf,
  expectedEvents,
  prove200,
  prove400,
  prove401,
  prove403,
  prove404,
  type Table,
} from './conformance.ts';
import { sharedService } from './harness.ts';
import { anotherWorkspace, createWorld, openTables, SAMPLES } from './world.ts';

const newWorkspace = sharedService();

async function fill(): Promise<Table> {
  const running = await newWorkspace();
  const tables = openTables(running);
  const world = await createWorld(running);
  const other = await anotherWorkspace(running);
  const keys = { read: await running.key('read'), agent: await running.key('agent') };
  const table: Table = [];
  // Operations that delete a record come last, after those on the records that depend on it.
  const rows = (Object.entries(routes) as [RouteName, Route][]).map((row, at) => ({ row, at }));
  const ordered = [...rows].sort(
    ({ row: [, a] }, { row: [, b] }) =>
      Number(a.method === 'DELETE') - Number(b.method === 'DELETE') ||
      (a.method === 'DELETE' ? b.path.length - a.path.length : 0),
  );
  for (const {
    row: [name, route],
    at,
  } of ordered) {
    const sample = SAMPLES[name](world);
    const denied = {
      ...(await prove401(running, route)),
      ...(await prove403(running, route, keys)),
      ...(await prove404(running, route, sample, other.token)),
      ...(await prove400(running, route, sample)),
    };
    let answered = { answers: '' };
    const events = await eventsOf(tables, async () => {
      answered = await prove200(running, route, sample);
    });
    expect([name, events], 'the events that were decided').toEqual([name, expectedEvents(route)]);
    table[at] = [name, route, { ...answered, ...denied, emits: events.join(', ') || 'nothing' }];
  }
  return table;
}

it('every operation succeeds, fails and sends events as documented', async () => {
  const table = await fill();
  const missing = table.flatMap(([name, , proofs]) =>
    Object.entries(proofs)
      .filter(([, proof]) => proof === '')
      .map(([proof]) => `${name}: ${proof}`),
  );
  expect(missing).toEqual([]);
  expect(table).toHaveLength(Object.keys(routes).length);
  console.info(`${table.length} operations, each with all of its answers`);
});

it('links to chat send no events, whether they are new or repeated; a repeated chat pair sends no event again', async () => {
  const running = await newWorkspace();
  const tables = openTables(running);
  const { ticket, message, webhook } = await createWorld(running);
  expect(webhook).toBeTruthy();
  const { call } = running;
  const thread = { channelId: 'C0LINK', messageTs: '5.1' };
  const copy = { channelId: 'C0LINK', ts: '5.2' };
  const pair = { chatChannelId: 'C0PAIR', chatTimestamp: '1700000000.000100' };
  const put = (path: string, body: unknown) => () => call('PUT', path, { body });
  for (const link of [
    put(`/tickets/${ticket}/chat-threads`, thread),
    put(`/tickets/${ticket}/chat-threads`, { ...thread, mirrorTs: '6.1' }),
    put(`/ticket-messages/${message}/chat-messages`, copy),
    put(`/ticket-messages/${message}/chat-messages`, copy),
  ])
    expect(await eventsOf(tables, async () => expect((await link()).status).toBe(200))).toEqual([]);
  const open = () => call('POST', '/tickets', { body: { title: 'From chat', ...pair } });
  const say = () => call('POST', '/ticket-messages', { body: { ticketId: ticket, content: 'x', ...pair } });
  expect(await eventsOf(tables, open)).toEqual(['Ticket created']);
  expect(await eventsOf(tables, open)).toEqual([]);
  expect(await eventsOf(tables, say)).toEqual(['Message created']);
  expect(await eventsOf(tables, say)).toEqual([]);
});

it('a rejected write sends no events', async () => {
  const running = await newWorkspace();
  const tables = openTables(running);
  const { ticket } = await createWorld(running);
  const refused = await eventsOf(tables, async () => {
    const unknown = await running.call('PUT', `/tickets/${ticket}`, {
      body: { data: { statusId: 'sts_no' } },
    });
    const nobody = await running.call('POST', '/tickets', { body: { title: 'x', requesterId: 'usr_no' } });
    const nowhere = await running.call('POST', '/ticket-messages', {
      body: { ticketId: 'tkt_no', content: 'x' },
    });
    expect([unknown.status, nobody.status, nowhere.status]).toEqual([422, 422, 404]);
  });
  expect(refused).toEqual([]);
});
