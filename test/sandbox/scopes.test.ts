import { ErrorCode, type WebAPIPlatformError } from '@slack/web-api';
import { expect, test } from 'vitest';

import type { Sandbox } from '../../src/sandbox/index.ts';
import { METHODS } from '../../src/sandbox/web-api/methods/index.ts';
import { SCOPES } from '../../src/sandbox/web-api/scopes.ts';
import { HttpApp } from './http-app.ts';
import { sandboxFile } from './sandbox-file.ts';
import { ADA, HELP, openSandbox, SEED, webClient } from './open-sandbox.ts';

/** A sandbox whose app has only these scopes. */
const openWith = (...scopes: string[]): Promise<Sandbox> =>
  openSandbox({ seed: { ...SEED, app: { ...SEED.app, scopes } } });

/** The platform's error for a call; undefined if the call succeeds. */
async function refusalOf(call: Promise<unknown>): Promise<WebAPIPlatformError['data'] | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    const failure = error as WebAPIPlatformError;
    expect(failure.code).toBe(ErrorCode.PlatformError);
    return failure.data;
  }
}

async function call(
  sandbox: Sandbox,
  method: string,
  init: { body: string | Buffer | FormData; headers?: Record<string, string> },
): Promise<Response> {
  return fetch(`${sandbox.apiUrl}${method}`, {
    method: 'POST',
    ...init,
    headers: { authorization: `Bearer ${SEED.app.botToken}`, ...init.headers },
  });
}

test('every method names the scopes it needs', () => {
  expect([...METHODS.keys()].filter((name) => !(name in SCOPES))).toEqual([]);
});

test('a call without its scope is rejected with the needed and the granted scopes', async () => {
  const client = webClient(await openWith('users:read', 'channels:read'));
  expect(await refusalOf(client.chat.postMessage({ channel: HELP, text: 'x' }))).toMatchObject({
    error: 'missing_scope',
    needed: 'chat:write',
    provided: 'users:read,channels:read',
  });
  expect(await refusalOf(client.auth.test())).toBeUndefined();
  expect(await refusalOf(client.users.info({ user: ADA }))).toBeUndefined();
});

test('an older sandbox grants its app what a newer manifest adds, and takes nothing away', async () => {
  const file = sandboxFile();
  const startedWith = async (scopes: string[] | undefined) => {
    const sandbox = await openSandbox({ file, seed: { ...SEED, app: { ...SEED.app, scopes } } });
    const { response_metadata } = await webClient(sandbox).auth.test();
    await sandbox.stop();
    return response_metadata?.scopes;
  };
  expect(await startedWith(['users:read', 'chat:write'])).toEqual(['users:read', 'chat:write']);
  for (const newer of [['users:read', 'usergroups:read'], [], undefined])
    expect(await startedWith(newer)).toEqual(['users:read', 'chat:write', 'usergroups:read']);
});

test('scopes that differ by conversation kind are checked for the kind at hand', async () => {
  const client = webClient(await openWith('channels:history', 'channels:read', 'im:write'));
  expect(await refusalOf(client.conversations.history({ channel: HELP }))).toBeUndefined();
  expect(await refusalOf(client.conversations.history({ channel: 'C0TRIAG' }))).toMatchObject({
    error: 'missing_scope',
    needed: 'groups:history',
  });
  // A conversation that the app cannot see stays channel_not_found.
  expect(await refusalOf(client.conversations.history({ channel: 'C0HIDDN' }))).toMatchObject({
    error: 'channel_not_found',
  });
  expect(await refusalOf(client.conversations.list({ types: 'public_channel' }))).toBeUndefined();
  expect(await refusalOf(client.conversations.list({ types: 'public_channel,im' }))).toMatchObject({
    error: 'missing_scope',
    needed: 'im:read',
  });
  expect(await refusalOf(client.conversations.open({ users: ADA }))).toBeUndefined();
  expect(await refusalOf(client.conversations.open({ users: `${ADA},U0BENNN` }))).toMatchObject({
    error: 'missing_scope',
    needed: 'mpim:write',
  });
});

test('responses name the granted and the accepted scopes, and the SDK reads them', async () => {
  const client = webClient(await openWith('chat:write', 'channels:read'));
  const { response_metadata } = await client.conversations.info({ channel: HELP });
  expect(response_metadata).toMatchObject({
    scopes: ['chat:write', 'channels:read'],
    acceptedScopes: ['channels:read', 'groups:read', 'im:read', 'mpim:read'],
  });
});

test('an app-level token has the scope of Socket Mode, whatever the bot token has', async () => {
  const sandbox = await openWith();
  const client = webClient(sandbox, SEED.app.appToken);
  expect(await refusalOf(client.apps.connections.open({}))).toBeUndefined();
});

test('without chat:write.customize a custom name and picture are ignored', async () => {
  const named = { channel: HELP, text: 'x', username: 'Mira', icon_emoji: ':wave:' };
  const plain = await webClient(await openWith('chat:write')).chat.postMessage(named);
  expect(plain.message).toMatchObject({ user: 'U0BOTTT' });
  expect(plain.message).not.toHaveProperty('username');
  const customised = await webClient(await openWith('chat:write', 'chat:write.customize')).chat.postMessage(
    named,
  );
  expect(customised.message).toMatchObject({ username: 'Mira', subtype: 'bot_message' });
});

