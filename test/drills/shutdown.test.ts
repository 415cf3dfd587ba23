import { describe, expect, test } from 'vitest';

import { until } from '../harness/until.ts';
import { startProcess, type World } from '../harness/world.ts';
import { answers, type Received, startReceiver } from '../service/receiver.ts';
import { LONG } from './drill.ts';

const WEBHOOKS = 20;
const TICKETS = 5;
/** Concurrent calls of one process; of a hundred deliveries the others wait. */
const UNDER_WAY = 32;
/** Kills of the service during deliveries. */
const KILLS = LONG ? 250 : 4;

const ticketOf = ({ body }: Received) => (JSON.parse(body) as { ticket: { id: string } }).ticket.id;
const createTicket = async ({ service }: World) => (await service.createTicket({ body: { title: 'T' } })).id;

describe('F11 SIGTERM', () => {
  test('F11 SIGTERM in the middle of a hundred deliveries ends the process cleanly, and the next one makes all deliveries, the interrupted ones with the same ids', async () => {
    const world = await startProcess({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
    // At most eight connections per origin.
    const receivers: Awaited<ReturnType<typeof startReceiver>>[] = [];
    for (let n = 0; n < WEBHOOKS; n++) receivers.push(await startReceiver(() => undefined));
    for (const { url } of receivers)
      await world.service.createWebhook({ body: { url, eventTypes: ['Ticket'] } });
    const calls = () => receivers.flatMap((receiver) => receiver.calls.map((call) => ({ receiver, call })));
    const nameOf = ({ receiver, call }: ReturnType<typeof calls>[number]) =>
      `${receiver.url} ${String(call.headers['webhook-id'])}`;
    const opened = await Promise.all(Array.from({ length: TICKETS }, () => createTicket(world)));
    await until('as many calls as there may be', async () => calls().length >= UNDER_WAY, {
      seen: async () => calls().length,
    });
    expect(await world.stop()).toBe(0);
    const before = calls();
    for (const receiver of receivers) receiver.behave(answers(200));
    await world.restart();
    const again = () => calls().filter(({ call }) => !before.some((cut) => cut.call === call));
    await until('all of them', async () => again().length >= WEBHOOKS * TICKETS, {
      seen: async () => again().length,
    });
    const named = again().map(nameOf);
    expect(new Set(named).size).toBe(WEBHOOKS * TICKETS);
    expect(before.map(nameOf).filter((name) => !named.includes(name))).toEqual([]);
    expect(new Set(again().map(({ call }) => ticketOf(call)))).toEqual(new Set(opened));
  });
});

describe('F1 kill -9 of the service', () => {
  test('F1 kill -9 before or after the response to a delivery loses no event, and a repeated one has the same id and bytes', async () => {
    const world = await startProcess({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
    let killAt = 0;
    let answered = true;
    let kills = 0;
    let dying = Promise.resolve();
    const receiver = await startReceiver((response) => {
      const fatal = receiver.calls.length === killAt;
      if (!fatal) return void response.writeHead(200).end();
      kills += 1;
      // Before the response: sent, with an unknown outcome. After it: received, but not recorded.
      if (answered) dying = new Promise((done) => response.writeHead(200).end(() => done(world.kill())));
      else dying = world.kill();
    });
    await world.service.createWebhook({ body: { url: receiver.url, eventTypes: ['Ticket'] } });
    const opened: string[] = [];
    for (let round = 0; round < KILLS; round++) {
      answered = round % 2 === 0;
      killAt = receiver.calls.length + 1 + (round % 5);
      const results = await Promise.allSettled(Array.from({ length: 6 }, () => createTicket(world)));
      opened.push(...results.flatMap((made) => (made.status === 'fulfilled' ? [made.value] : [])));
      await until('the service to be killed', async () => kills === round + 1);
      await dying;
      await world.restart();
    }
    const told = () => new Set(receiver.calls.map(ticketOf));
    const missing = () => {
      const known = told();
      return opened.filter((id) => !known.has(id));
    };
    await until('every event to have come', async () => missing().length === 0, {
      seen: async () => missing(),
    });
    for (const calls of Map.groupBy(receiver.calls, ({ headers }) => headers['webhook-id']).values())
      expect(new Set(calls.map(({ body }) => body)).size).toBe(1);
    console.info(
      `service-kill: ${kills} kills, ${opened.length} events, ${receiver.calls.length - told().size} came again, lost 0`,
    );
  });
});
