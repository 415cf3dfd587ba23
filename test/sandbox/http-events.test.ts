import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';

import { App, ExpressReceiver, HTTPReceiver, type Receiver } from '@slack/bolt';
import { expect, test } from 'vitest';

import type { Sandbox } from '../../src/sandbox/index.ts';
import { HttpApp } from './http-app.ts';
import { FILLED, FORM } from './views/open-modal.ts';
import {
  HeldClock,
  HELP,
  Mailbox,
  openSandbox,
  SEED,
  SILENT,
  stopAfterTest,
  webClient,
} from './open-sandbox.ts';
import { rawSocket } from './raw-socket.ts';
import { sandboxFile } from './sandbox-file.ts';

const say = { channel: 'it-help', user: 'ada', text: 'hello' };
const command = { channel: 'it-help', user: 'ada', command: '/ticket', text: 'show <IT-1> & rest' };

/** An app that accepts the sandbox's requests. */
async function httpApp(sandbox: Sandbox): Promise<HttpApp> {
  const app = await new HttpApp().listen();
  await sandbox.control.app({ requestUrl: app.url });
  return app;
}

/** A free port. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** The real Bolt behind a request URL that the sandbox has verified. */
async function boltOver(sandbox: Sandbox, receiver: Receiver, setUp: (app: App) => void): Promise<void> {
  const app = new App({
    token: SEED.app.botToken,
    receiver,
    ignoreSelf: false,
    logger: SILENT,
    clientOptions: { slackApiUrl: sandbox.apiUrl },
  });
  setUp(app);
  const server = (await app.start(0)) as Server;
  stopAfterTest(app);
  const { port } = server.address() as AddressInfo;
  await sandbox.control.app({ requestUrl: `http://127.0.0.1:${port}/slack/events` });
}

const { signingSecret } = SEED.app;

test.each([
  ['HTTPReceiver', () => new HTTPReceiver({ signingSecret, logger: SILENT })],
  ['ExpressReceiver', () => new ExpressReceiver({ signingSecret, logger: SILENT })],
])(
  'Bolt with its %s answers the challenge, gets events, commands and button presses, and its responses arrive',
  async (_, make) => {
    const sandbox = await openSandbox();
    const events = new Mailbox<string>();
    const presses = new Mailbox<string>();
    await boltOver(sandbox, make(), (app) => {
      app.event('app_mention', async ({ event }) => events.put(event.type));
      app.event('message', async ({ event }) => events.put(event.type));
      app.command('/ticket', async ({ ack, command: { text }, respond }) => {
        await ack({ response_type: 'in_channel', text: `acknowledged: ${text}` });
        await respond('afterwards');
      });
      app.action('go', async ({ ack, body }) => {
        await ack();
        presses.put(body.user.id);
      });
    });
    await sandbox.control.message({ ...say, text: '@deskbridge hello' });
    expect((await events.first(2)).sort()).toEqual(['app_mention', 'message']);

    expect(await sandbox.control.command(command)).toMatchObject({
      payload: { response_type: 'in_channel' },
    });
    const seen = await sandbox.control.waitForMessages(
      'it-help',
      (all) => all.some(({ text }) => text === 'afterwards'),
      { as: 'ada' },
    );
    expect(seen.map(({ text }) => text)).toContain('acknowledged: show &lt;IT-1&gt; &amp; rest');

    const button = { type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } };
    const { ts = '' } = await webClient(sandbox).chat.postMessage({
      channel: HELP,
      text: 'press',
      blocks: [{ type: 'actions', elements: [button] }] as never,
    });
    expect(await sandbox.control.interact({ ...say, messageTs: ts, action: 'go' })).toEqual({
      payload: undefined,
    });
    expect(await presses.first(1)).toEqual(['U0ADAAA']);
  },
);

test('a modal over HTTP: opened by a command, rejected with errors in the response, then closed by an empty one', async () => {
  const sandbox = await openSandbox();
  let submissions = 0;
  await boltOver(sandbox, new HTTPReceiver({ signingSecret, logger: SILENT }), (app) => {
    app.command('/ticket', async ({ ack, client, body }) => {
      await client.views.open({ trigger_id: body.trigger_id, view: FORM });
      await ack();
    });
    app.view('form', async ({ ack }) => {
      submissions += 1;
      if (submissions > 1) await ack();
      else await ack({ response_action: 'errors', errors: { why: 'Not good enough' } });
    });
  });
  expect(await sandbox.control.command(command)).toEqual({ payload: undefined });
  expect(await sandbox.control.submitView({ user: 'ada', values: FILLED })).toMatchObject({
    result: 'errors',
    by: 'app',
    errors: { why: 'Not good enough' },
  });
  expect(await sandbox.control.submitView({ user: 'ada', values: FILLED })).toMatchObject({
    result: 'closed',
  });
});

