import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { programsDatabase } from '../harness/programs.ts';
import { until } from '../harness/until.ts';
import { startProcess, startWorld } from '../harness/world.ts';

test('a bridge with a URL that the service does not call ends with a sentence that says what to set', async () => {
  const world = await startWorld({}, ['service', '--demo']);
  await expect(world.startAlongside(['start'])).rejects.toThrow(
    /The service does not take the webhook http:\/\/127\.0\.0\.1:\d+\/….*Set PUBLIC_URL .*ALLOW_PRIVATE_WEBHOOKS=true/s,
  );
});

// Systems other than Linux have only one loopback address.
test.skipIf(process.platform !== 'linux')(
  'programs that listen on one address reach each other there, and log it; the sandbox stays on loopback',
  async () => {
    const world = await startProcess({ HOST: '127.0.0.2' });
    world.skipComparison('its service listens where the harness does not look for it');
    const ready = world.log.find(({ msg }) => msg === 'ready');
    expect([ready?.sandbox, ready?.api]).toEqual([
      world.urls.sandbox,
      world.urls.api.replace('127.0.0.1', '127.0.0.2'),
    ]);
    for (const event of ['webhook.registered', 'chat.connected'])
      await until(event, async () => world.log.some((line) => line.event === event));
  },
);

test('the demo starts with conversations in #it-help that continue: replies reach their tickets, answers their threads', async () => {
  const world = await startWorld({ DATABASE_URL: (await programsDatabase()).url });
  const { chat, service } = world;
  await world.untilIdle();
  const inChannel = {
    chatChannelId: DEMO.channels.itHelp.id,
    sortBy: 'createdAt',
    sortDirection: 'asc',
  } as const;
  const tickets = (await service.listTickets({ query: inChannel })).items;
  const roots = (await chat.messages('it-help')).filter(({ thread_ts, ts }) => (thread_ts ?? ts) === ts);
  expect(roots.map(({ text }) => text)).toEqual(tickets.map(({ description }) => description));
  expect(tickets.length).toBeGreaterThan(2);
  // Each has one card, drawn by the bridge, and its messages on the ticket.
  for (const { id, code, title, status, chatThreads } of tickets) {
    const [card, ...replies] = await chat.thread('it-help', chatThreads[0]?.messageTs ?? '');
    expect([card?.text, card?.metadata?.event_payload]).toEqual([
      `${code} ${title} (${status.label})`,
      expect.objectContaining({ card: id }),
    ]);
    const said = (await service.listTicketMessages({ query: { ticketId: id, private: false } })).items;
    expect(replies.map(({ text }) => text)).toEqual(said.map(({ content }) => content));
  }

  const [ticket] = tickets.filter(({ title }) => title?.startsWith('VPN'));
  const { messageTs: root = '' } = ticket?.chatThreads[0] ?? {};
  const before = await chat.thread('it-help', root);
  await chat.say('it-help', 'ada', 'It happened again.', root);
  await service.createTicketMessage({ body: { ticketId: ticket?.id ?? '', content: 'Please try 5.2.2.' } });
  await world.untilIdle();
  const texts = async () => (await chat.thread('it-help', root)).map(({ text }) => text);
  expect((await texts()).slice(before.length).sort()).toEqual(['It happened again.', 'Please try 5.2.2.']);
  const { items } = await service.listTicketMessages({ query: { ticketId: ticket?.id ?? '' } });
  expect(items.map(({ content }) => content)).toContain('It happened again.');

  // A second start adds nothing.
  const all = (await chat.messages('it-help')).length;
  await world.stop();
  await world.restart();
  await world.untilIdle();
  expect((await chat.messages('it-help')).length).toBe(all);
});
