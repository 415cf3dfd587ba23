import { expect, test } from 'vitest';

import { HttpApp } from './http-app.ts';
import { AS_SLACK, boltApp, HELP, Mailbox, openSandbox } from './open-sandbox.ts';
import { type Envelope, rawSocket } from './raw-socket.ts';
import { sandboxFile } from './sandbox-file.ts';

const say = (text: string) => ({ channel: 'it-help', user: 'ada', text });
const texts = (envelopes: readonly Envelope[]) => envelopes.map(({ payload }) => payload.event['text']);

interface Heard {
  event_id: string;
  text: unknown;
}

test('a message can come twelve times, each with its own event id', async () => {
  const sandbox = await openSandbox();
  const heard = new Mailbox<Heard>();
  await boltApp(sandbox, (app) => {
    app.event('message', async ({ body, event }) =>
      heard.put({ event_id: body.event_id, text: (event as { text?: string }).text }),
    );
  });
  sandbox.control.faults({ events: [{ kind: 'duplicate', copies: 11 }] });
  await sandbox.control.message(say('again and again'));
  const all = await heard.first(12);
  expect(new Set(all.map(({ text }) => text))).toEqual(new Set(['again and again']));
  expect(new Set(all.map(({ event_id }) => event_id)).size).toBe(12);
});

test('a repetition can come later, after newer messages', async () => {
  const sandbox = await openSandbox(AS_SLACK);
  const socket = await rawSocket(sandbox);
  sandbox.control.faults({ events: [{ kind: 'duplicate', copies: 2, every: 60_000 }] });
  await sandbox.control.message(say('first'));
  await sandbox.control.message(say('second'));
  await socket.envelopes.first(2);
  sandbox.control.clock({ advance: '61s' });
  await socket.envelopes.first(3);
  sandbox.control.clock({ advance: '60s' });
  // Unacknowledged events also come again, under their event id.
  const firsts = () =>
    socket.envelopes.items.filter(({ payload }) => payload.event['text'] === 'first').map(idOf);
  await sandbox.control.waitFor('envelope', () => new Set(firsts()).size === 3);
  expect(texts(socket.envelopes.items.slice(0, 2))).toEqual(['first', 'second']);
});

const idOf = ({ payload }: Envelope) => payload.event_id;

test('a delayed event is overtaken, counts as undelivered, and comes after its delay', async () => {
  const sandbox = await openSandbox();
  const socket = await rawSocket(sandbox);
  sandbox.control.faults({ events: [{ kind: 'delay', ms: 60_000 }] });
  await sandbox.control.message(say('slow'));
  await sandbox.control.message(say('quick'));
  const [quick] = await socket.envelopes.first(1);
  if (quick) socket.ack(quick);
  await sandbox.control.waitFor('ack');
  expect(sandbox.control.state().undelivered).toBe(1);
  sandbox.control.clock({ advance: '61s' });
  expect(texts(await socket.envelopes.first(2))).toEqual(['quick', 'slow']);
});

test('an event that is held back when the sandbox is reset never comes', async () => {
  const sandbox = await openSandbox();
  const socket = await rawSocket(sandbox);
  sandbox.control.faults({ events: [{ kind: 'delay', ms: 60_000 }] });
  await sandbox.control.message(say('before'));
  await sandbox.control.reset();
  await sandbox.control.message(say('after'));
  expect(texts(await socket.envelopes.first(1))).toEqual(['after']);
});

test('a held-back event is delivered by the next process', async () => {
  const file = sandboxFile();
  const before = await openSandbox({ file });
  before.control.faults({ events: [{ kind: 'delay', ms: 3_600_000 }] });
  await before.control.message(say('kept back'));
  await before.stop();
  const after = await openSandbox({ file });
  expect(texts(await (await rawSocket(after)).envelopes.first(1))).toEqual(['kept back']);
});