test('a request URL that does not answer the challenge is rejected, and nothing changes', async () => {
  const sandbox = await openSandbox();
  const app = await new HttpApp().listen();
  const refused = async () => expect(sandbox.control.app({ requestUrl: app.url })).rejects;
  app.verify = () => ({ status: 200, body: 'ok' });
  await (await refused()).toThrow('did not answer with the value of the challenge parameter');
  app.verify = (challenge) => ({ status: 404, body: challenge });
  await (await refused()).toThrow('HTTP 404');
  const nobody = sandbox.control.app({ requestUrl: `http://127.0.0.1:${await closedPort()}/` });
  await expect(nobody).rejects.toThrow('connection_failed');
  expect(sandbox.control.state().apps).toMatchObject([{ socketMode: true, requestUrl: null }]);
});

test.each([
  ['text', 'text/plain', (challenge: string) => challenge],
  ['a form', 'application/x-www-form-urlencoded', (challenge: string) => `challenge=${challenge}`],
  ['JSON', 'application/json', (challenge: string) => JSON.stringify({ challenge })],
])('the challenge may be answered as %s', async (_, type, body) => {
  const sandbox = await openSandbox();
  const app = await new HttpApp().listen();
  app.verify = (challenge) => ({ status: 200, headers: { 'content-type': type }, body: body(challenge) });
  await sandbox.control.app({ requestUrl: app.url });
  expect(sandbox.control.state().apps).toMatchObject([{ socketMode: false, requestUrl: app.url }]);
});

test('every request has a signature of its raw body and time, and the first delivery has no retry headers', async () => {
  const clock = new HeldClock();
  const sandbox = await openSandbox({ clock });
  const app = await httpApp(sandbox);
  await sandbox.control.message({ ...say, text: 'ümläut' });
  await sandbox.control.command(command);
  const [event, typed] = await app.arrived.first(2);
  const [challenge] = app.challenges.items;
  for (const request of [challenge, event, typed]) {
    const timestamp = String(request?.headers['x-slack-request-timestamp']);
    expect(Number(timestamp)).toBe(Math.floor(clock.now().getTime() / 1000));
    const mac = createHmac('sha256', signingSecret)
      .update(`v0:${timestamp}:${request?.raw ?? ''}`)
      .digest('hex');
    expect(request?.headers['x-slack-signature']).toBe(`v0=${mac}`);
    expect(request?.headers).not.toHaveProperty('x-slack-retry-num');
    expect(request?.headers['user-agent']).toContain('Slackbot 1.0');
  }
  expect(event?.headers['content-type']).toBe('application/json');
  expect(event?.body).toMatchObject({ type: 'event_callback', event: { text: 'ümläut' } });
  expect(typed?.headers['content-type']).toBe('application/x-www-form-urlencoded');
  expect(typed?.body).toMatchObject({ command: '/ticket', user_id: 'U0ADAAA', api_app_id: SEED.app.id });
});

test('an event that gets an error response comes again at once, after 1 min and after 5 min, with number and reason, then no more', async () => {
  const clock = new HeldClock();
  const sandbox = await openSandbox({ clock });
  const app = await httpApp(sandbox);
  app.reply = () => ({ status: 500 });
  const failed = (attempt: number) =>
    sandbox.control.waitFor('unacked', (entry) => entry.attempt === attempt, { since: 0 });
  await sandbox.control.message(say);
  await app.arrived.first(2);
  await failed(2);
  clock.advance(60_000);
  sandbox.control.tick();
  await failed(3);
  clock.advance(300_000);
  sandbox.control.tick();
  await sandbox.control.waitFor('unacked', ({ next }) => next === 'dropped', { since: 0 });
  expect(
    app.arrived.items.map(({ headers }) => [headers['x-slack-retry-num'], headers['x-slack-retry-reason']]),
  ).toEqual([
    [undefined, undefined],
    ['1', 'http_error'],
    ['2', 'http_error'],
    ['3', 'http_error'],
  ]);
  expect(new Set(app.arrived.items.map(({ body }) => body['event_id'])).size).toBe(1);
  expect(sandbox.control.state().undelivered).toBe(0);
});

