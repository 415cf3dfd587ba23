import { expect, test } from 'vitest';

import { boltApp, HeldClock, HELP, Mailbox, openSandbox, SEED, webClient } from './open-sandbox.ts';
import { RawSocket, rawSocket, socketUrl } from './raw-socket.ts';
import { sandboxFile } from './sandbox-file.ts';

const say = { channel: 'it-help', user: 'ada', text: 'hello' };

test('hello names the app, the number of connections and how long they last', async () => {
  const sandbox = await openSandbox();
  await rawSocket(sandbox);
  const second = await rawSocket(sandbox);
  expect(second.hello.items[0]).toMatchObject({
    type: 'hello',
    num_connections: 2,
    connection_info: { app_id: SEED.app.id },
    debug_info: { approximate_connection_time: expect.any(Number) as number },
  });
});

test('a socket URL works once, and only for a limited time', async () => {
  const clock = new HeldClock();
  const sandbox = await openSandbox({ clock });
  const url = await socketUrl(sandbox);
  const first = new RawSocket(url);
  await first.hello.first(1);
  const second = new RawSocket(url);
  await second.closed;
  expect(second.hello.items).toEqual([]);

  const late = await socketUrl(sandbox);
  clock.advance(31_000);
  const third = new RawSocket(late);
  await third.closed;
  expect(third.hello.items).toEqual([]);
});

test('the eleventh connection is rejected with too_many_websockets', async () => {
  const sandbox = await openSandbox();
  for (let index = 0; index < 10; index += 1) await rawSocket(sandbox);
  const eleventh = new RawSocket(await socketUrl(sandbox));
  expect((await eleventh.disconnects.first(1))[0]?.reason).toBe('too_many_websockets');
  expect(eleventh.hello.items).toEqual([]);
});

test('an envelope is sent to exactly one of two connections', async () => {
  const sandbox = await openSandbox();
  const [left, right] = [await rawSocket(sandbox), await rawSocket(sandbox)];
  for (let index = 0; index < 6; index += 1) await sandbox.control.message(say);
  await Promise.all([left.envelopes.first(3), right.envelopes.first(3)]);
  const ids = [...left.envelopes.items, ...right.envelopes.items].map(({ payload }) => payload.event_id);
  expect(ids).toHaveLength(6);
  expect(new Set(ids).size).toBe(6);
});

test('an event not acknowledged in 3 s comes again at once, after 1 min and after 5 min: same event_id, new envelope_id, then no more', async () => {
  const clock = new HeldClock();
  const sandbox = await openSandbox({ clock });
  const socket = await rawSocket(sandbox);
  await sandbox.control.message(say);
  await socket.envelopes.first(1);
  const runOut = () => {
    clock.advance(3_000);
    sandbox.control.tick();
  };
  runOut();
  await socket.envelopes.first(2);
  runOut();
  clock.advance(59_000);
  sandbox.control.tick();
  expect(socket.envelopes.items).toHaveLength(2);
  clock.advance(1_000);
  sandbox.control.tick();
  await socket.envelopes.first(3);
  runOut();
  clock.advance(300_000);
  sandbox.control.tick();
  const tries = await socket.envelopes.first(4);
  expect(tries.map(({ retry_attempt, retry_reason }) => [retry_attempt, retry_reason])).toEqual([
    [0, ''],
    [1, 'timeout'],
    [2, 'timeout'],
    [3, 'timeout'],
  ]);
  expect(new Set(tries.map(({ payload }) => payload.event_id)).size).toBe(1);
  expect(new Set(tries.map(({ envelope_id }) => envelope_id)).size).toBe(4);
  runOut();
  expect(sandbox.control.state().undelivered).toBe(0);
  expect(sandbox.control.log().at(-1)).toMatchObject({ kind: 'unacked', next: 'dropped' });
});

test('an acknowledged event is not sent again', async () => {
  const clock = new HeldClock();
  const sandbox = await openSandbox({ clock });
  const socket = await rawSocket(sandbox);
  await sandbox.control.message(say);
  const [envelope] = await socket.envelopes.first(1);
  if (envelope) socket.ack(envelope);
  await sandbox.control.waitFor('ack');
  clock.advance(600_000);
  sandbox.control.tick();
  expect(socket.envelopes.items).toHaveLength(1);
  expect(sandbox.control.state().undelivered).toBe(0);
});

