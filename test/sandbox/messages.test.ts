import { ErrorCode, type WebAPIPlatformError, type WebClient } from '@slack/web-api';
import { expect, test } from 'vitest';

import type { Sandbox } from '../../src/sandbox/index.ts';
import { ADA, BEN, boltApp, BOT, HeldClock, HELP, Mailbox, openSandbox, webClient } from './open-sandbox.ts';

type Event = Record<string, unknown> & { type: string; subtype?: string };

/** Slack's error code; `none` if the call succeeded. */
async function errorOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'none';
  } catch (error) {
    const failure = error as WebAPIPlatformError;
    expect(failure.code).toBe(ErrorCode.PlatformError);
    return failure.data.error;
  }
}

async function openWith(
  types: string[],
  clock?: HeldClock,
): Promise<{ sandbox: Sandbox; client: WebClient; heard: Mailbox<Event> }> {
  const sandbox = await openSandbox(clock ? { clock } : {});
  const heard = new Mailbox<Event>();
  await boltApp(sandbox, (app) => {
    for (const type of types) app.event(type, async ({ event }) => heard.put(event as unknown as Event));
  });
  return { sandbox, client: webClient(sandbox), heard };
}

const seconds = (clock: HeldClock) => Math.floor(clock.now().getTime() / 1000);

test('a scheduled message is posted once at its time by the clock, not before', async () => {
  const clock = new HeldClock();
  const sandbox = await openSandbox({ clock });
  const client = webClient(sandbox);
  const post_at = seconds(clock) + 60;
  const { scheduled_message_id = '' } = await client.chat.scheduleMessage({
    channel: HELP,
    text: 'later',
    post_at,
  });
  const { scheduled_messages } = await client.chat.scheduledMessages.list();
  expect(scheduled_messages).toEqual([
    { id: scheduled_message_id, channel_id: HELP, post_at, date_created: seconds(clock), text: 'later' },
  ]);
  clock.advance(59_000);
  sandbox.control.tick();
  await sandbox.control.message({ channel: 'it-help', user: 'ada', text: 'not yet' });
  expect((await client.chat.scheduledMessages.list()).scheduled_messages).toHaveLength(1);
  clock.advance(1_000);
  sandbox.control.tick();
  sandbox.control.tick();
  const all = await sandbox.control.waitForMessages('it-help', (messages) => messages.length === 2);
  expect(all.map(({ text, user }) => [text, user])).toEqual([
    ['not yet', ADA],
    ['later', BOT],
  ]);
  expect((await client.chat.scheduledMessages.list()).scheduled_messages).toEqual([]);
  expect(await errorOf(client.chat.deleteScheduledMessage({ channel: HELP, scheduled_message_id }))).toBe(
    'invalid_scheduled_message_id',
  );
});

test('a scheduled message can be deleted, and times that Slack rejects are rejected', async () => {
  const clock = new HeldClock();
  const sandbox = await openSandbox({ clock });
  const client = webClient(sandbox);
  const now = seconds(clock);
  const schedule = (post_at: number) => client.chat.scheduleMessage({ channel: HELP, text: 'x', post_at });
  expect(await errorOf(schedule(now))).toBe('time_in_past');
  expect(await errorOf(schedule(now + 121 * 86_400))).toBe('time_too_far');
  const { scheduled_message_id = '' } = await schedule(now + 60);
  await client.chat.deleteScheduledMessage({ channel: HELP, scheduled_message_id });
  expect((await client.chat.scheduledMessages.list({ channel: HELP })).scheduled_messages).toEqual([]);
  for (let index = 0; index < 30; index += 1) await schedule(now + 600 + index);
  expect(await errorOf(schedule(now + 640))).toBe('restricted_too_many');
  const paged = await client.chat.scheduledMessages.list({ limit: 20, oldest: `${now + 605}` });
  expect(paged.scheduled_messages).toHaveLength(20);
  const rest = await client.chat.scheduledMessages.list({
    limit: 20,
    oldest: `${now + 605}`,
    cursor: paged.response_metadata?.next_cursor ?? '',
  });
  expect(rest.scheduled_messages).toHaveLength(5);
});

test('a /me message has its subtype and no blocks, from people and from the app', async () => {
  const { sandbox, client, heard } = await openWith(['message']);
  await sandbox.control.meMessage({ channel: 'it-help', user: 'ada', text: 'sighs' });
  await client.chat.meMessage({ channel: HELP, text: 'nods' });
  const events = await heard.first(2);
  expect(events.map(({ subtype, user, text, blocks }) => [subtype, user, text, blocks])).toEqual([
    ['me_message', ADA, 'sighs', undefined],
    ['me_message', BOT, 'nods', undefined],
  ]);
  expect(await errorOf(client.chat.meMessage({ channel: HELP, text: ' ' }))).toBe('no_text');
});

test('metadata needs an event type and a payload, or the error names the invalid one', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const post = (metadata: unknown) =>
    errorOf(client.apiCall('chat.postMessage', { channel: HELP, text: 'x', metadata }));
  expect(await post('no json')).toBe('invalid_metadata_format');
  expect(await post({ event_type: 'x' })).toBe('invalid_metadata_schema');
  expect(await post({ event_type: 'x', event_payload: { much: 'x'.repeat(9_000) } })).toBe(
    'metadata_too_large',
  );
  expect(await post({ event_type: 'x', event_payload: {} })).toBe('none');
});