test('without users:read.email a profile has no e-mail address', async () => {
  const { user } = await webClient(await openWith('users:read')).users.info({ user: ADA });
  expect(user?.profile).not.toHaveProperty('email');
  expect(user?.profile).toMatchObject({ first_name: 'Ada' });
});

test('JSON without a charset, and a form with one, get a warning, also in errors', async () => {
  const sandbox = await openSandbox();
  const send = async (type: string, body: string, method = 'auth.test') =>
    (await call(sandbox, method, { headers: { 'content-type': type }, body })).json();
  const warning = (name: string) => ({ warning: name, response_metadata: { warnings: [name] } });
  expect(await send('application/json', '{}')).toMatchObject({ ok: true, ...warning('missing_charset') });
  expect(await send('application/x-www-form-urlencoded; charset=utf-8', 'a=b')).toMatchObject({
    ok: true,
    ...warning('superfluous_charset'),
  });
  expect(await send('application/json', '{}', 'chat.delete')).toMatchObject({
    ok: false,
    ...warning('missing_charset'),
  });
  for (const [type, body] of [
    ['application/json; charset=utf-8', '{}'],
    ['application/x-www-form-urlencoded', 'a=b'],
  ] as const)
    expect(await send(type, body)).not.toHaveProperty('warning');
  const twice = { channel: HELP };
  expect(await send('application/json', JSON.stringify(twice), 'conversations.join')).toMatchObject({
    warning: 'already_in_channel,missing_charset',
    response_metadata: { warnings: ['already_in_channel', 'missing_charset'] },
  });
});

test.each([
  ['truncated JSON', '{', 'application/json', 'invalid_json'],
  ['a list', '[1]', 'application/json', 'json_not_object'],
  ['a hundred thousand nested lists', '['.repeat(100_000), 'application/json', 'invalid_json'],
  ['of another type', '<a/>', 'application/xml', 'invalid_post_type'],
  ['of no type', 'a=b', undefined, 'missing_post_type'],
  ['of an invalid type', 'a=b', 'nonsense', 'invalid_post_type'],
  ['in an unknown charset', '{}', 'application/json; charset=klingon', 'invalid_charset'],
  ['in invalid parts', 'nothing', 'multipart/form-data; boundary=x', 'invalid_form_data'],
])('a body that is %s gets HTTP 200 with the error', async (_, body, type, error) => {
  const sandbox = await openSandbox();
  const response = await call(sandbox, 'auth.test', {
    headers: type === undefined ? {} : { 'content-type': type },
    body: Buffer.from(body),
  });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ ok: false, error });
});

test('every method accepts a multipart form, with JSON inside its fields', async () => {
  const sandbox = await openSandbox();
  const form = new FormData();
  form.set('channel', HELP);
  form.set('text', 'in parts');
  form.set('blocks', JSON.stringify([{ type: 'divider' }]));
  form.set('metadata', JSON.stringify({ event_type: 'x', event_payload: { a: 1 } }));
  const answer = await (await call(sandbox, 'chat.postMessage', { body: form })).json();
  expect(answer).toMatchObject({
    ok: true,
    message: { text: 'in parts', blocks: [{ type: 'divider' }], metadata: { event_payload: { a: 1 } } },
  });
  expect(answer).not.toHaveProperty('warning');
});

test('NUL and lone surrogates anywhere in a call become U+FFFD, and are stored', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const nasty = 'a\0b';
  const { ts = '' } = await client.chat.postMessage({
    channel: HELP,
    text: nasty,
    blocks: [{ type: 'section', text: { type: 'plain_text', text: nasty } }],
    metadata: { event_type: 'x', event_payload: { [nasty]: nasty } },
  });
  const [message] = await sandbox.control.messages(HELP);
  expect(message).toMatchObject({
    text: 'a\uFFFDb',
    blocks: [{ text: { text: 'a\uFFFDb' } }],
    metadata: { event_payload: { 'a\uFFFDb': 'a\uFFFDb' } },
  });
  const json = await call(sandbox, 'chat.update', {
    headers: { 'content-type': 'application/json; charset=utf-8' },
    // A lone surrogate only survives in JSON; a form could not send it.
    body: JSON.stringify({ channel: HELP, ts, text: 'a\0b\ud800 c' }),
  });
  expect(await json.json()).toMatchObject({ ok: true, text: 'a\uFFFDb\uFFFD c' });
  expect(await refusalOf(client.chat.update({ channel: HELP, ts: '1\0', text: 'x' }))).toMatchObject({
    error: 'message_not_found',
  });
});

test('NUL in a response_url request is accepted too', async () => {
  const sandbox = await openSandbox();
  const addresses: string[] = [];
  const app = await new HttpApp().listen();
  app.reply = ({ body }) => {
    addresses.push(String(body['response_url']));
    return { status: 200 };
  };
  await sandbox.control.app({ requestUrl: app.url });
  await sandbox.control.command({ channel: 'it-help', user: 'ada', command: '/ticket', text: '' });
  const answer = await fetch(addresses[0] ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'a\0b' }),
  });
  expect(answer.status).toBe(200);
  expect((await sandbox.control.messages(HELP, 'ada')).at(-1)?.text).toBe('a\uFFFDb');
});