test('events in flight on a connection that dies come on the other one', async () => {
  const sandbox = await openSandbox();
  const first = await rawSocket(sandbox);
  await sandbox.control.message(say);
  const [lost] = await first.envelopes.first(1);
  const second = await rawSocket(sandbox);
  first.cut();
  const [again] = await second.envelopes.first(1);
  expect(again).toMatchObject({ retry_attempt: 1, retry_reason: 'timeout' });
  expect(again?.payload.event_id).toBe(lost?.payload.event_id);
});

test('events without a connection arrive after connecting, in order, marked as retries', async () => {
  const sandbox = await openSandbox();
  for (let index = 0; index < 5; index += 1) await sandbox.control.message({ ...say, text: `m${index}` });
  const socket = await rawSocket(sandbox);
  const waiting = await socket.envelopes.first(5);
  expect(waiting.map(({ payload }) => payload.event['text'])).toEqual(['m0', 'm1', 'm2', 'm3', 'm4']);
  expect(waiting.every(({ retry_attempt }) => retry_attempt === 1)).toBe(true);
});

test('events without a connection are given up after the time of their retries, younger ones are kept', async () => {
  const clock = new HeldClock();
  const sandbox = await openSandbox({ clock });
  await sandbox.control.message({ ...say, text: 'too early' });
  clock.advance(60_000);
  sandbox.control.tick();
  await sandbox.control.message({ ...say, text: 'in time' });
  expect(sandbox.control.state().undelivered).toBe(2);
  clock.advance(330_000);
  sandbox.control.tick();
  expect(sandbox.control.state().undelivered).toBe(1);
  const [dropped] = sandbox.control.log().filter(({ kind }) => kind === 'unacked');
  expect(dropped).toMatchObject({ next: 'dropped', reason: 'timeout' });
  const socket = await rawSocket(sandbox);
  const [envelope] = await socket.envelopes.first(1);
  expect(envelope).toMatchObject({ retry_attempt: 1, payload: { event: { text: 'in time' } } });
});

test('events from before a long stop are given up at the next start', async () => {
  const clock = new HeldClock();
  const file = sandboxFile();
  const before = await openSandbox({ file, clock });
  await before.control.message(say);
  await before.stop();
  clock.advance(3_600_000);
  const after = await openSandbox({ file, clock });
  expect(after.control.state().undelivered).toBe(0);
});

test('a restart keeps messages, people and undelivered envelopes', async () => {
  const file = sandboxFile();
  const before = await openSandbox({ file });
  const { message } = await before.control.message(say);
  const socket = await rawSocket(before);
  await socket.envelopes.first(1);
  await before.stop();

  const after = await openSandbox({ file });
  expect((await after.control.messages('it-help')).map(({ ts }) => ts)).toEqual([message.ts]);
  const again = await rawSocket(after);
  const [envelope] = await again.envelopes.first(1);
  expect(envelope?.payload.event_id).toBe(socket.envelopes.items[0]?.payload.event_id);
  expect(envelope?.payload.event['ts']).toBe(message.ts);
});

test('a warning asks the SDK to reconnect, and nothing is lost', async () => {
  const sandbox = await openSandbox();
  const texts = new Mailbox<string>();
  await boltApp(sandbox, (app) => {
    app.message(async ({ message }) => texts.put('text' in message ? (message.text ?? '') : ''));
  });
  const since = sandbox.control.mark();
  sandbox.control.disconnect({ reason: 'warning' });
  await sandbox.control.message({ ...say, text: 'meanwhile' });
  await sandbox.control.waitFor('connection', ({ what }) => what === 'opened', { since });
  expect(await texts.first(1)).toEqual(['meanwhile']);
});

test('events only come from channels with the bot as a member; joining sends an event', async () => {
  const sandbox = await openSandbox();
  const socket = await rawSocket(sandbox);
  await sandbox.control.message({ ...say, channel: 'quiet', text: 'explainUnknown' });
  await webClient(sandbox).conversations.join({ channel: 'C0QUIET' });
  await sandbox.control.message({ ...say, channel: 'quiet', text: 'heard' });
  const events = (await socket.envelopes.first(3)).map(({ payload }) => payload.event);
  expect(events.map(({ type, subtype, text }) => [type, subtype, text])).toEqual([
    ['member_joined_channel', undefined, undefined],
    ['message', 'channel_join', '<@U0BOTTT> has joined the channel'],
    ['message', undefined, 'heard'],
  ]);
});