test('attachments are stored and shown; too many, or invalid blocks in one, are rejected', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const attachments = [{ color: '#36a64f', fallback: 'seen', text: 'A *text*' }];
  const { ts = '' } = await client.chat.postMessage({ channel: HELP, attachments });
  const { messages } = await client.conversations.history({ channel: HELP, latest: ts, inclusive: true });
  expect(messages?.[0]?.attachments).toMatchObject(attachments);
  const many = Array.from({ length: 101 }, () => ({ text: 'x' }));
  expect(await errorOf(client.chat.postMessage({ channel: HELP, attachments: many }))).toBe(
    'too_many_attachments',
  );
  const wrong = await client
    .apiCall('chat.postMessage', { channel: HELP, attachments: [{ blocks: [{ type: 'section' }] }] })
    .catch((error: unknown) => error);
  expect(wrong).toMatchObject({
    data: {
      error: 'invalid_attachments',
      response_metadata: { messages: [expect.stringContaining('/attachments/0/blocks/0')] },
    },
  });
});

test('markdown is posted and updated as a markdown block, never together with text', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const { ts = '' } = await client.chat.postMessage({ channel: HELP, markdown_text: '# One' });
  await client.chat.update({ channel: HELP, ts, markdown_text: '# Two' });
  const [message] = await sandbox.control.messages(HELP);
  expect(message).toMatchObject({ text: '# Two', blocks: [{ type: 'markdown', text: '# Two' }] });
  for (const call of ['chat.postMessage', 'chat.update'])
    expect(await errorOf(client.apiCall(call, { channel: HELP, ts, text: 'a', markdown_text: 'b' }))).toBe(
      'markdown_text_conflict',
    );
  expect(await errorOf(client.chat.postMessage({ channel: HELP, markdown_text: 'x'.repeat(12_001) }))).toBe(
    'msg_too_long',
  );
});

test('a link to a domain of the app sends an event, and the app’s unfurl changes the message without an edit', async () => {
  const { sandbox, client, heard } = await openWith(['link_shared', 'message']);
  sandbox.control.noise({ unfurlDomains: ['tickets.example'] });
  const url = 'https://desk.tickets.example/IT-1?a=1&b=2';
  const { message } = await sandbox.control.message({
    channel: 'it-help',
    user: 'ada',
    text: `see ${url} and https://elsewhere.example/`,
  });
  const told = (await heard.first(2)).find(({ type }) => type === 'link_shared');
  expect(told).toMatchObject({
    channel: HELP,
    user: ADA,
    message_ts: message.ts,
    is_bot_user_member: true,
    links: [{ domain: 'tickets.example', url }],
  });
  const unfurls = { [url]: { title: 'IT-1' } };
  await client.chat.unfurl({ channel: HELP, ts: message.ts, unfurls });
  await client.chat.unfurl({
    unfurl_id: String(told?.['unfurl_id']),
    source: 'conversations_history',
    unfurls: { [url]: { title: 'IT-1, open' } },
  });
  const [, , , last] = await heard.first(4);
  expect(last).toMatchObject({
    subtype: 'message_changed',
    message: { attachments: [{ title: 'IT-1, open', app_unfurl_url: url, is_app_unfurl: true }] },
    previous_message: { attachments: [{ title: 'IT-1' }] },
  });
  expect(last?.['message']).not.toHaveProperty('edited');
  // As recorded from Slack: previews of an app's own are told from Slack's by this, too.
  expect(last).not.toHaveProperty('message.attachments.0.from_url');
  const other = { 'https://not-in-it.example/': { title: 'x' } };
  expect(await errorOf(client.chat.unfurl({ channel: HELP, ts: message.ts, unfurls: other }))).toBe(
    'cannot_unfurl_url',
  );
});

test('links posted by the app itself send no event', async () => {
  const { sandbox, client, heard } = await openWith(['link_shared']);
  sandbox.control.noise({ unfurlDomains: ['tickets.example'] });
  await client.chat.postMessage({ channel: HELP, text: '<https://tickets.example/mine>' });
  await sandbox.control.message({ channel: 'it-help', user: 'ben', text: 'https://tickets.example/yours' });
  expect((await heard.first(1))[0]).toMatchObject({ user: BEN });
});

test('Slack’s own previews and language detection change messages without an edit, once switched on', async () => {
  const { sandbox, client, heard } = await openWith(['message']);
  const text = 'look at https://example.com/page';
  await sandbox.control.message({ channel: 'it-help', user: 'ada', text });
  sandbox.control.noise({ unfurls: true, languageDetection: true });
  await sandbox.control.message({ channel: 'it-help', user: 'ada', text });
  await client.chat.postMessage({ channel: HELP, text: '<https://example.com/>', unfurl_links: false });
  const events = await heard.first(6);
  expect(events.map(({ subtype }) => subtype)).toEqual([
    undefined,
    undefined,
    'message_changed',
    'message_changed',
    undefined,
    'message_changed',
  ]);
  const [, , detected, previewed, , detectedAgain] = events;
  for (const unchanged of [detected, detectedAgain]) {
    const {
      source_team: _source,
      user_team: _team,
      ...after
    } = (unchanged?.['message'] ?? {}) as Record<string, unknown>;
    expect(after).toEqual(unchanged?.['previous_message']);
  }
  expect(previewed?.['message']).toMatchObject({
    text: 'look at <https://example.com/page>',
    attachments: [{ from_url: 'https://example.com/page' }],
  });
  expect(previewed?.['message']).not.toHaveProperty('edited');
});

