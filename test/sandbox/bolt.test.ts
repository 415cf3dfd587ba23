import { expect, test } from 'vitest';

import { ADA, boltApp, BOT, HELP, Mailbox, openSandbox, webClient } from './open-sandbox.ts';

interface Received {
  event_id: string;
  event: Record<string, unknown> & { type: string };
}

test('a mention arrives once as message and once as app_mention, with different event ids', async () => {
  const sandbox = await openSandbox();
  const received = new Mailbox<Received>();
  await boltApp(sandbox, (app) => {
    app.event('message', async ({ body }) => received.put(body as unknown as Received));
    app.event('app_mention', async ({ body }) => received.put(body as unknown as Received));
  });
  const { message } = await sandbox.control.message({
    channel: 'it-help',
    user: 'ada',
    text: '@deskbridge my laptop is broken',
  });
  const both = await received.first(2);
  expect(both.map(({ event }) => event.type).sort()).toEqual(['app_mention', 'message']);
  expect(new Set(both.map(({ event_id }) => event_id)).size).toBe(2);
  for (const { event } of both)
    expect(event).toMatchObject({
      channel: HELP,
      user: ADA,
      ts: message.ts,
      text: `<@${BOT}> my laptop is broken`,
    });
});

test("the app's own posts, edits and reactions are echoed to it", async () => {
  const sandbox = await openSandbox();
  const received = new Mailbox<Received>();
  await boltApp(sandbox, (app) => {
    app.event('message', async ({ body }) => received.put(body as unknown as Received));
    app.event('reaction_added', async ({ body }) => received.put(body as unknown as Received));
  });
  const client = webClient(sandbox);
  const { ts = '' } = await client.chat.postMessage({ channel: HELP, text: 'hello', username: 'Mira' });
  await client.chat.update({ channel: HELP, ts, text: 'hello again' });
  await client.reactions.add({ channel: HELP, timestamp: ts, name: 'eyes' });
  const events = (await received.first(3)).map(({ event }) => event);
  expect(events[0]).toMatchObject({
    type: 'message',
    subtype: 'bot_message',
    username: 'Mira',
    bot_id: 'B0BOTTT',
  });
  expect(events[0]).not.toHaveProperty('user');
  expect(events[1]).toMatchObject({ subtype: 'message_changed', message: { text: 'hello again', ts } });
  expect(events[2]).toMatchObject({ type: 'reaction_added', user: BOT, reaction: 'eyes', item: { ts } });
});

test('a slash command is answered by its acknowledgement and by its response_url', async () => {
  const sandbox = await openSandbox();
  const commands = new Mailbox<Record<string, unknown>>();
  await boltApp(sandbox, (app) => {
    app.command('/ticket', async ({ ack, respond, command }) => {
      commands.put(command);
      await ack('one moment');
      await respond('here it is');
    });
  });
  await sandbox.control.command({
    channel: 'it-help',
    user: 'ada',
    command: '/ticket',
    text: 'assign IT-1 @ben <now> & see https://acme.example',
  });
  const [command] = await commands.first(1);
  expect(command).toMatchObject({
    command: '/ticket',
    user_id: ADA,
    channel_id: HELP,
    channel_name: 'it-help',
    text: 'assign IT-1 <@U0BENNN|ben> &lt;now&gt; &amp; see <https://acme.example>',
  });
  const seen = await sandbox.control.waitForMessages('it-help', (all) => all.length === 2, { as: 'ada' });
  expect(seen.map(({ text, ephemeralFor }) => [text, ephemeralFor])).toEqual([
    ['one moment', ADA],
    ['here it is', ADA],
  ]);
  expect(await sandbox.control.messages('it-help', 'ben')).toEqual([]);
});