test('a direct message comes as channel_type im and without app_mention', async () => {
  const sandbox = await openSandbox();
  const socket = await rawSocket(sandbox);
  await sandbox.control.message({ channel: '@deskbridge', user: 'ada', text: 'hi @deskbridge' });
  await sandbox.control.message({ ...say, text: 'after' });
  const events = (await socket.envelopes.first(3)).map(({ payload }) => payload.event);
  expect(events[0]).toMatchObject({ type: 'im_created' });
  expect(events[1]).toMatchObject({ type: 'message', channel_type: 'im' });
  expect(events[2]).toMatchObject({ text: 'after', channel: HELP });
});

test('edits and deletions have the previous message; an edited mention comes as app_mention again', async () => {
  const sandbox = await openSandbox();
  const socket = await rawSocket(sandbox);
  const { message } = await sandbox.control.message({ ...say, text: '@deskbridge helo' });
  await sandbox.control.editMessage({
    channel: 'it-help',
    user: 'ada',
    ts: message.ts,
    text: '@deskbridge hello',
  });
  await sandbox.control.deleteMessage({ channel: 'it-help', user: 'ada', ts: message.ts });
  const events = (await socket.envelopes.first(5)).map(({ payload }) => payload.event);
  expect(events.map(({ type, subtype }) => [type, subtype])).toEqual([
    ['message', undefined],
    ['app_mention', undefined],
    ['message', 'message_changed'],
    ['app_mention', undefined],
    ['message', 'message_deleted'],
  ]);
  expect(events[2]).toMatchObject({
    hidden: true,
    message: {
      text: '<@U0BOTTT> hello',
      ts: message.ts,
      edited: { user: 'U0ADAAA', ts: expect.stringMatching(/^\d{10}\.000000$/) as string },
    },
    previous_message: { text: '<@U0BOTTT> helo', ts: message.ts },
  });
  expect(events[3]).toMatchObject({ ts: message.ts, edited: { user: 'U0ADAAA' } });
  expect(events[4]).toMatchObject({
    hidden: true,
    deleted_ts: message.ts,
    previous_message: { text: '<@U0BOTTT> hello' },
  });
});

test('a deleted parent with replies comes as message_changed with a tombstone', async () => {
  const sandbox = await openSandbox();
  const { message: root } = await sandbox.control.message(say);
  await sandbox.control.message({ channel: 'it-help', user: 'ben', text: 'reply', thread_ts: root.ts });
  await sandbox.control.deleteMessage({ channel: 'it-help', user: 'ada', ts: root.ts });
  const socket = await rawSocket(sandbox);
  const event = (await socket.envelopes.first(3))[2]?.payload.event;
  expect(event).toMatchObject({
    subtype: 'message_changed',
    message: {
      subtype: 'tombstone',
      user: 'USLACKBOT',
      hidden: true,
      ts: root.ts,
      thread_ts: root.ts,
      reply_count: 1,
    },
    previous_message: { text: 'hello', ts: root.ts },
  });
});

test('an event has the outer body of Slack’s documentation', async () => {
  const sandbox = await openSandbox();
  const socket = await rawSocket(sandbox);
  const { message } = await sandbox.control.message(say);
  const [envelope] = await socket.envelopes.first(1);
  expect(envelope).toMatchObject({
    type: 'events_api',
    accepts_response_payload: false,
    payload: {
      type: 'event_callback',
      team_id: SEED.team.id,
      api_app_id: SEED.app.id,
      event_id: expect.stringMatching(/^Ev[A-Z0-9]+$/) as string,
      event_time: expect.any(Number) as number,
      is_ext_shared_channel: false,
      authorizations: [{ team_id: SEED.team.id, user_id: SEED.app.botUserId, is_bot: true }],
      event: {
        event_ts: message.ts,
        channel_type: 'channel',
        client_msg_id: expect.any(String) as string,
        team: SEED.team.id,
      },
    },
  });
});