test('another bot posts as its user, or under its own name without one', async () => {
  const { sandbox, client, heard } = await openWith(['message']);
  await sandbox.control.botMessage({ channel: 'it-help', bot: 'Pager', text: 'on fire' });
  await sandbox.control.botMessage({
    channel: 'it-help',
    bot: 'Pager',
    text: 'still',
    username: 'Fire alarm',
  });
  const [first, second] = await heard.first(2);
  expect(first).toMatchObject({ text: 'on fire', bot_id: expect.stringMatching(/^B/) as string });
  expect(first).not.toHaveProperty('subtype');
  expect(second).toMatchObject({ subtype: 'bot_message', username: 'Fire alarm', bot_id: first?.['bot_id'] });
  expect(second).not.toHaveProperty('user');
  expect(first?.['bot_id']).not.toBe('B0BOTTT');
  const { user } = await client.users.info({ user: String(first?.['user']) });
  expect(user).toMatchObject({ is_bot: true, name: 'Pager' });
  const ts = String(first?.['ts']);
  expect(await errorOf(client.chat.update({ channel: HELP, ts, text: 'x' }))).toBe('cant_update_message');
  expect(await errorOf(client.chat.delete({ channel: HELP, ts }))).toBe('cant_delete_message');
});

test('a pin is an event, a line in the channel and in pins.list, until it is removed', async () => {
  const { sandbox, client, heard } = await openWith(['pin_added', 'pin_removed', 'message']);
  const { message } = await sandbox.control.message({ channel: 'it-help', user: 'ada', text: 'rules' });
  await sandbox.control.pin({ channel: 'it-help', user: 'ada', ts: message.ts });
  const [, added, line] = await heard.first(3);
  expect(added).toMatchObject({
    type: 'pin_added',
    user: ADA,
    channel_id: HELP,
    item: { message: { ts: message.ts, pinned_to: [HELP] } },
  });
  expect(line).toMatchObject({ subtype: 'pinned_item', user: ADA });
  expect(await client.conversations.history({ channel: HELP })).toMatchObject({ pin_count: 1 });
  const { items } = await client.pins.list({ channel: HELP });
  expect(items?.map((item) => (item as { message?: { text?: string } }).message?.text)).toEqual(['rules']);
  expect(await errorOf(client.pins.add({ channel: HELP, timestamp: message.ts }))).toBe('already_pinned');
  await client.pins.remove({ channel: HELP, timestamp: message.ts });
  expect((await heard.first(4))[3]).toMatchObject({ type: 'pin_removed', has_pins: false });
  expect(await errorOf(client.pins.remove({ channel: HELP, timestamp: message.ts }))).toBe('no_pin');
});

test('a huddle leaves its line in the channel', async () => {
  const { sandbox, heard } = await openWith(['message']);
  await sandbox.control.huddle({ channel: 'it-help', user: 'ada' });
  expect((await heard.first(1))[0]).toMatchObject({
    subtype: 'huddle_thread',
    user: 'USLACKBOT',
    room: { created_by: ADA, has_ended: false },
  });
});

test('each user adds and removes a reaction only once', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const { ts = '' } = await client.chat.postMessage({ channel: HELP, text: 'x' });
  const mine = { channel: HELP, timestamp: ts, name: 'eyes' };
  await client.reactions.add(mine);
  expect(await errorOf(client.reactions.add(mine))).toBe('already_reacted');
  await sandbox.control.reaction({ channel: 'it-help', user: 'ada', ts, name: 'eyes' });
  const { message } = await client.reactions.get({ channel: HELP, timestamp: ts });
  expect(message?.reactions).toEqual([{ name: 'eyes', users: [BOT, ADA], count: 2 }]);
  await client.reactions.remove(mine);
  expect(await errorOf(client.reactions.remove(mine))).toBe('no_reaction');
});

test('many concurrent writers get one order: ts, events and history agree', async () => {
  const { sandbox, client, heard } = await openWith(['message']);
  const count = 200;
  const posted = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      sandbox.control.message({ channel: 'it-help', user: index % 2 ? 'ada' : 'ben', text: `m${index}` }),
    ),
  );
  const byTs = posted.map(({ message }) => message.ts).sort();
  expect(new Set(byTs).size).toBe(count);
  expect((await heard.first(count)).map(({ ts }) => ts)).toEqual(byTs);
  const { messages } = await client.conversations.history({ channel: HELP, limit: count });
  expect(messages?.map(({ ts }) => ts).reverse()).toEqual(byTs);
});