test('a reorder window is sent newest first, and does not wait forever to be full', async () => {
  const sandbox = await openSandbox(AS_SLACK);
  const socket = await rawSocket(sandbox);
  sandbox.control.faults({ events: [{ kind: 'reorder', window: 3, times: 2, ms: 60_000 }] });
  for (const text of ['1', '2', '3', '4', '5']) await sandbox.control.message(say(text));
  expect(texts(await socket.envelopes.first(3))).toEqual(['3', '2', '1']);
  sandbox.control.clock({ advance: '61s' });
  const last = await sandbox.control.waitFor('envelope', () => texts(socket.envelopes.items).includes('4'));
  expect(last.retry_attempt).toBeGreaterThanOrEqual(0);
  const sent = texts(socket.envelopes.items);
  expect(sent.indexOf('5')).toBeLessThan(sent.indexOf('4'));
});

test('a lost acknowledgement makes the event come again, with its event id', async () => {
  const sandbox = await openSandbox(AS_SLACK);
  const heard = new Mailbox<Heard>();
  await boltApp(sandbox, (app) => {
    app.event('message', async ({ body }) => heard.put({ event_id: body.event_id, text: '' }));
  });
  sandbox.control.faults({ events: [{ kind: 'ack_lost' }] });
  const since = sandbox.control.mark();
  await sandbox.control.message(say('did you hear me?'));
  await sandbox.control.waitFor('fault', ({ fault }) => fault === 'ack_lost');
  sandbox.control.clock({ advance: '3s' });
  const [first, second] = await heard.first(2);
  expect(second).toEqual(first);
  await sandbox.control.waitFor('ack', () => true, { since });
  expect(sandbox.control.deliveries().at(-1)).toMatchObject({
    state: 'acked',
    event: 'message',
    event_id: first?.event_id,
    attempts: [
      { transport: 'socket', connection: 'conn-1' },
      { transport: 'socket', connection: 'conn-1' },
    ],
    ack_ms: expect.any(Number) as number,
    reason: 'timeout',
    faults: ['ack_lost'],
  });
});

test('a lost response of a request URL makes the event come again too', async () => {
  const sandbox = await openSandbox(AS_SLACK);
  const app = await new HttpApp().listen();
  await sandbox.control.app({ requestUrl: app.url });
  sandbox.control.faults({ events: [{ kind: 'ack_lost' }] });
  await sandbox.control.message(say('by HTTP'));
  await sandbox.control.waitFor('fault', ({ fault }) => fault === 'ack_lost');
  sandbox.control.clock({ advance: '3s' });
  const [first, second] = await app.arrived.first(2);
  expect(second?.body['event_id']).toBe(first?.body['event_id']);
  expect(second?.headers['x-slack-retry-num']).toBe('1');
  await sandbox.control.waitFor('ack');
  expect(sandbox.control.deliveries().at(-1)).toMatchObject({
    state: 'acked',
    attempts: [{ transport: 'http' }, { transport: 'http' }],
  });
});

test('after four lost acknowledgements the event is given up, as in Slack', async () => {
  const sandbox = await openSandbox(AS_SLACK);
  sandbox.control.clock({ speed: 0 });
  const socket = await rawSocket(sandbox);
  sandbox.control.faults({ events: [{ kind: 'ack_lost', acks: 4 }] });
  await sandbox.control.message(say('nobody takes my word'));
  for (const [attempt, wait] of ['0s', '60s', '300s', '0s'].entries()) {
    const envelope = (await socket.envelopes.first(attempt + 1))[attempt];
    const since = sandbox.control.mark();
    if (envelope) socket.ack(envelope);
    await sandbox.control.waitFor('fault', () => true, { since });
    sandbox.control.clock({ advance: '3s' });
    sandbox.control.clock({ advance: wait });
  }
  await sandbox.control.waitFor('unacked', ({ next }) => next === 'dropped');
  expect(sandbox.control.state().undelivered).toBe(0);
});

test('a dropped event is never sent, not even by the next process', async () => {
  const file = sandboxFile();
  const sandbox = await openSandbox({ file });
  const socket = await rawSocket(sandbox);
  sandbox.control.faults({ events: [{ kind: 'drop', event: 'message' }] });
  await sandbox.control.message(say('never told'));
  await sandbox.control.message(say('told'));
  const [told] = await socket.envelopes.first(1);
  expect(told?.payload.event['text']).toBe('told');
  if (told) socket.ack(told);
  await sandbox.control.waitFor('ack');
  await sandbox.stop();
  const after = await openSandbox({ file });
  expect(after.control.state().undelivered).toBe(0);
});