test('an event without a response in 3 s comes again as http_timeout, and a late response is ignored', async () => {
  const clock = new HeldClock();
  const sandbox = await openSandbox({ clock });
  const app = await httpApp(sandbox);
  app.reply = ({ headers }) => (headers['x-slack-retry-num'] === undefined ? 'hang' : { status: 200 });
  await sandbox.control.message(say);
  await app.arrived.first(1);
  clock.advance(3_000);
  sandbox.control.tick();
  const [, again] = await app.arrived.first(2);
  expect(again?.headers).toMatchObject({ 'x-slack-retry-num': '1', 'x-slack-retry-reason': 'http_timeout' });
  await sandbox.control.waitFor('ack', ({ connection }) => connection === 'http', { since: 0 });
  expect(sandbox.control.state().undelivered).toBe(0);
});

test('an app that was down gets its events when it is back, with connection_failed as the reason', async () => {
  const clock = new HeldClock();
  const sandbox = await openSandbox({ clock });
  const before = await httpApp(sandbox);
  const port = Number(new URL(before.url).port);
  before.close();
  await sandbox.control.message(say);
  await sandbox.control.waitFor('unacked', ({ attempt }) => attempt === 2, { since: 0 });
  const after = await new HttpApp().listen(port);
  clock.advance(60_000);
  sandbox.control.tick();
  const [event] = await after.arrived.first(1);
  expect(event?.headers).toMatchObject({
    'x-slack-retry-num': '2',
    'x-slack-retry-reason': 'connection_failed',
  });
});

test('x-slack-no-retry ends the retries', async () => {
  const sandbox = await openSandbox({ clock: new HeldClock() });
  const app = await httpApp(sandbox);
  app.reply = () => ({ status: 500, headers: { 'x-slack-no-retry': '1' } });
  await sandbox.control.message(say);
  const entry = await sandbox.control.waitFor('unacked', undefined, { since: 0 });
  expect(entry).toMatchObject({ reason: 'http_error', attempt: 1, next: 'dropped' });
  expect(app.arrived.items).toHaveLength(1);
});

test('two redirects are followed with an event, a third is too_many_redirects', async () => {
  const sandbox = await openSandbox({ clock: new HeldClock() });
  const app = await httpApp(sandbox);
  let hops = 2;
  app.reply = ({ path }) => {
    const hop = Number(path.split('/').at(-1)) || 0;
    return hop < hops ? { status: 302, headers: { location: `/hop/${hop + 1}` } } : { status: 200 };
  };
  await sandbox.control.message(say);
  await sandbox.control.waitFor('ack', undefined, { since: 0 });
  expect(app.arrived.items.map(({ path }) => path)).toEqual(['/slack/events', '/hop/1', '/hop/2']);
  hops = 9;
  await sandbox.control.message(say);
  const entry = await sandbox.control.waitFor('unacked', undefined, { since: 0 });
  expect(entry.reason).toBe('too_many_redirects');
});

test.each([
  ['HTTP 500', { status: 500 }, 'http_service_error'],
  ['HTTP 404', { status: 404 }, 'http_client_error'],
  ['a redirect', { status: 302, headers: { location: '/elsewhere' } }, 'http_client_error'],
  ['202 instead of 200', { status: 202 }, 'http_client_error'],
] as const)(
  'a command answered with %s is tried once and its user gets the reason',
  async (_, reply, error) => {
    const sandbox = await openSandbox();
    const app = await httpApp(sandbox);
    app.reply = () => reply;
    expect(await sandbox.control.command(command)).toEqual({ error });
    expect(app.arrived.items).toHaveLength(1);
    expect((await sandbox.control.messages('it-help', 'ada')).at(-1)?.text).toContain(`error "${error}"`);
  },
);

test('a command to a hanging app is operation_timeout, to one that is down dispatch_failed', async () => {
  const clock = new HeldClock();
  const sandbox = await openSandbox({ clock });
  const app = await httpApp(sandbox);
  app.reply = () => 'hang';
  const typed = sandbox.control.command(command);
  await app.arrived.first(1);
  clock.advance(3_000);
  sandbox.control.tick();
  expect(await typed).toEqual({ error: 'operation_timeout' });
  app.close();
  expect(await sandbox.control.command(command)).toEqual({ error: 'dispatch_failed' });
});

