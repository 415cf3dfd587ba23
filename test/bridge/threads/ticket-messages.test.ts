import { expect, test } from 'vitest';

import type { Bridge } from '../../../src/bridge/bridge.ts';
import {
  messagesChangedSince,
  messagesOf,
  ticketOfMessage,
} from '../../../src/bridge/tickets/ticket-messages.ts';
import { AnsweredError } from '../../../src/client/index.ts';
import { bridgeDatabase } from '../../harness/bridge-database.ts';
import { patientClient } from '../../harness/patient-client.ts';
import { startTestService } from '../../service/harness.ts';

/** A service without filter and order: it returns all of its messages. */
const unsorted = (all: { id: string; ticketId?: string; updatedAt: string }[]) => {
  const items = all.map((message) => ({ ticketId: 'IT-1', ...message }));
  return {
    listTicketMessages: async () => ({ items, nextCursor: null, totalCount: items.length }),
    async *all() {
      yield* items;
    },
  } as unknown as Bridge['service'];
};
const service = unsorted([
  { id: 'later', updatedAt: '2026-11-20T09:00:02.000Z' },
  { id: 'of another', ticketId: 'IT-2', updatedAt: '2026-11-20T09:00:01.000Z' },
  { id: 'earlier', updatedAt: '2026-11-20T09:00:00.000Z' },
]);
const channels = {
  workspaceIds: () => Promise.resolve(['wsp_1']),
} as unknown as Bridge['channels'];
const ticket = { id: 'IT-1', workspaceId: 'wsp_1' };
const idsOf = (messages: { id: string }[]) => messages.map(({ id }) => id);

test('a ticket’s messages are filtered and sorted by their changes if the service does neither', async () => {
  const all: { id: string }[] = [];
  for await (const message of messagesOf({ service, channels }, 'IT-1')) all.push(message);
  expect(idsOf(all)).toEqual(['later', 'earlier']);
  const changed = await messagesChangedSince({ service, channels }, ticket, null);
  expect([idsOf(changed.messages), changed.more]).toEqual([['earlier', 'later'], false]);
});

/** Reads a ticket's changes as a conversation that was away does; returns the ids of each portion. */
async function catchUp(
  bridge: Pick<Bridge, 'service' | 'channels'>,
  of: { id: string; workspaceId: string },
): Promise<string[][]> {
  const portions: string[][] = [];
  let since: string | null = null;
  for (let more = true; more;) {
    const changed = await messagesChangedSince(bridge, of, since);
    portions.push(idsOf(changed.messages));
    ({ more } = changed);
    since = changed.messages.at(-1)?.updatedAt ?? since;
  }
  return portions;
}

test('changes of a long absence are read in portions, in their order, each message at least once', async () => {
  const running = await startTestService();
  const client = patientClient(running);
  const { id } = await client.createTicket({ body: { title: 'A long talk' } });
  const written: string[] = [];
  for (let at = 0; at < 55; at++)
    written.push((await client.createTicketMessage({ body: { ticketId: id, content: `${at}` } })).id);
  // The first one changed last.
  const [first = ''] = written;
  await client.updateTicketMessage({ params: { id: first }, body: { content: 'edited' } });
  const bridge = { service: client, channels };
  const portions = await catchUp(bridge, { id, workspaceId: running.workspaceId });
  expect(Math.max(...portions.map(({ length }) => length))).toBe(20);
  const seen = portions.flatMap((portion, at) => (at === 0 ? portion : portion.slice(1)));
  expect(seen).toEqual([...written.slice(1), first]);
});

const instant = (second: number) => new Date(Date.UTC(2026, 10, 20, 9, 0, second)).toISOString();
const UNSORTED: [what: string, seconds: number[]][] = [
  ['none', []],
  ['one', [1]],
  ['newest first', Array.from({ length: 60 }, (_, at) => 60 - at)],
  ['in no order', Array.from({ length: 60 }, (_, at) => (at * 37) % 60)],
  ['all at the same instant', Array.from({ length: 60 }, () => 5)],
  ['many at the instant of the first', Array.from({ length: 60 }, (_, at) => Math.max(0, at - 45))],
  ['many at the instant of a portion’s end', Array.from({ length: 60 }, (_, at) => Math.min(19, at))],
];

test.each(UNSORTED)(
  'a service without order and filter is caught up with in portions too: %s',
  async (_, seconds) => {
    const all = seconds.map((second, at) => ({ id: `m${at}`, updatedAt: instant(second) }));
    const portions = await catchUp({ service: unsorted(all), channels }, ticket);
    expect(new Set(portions.flat())).toEqual(new Set(idsOf(all)));
    const order = portions.flat().map((id) => all.find((one) => one.id === id)?.updatedAt ?? '');
    expect(order).toEqual(order.toSorted());
  },
);

test('the ticket of a message is found in the list if the service cannot read a single message', async () => {
  const { database } = await bridgeDatabase(1);
  const detail = { code: null, message: null, issues: [], conflict: null, requestId: null };
  const readTicketMessage = () =>
    Promise.reject(new AnsweredError('GET /ticket-messages/{id}', 404, detail, undefined));
  const bridge = { database, channels, service: { ...service, readTicketMessage } } as unknown as Bridge;
  expect(await ticketOfMessage(bridge, 'of another')).toBe('IT-2');
  expect(await ticketOfMessage(bridge, 'unknown')).toBeUndefined();
});