test('a fault only applies to its kind of event, channel and count', async () => {
  const sandbox = await openSandbox();
  const socket = await rawSocket(sandbox);
  sandbox.control.faults({
    events: [
      { kind: 'drop', event: 'app_mention', times: null },
      { kind: 'drop', channel: 'C0TRIAG', times: null },
      { kind: 'drop', event: 'message', channel: HELP, after: 1, times: 1 },
    ],
  });
  await sandbox.control.message(say('@deskbridge one'));
  await sandbox.control.message({ channel: 'it-triage', user: 'ben', text: 'explainUnknown' });
  await sandbox.control.message(say('two'));
  await sandbox.control.message(say('three'));
  expect(texts(await socket.envelopes.first(2))).toEqual(['<@U0BOTTT> one', 'three']);
  expect(sandbox.control.listFaults().events.map(({ hits }) => hits)).toEqual([1, 1]);
});

test.each(['sent', 'before_ack'] as const)(
  'a connection cut %s loses the acknowledgement: the event comes on the next connection',
  async (when) => {
    const sandbox = await openSandbox();
    const first = await rawSocket(sandbox);
    sandbox.control.faults({ events: [{ kind: 'cut', when, after: 1 }] });
    await sandbox.control.message(say('before'));
    const [before] = await first.envelopes.first(1);
    if (before) first.ack(before);
    await sandbox.control.waitFor('ack');
    await sandbox.control.message(say('in flight'));
    if (when === 'before_ack') {
      const lost = (await first.envelopes.first(2))[1];
      if (lost) first.ack(lost);
    }
    await first.closed;
    const second = await rawSocket(sandbox);
    const [again] = await second.envelopes.first(1);
    expect(again).toMatchObject({ retry_attempt: 1, payload: { event: { text: 'in flight' } } });
  },
);

test('a connection cut after the acknowledgement loses nothing and repeats nothing', async () => {
  const sandbox = await openSandbox();
  const first = await rawSocket(sandbox);
  sandbox.control.faults({ events: [{ kind: 'cut', when: 'after_ack' }] });
  await sandbox.control.message(say('taken'));
  const [taken] = await first.envelopes.first(1);
  if (taken) first.ack(taken);
  await first.closed;
  expect(sandbox.control.state().undelivered).toBe(0);
  const second = await rawSocket(sandbox);
  await sandbox.control.message(say('next'));
  expect(texts(await second.envelopes.first(1))).toEqual(['next']);
});

test('a person whose command is dropped gets an error after three seconds', async () => {
  const sandbox = await openSandbox(AS_SLACK);
  await rawSocket(sandbox);
  sandbox.control.faults({ events: [{ kind: 'drop', event: 'slash_commands' }] });
  const typed = sandbox.control.command({
    channel: 'it-help',
    user: 'ada',
    command: '/ticket',
    text: 'help',
  });
  await sandbox.control.waitFor('fault');
  sandbox.control.clock({ advance: '3s' });
  expect(await typed).toEqual({ error: 'operation_timeout' });
});

test('clearing the faults sends held-back events', async () => {
  const sandbox = await openSandbox();
  const socket = await rawSocket(sandbox);
  sandbox.control.faults({ events: [{ kind: 'delay', ms: 3_600_000, times: null }] });
  await sandbox.control.message(say('one'));
  sandbox.control.clearFaults();
  await sandbox.control.message(say('two'));
  expect(texts(await socket.envelopes.first(2))).toEqual(['one', 'two']);
  expect(sandbox.control.listFaults()).toMatchObject({ events: [], faults: [], held: 0 });
});

test('a page can follow every entry of the log live', async () => {
  const sandbox = await openSandbox();
  const stream = await fetch(`${sandbox.url}/_live?log=1`);
  if (!stream.body) throw new Error('the stream has no body');
  sandbox.control.faults({ events: [{ kind: 'drop' }] });
  await sandbox.control.message(say('followed'));
  let seen = '';
  for await (const part of stream.body.pipeThrough(new TextDecoderStream())) {
    seen += part;
    if (seen.includes('"fault":"drop"')) break;
  }
  expect(seen).toMatch(/event: log\ndata: \{"seq":\d+,.*"kind":"fault","fault":"drop"/);
});