test('a response that is not JSON is shown as the answer of a command', async () => {
  const sandbox = await openSandbox();
  const app = await httpApp(sandbox);
  app.reply = () => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'done, and \0 gone' });
  expect(await sandbox.control.command(command)).toEqual({ payload: { text: 'done, and \uFFFD gone' } });
  expect((await sandbox.control.messages('it-help', 'ada')).at(-1)?.text).toBe('done, and \uFFFD gone');
});

test('Socket Mode takes precedence over a request URL; when it is switched off, its connections get link_disabled', async () => {
  const sandbox = await openSandbox();
  const app = await new HttpApp().listen();
  await sandbox.control.app({ requestUrl: app.url, socketMode: true });
  const socket = await rawSocket(sandbox);
  await sandbox.control.message({ ...say, text: 'by socket' });
  const [envelope] = await socket.envelopes.first(1);
  if (envelope) socket.ack(envelope);
  await sandbox.control.waitFor('ack');
  await sandbox.control.app({ requestUrl: app.url });
  expect((await socket.disconnects.first(1))[0]?.reason).toBe('link_disabled');
  await expect(webClient(sandbox, SEED.app.appToken).apps.connections.open({})).rejects.toThrow();
  await sandbox.control.message({ ...say, text: 'by post' });
  const [event] = await app.arrived.first(1);
  expect(event?.body).toMatchObject({ event: { text: 'by post' } });
});

test('a request URL of the seed gets the challenge before the first event', async () => {
  const app = await new HttpApp().listen();
  const sandbox = await openSandbox({ seed: { ...SEED, app: { ...SEED.app, requestUrl: app.url } } });
  expect(app.challenges.items).toHaveLength(0);
  await Promise.all([1, 2, 3].map(() => sandbox.control.message(say)));
  await app.arrived.first(3);
  expect(app.challenges.items).toHaveLength(1);
});

test('a restart keeps the request URL and delivers unanswered events', async () => {
  const file = sandboxFile();
  const before = await openSandbox({ file });
  const app = await httpApp(before);
  app.reply = () => 'hang';
  await before.control.message(say);
  const [first] = await app.arrived.first(1);
  await before.stop();
  app.reply = () => ({ status: 200 });
  const after = await openSandbox({ file });
  await after.control.waitFor('ack', undefined, { since: 0 });
  const [, again] = app.arrived.items;
  expect(again?.body['event_id']).toBe(first?.body['event_id']);
  expect(again?.headers['x-slack-retry-num']).toBe('1');
  expect(app.challenges.items).toHaveLength(1);
});

test('events above Slack’s hourly limit are left out, and the app gets app_rate_limited once a minute', async () => {
  const clock = new HeldClock();
  const sandbox = await openSandbox({ clock, seed: { ...SEED, app: { ...SEED.app, eventsPerHour: 2 } } });
  const app = await httpApp(sandbox);
  for (const text of ['one', 'two', 'three', 'four']) await sandbox.control.message({ ...say, text });
  const answered = () => sandbox.control.waitFor('ack', () => sandbox.control.state().undelivered === 0);
  const told = await app.arrived.first(3);
  expect(told.map(({ body }) => body)).toMatchObject([
    { event: { text: 'one' } },
    { event: { text: 'two' } },
    {
      type: 'app_rate_limited',
      team_id: SEED.team.id,
      api_app_id: SEED.app.id,
      minute_rate_limited: Math.floor(clock.now().getTime() / 60_000) * 60,
    },
  ]);
  // The clock only moves after the app has answered; otherwise the response would be late.
  await answered();
  clock.advance(59 * 60_000);
  await sandbox.control.message({ ...say, text: 'still' });
  expect((await app.arrived.first(4))[3]?.body).toMatchObject({ type: 'app_rate_limited' });
  await answered();
  clock.advance(60_000);
  await sandbox.control.message({ ...say, text: 'again' });
  expect((await app.arrived.first(5))[4]?.body).toMatchObject({ event: { text: 'again' } });
  // The limit can be lifted for a continuous load.
  await sandbox.control.app({ eventsPerHour: 10 });
  for (const text of ['more', 'and more']) await sandbox.control.message({ ...say, text });
  const more = (await app.arrived.first(7))
    .slice(5)
    .map(({ body }) => (body['event'] as { text: string }).text);
  expect(more.sort()).toEqual(['and more', 'more']);
});
