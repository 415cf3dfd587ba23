import { ErrorCode } from '@slack/web-api';
import { expect, test } from 'vitest';

import type { Sandbox } from '../../src/sandbox/index.ts';
import { HELP, openSandbox, webClient } from './open-sandbox.ts';

const post = { channel: HELP, text: 'once' };

async function codeOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'no error',
    (error: unknown) => (error as { code: string }).code,
  );
}

test('a lost response leaves exactly one message and the caller without a response', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  sandbox.control.faults({ faults: [{ method: 'chat.postMessage', kind: 'answer_lost' }] });
  expect(await codeOf(client.chat.postMessage(post))).toBe(ErrorCode.RequestError);
  expect(await sandbox.control.messages(HELP)).toHaveLength(1);
  await client.chat.postMessage(post);
  expect(await sandbox.control.messages(HELP)).toHaveLength(2);
});

test('a call cut before it is processed has no effect', async () => {
  const sandbox = await openSandbox();
  sandbox.control.faults({ faults: [{ method: '*', kind: 'cut' }] });
  expect(await codeOf(webClient(sandbox).chat.postMessage(post))).toBe(ErrorCode.RequestError);
  expect(await sandbox.control.messages(HELP)).toEqual([]);
});

test('429 carries Retry-After, applies only to the given channel and only to the given number of calls', async () => {
  const sandbox = await openSandbox();
  const call = (channel: string) =>
    fetch(`${sandbox.apiUrl}chat.postMessage`, {
      method: 'POST',
      headers: { authorization: 'Bearer xoxb-test' },
      body: new URLSearchParams({ ...post, channel }),
    });
  sandbox.control.faults({
    faults: [
      { method: 'chat.postMessage', kind: 'rate_limited', channel: HELP, times: 2, after: 1, retryAfter: 7 },
    ],
  });
  const seen: number[] = [];
  for (const channel of [HELP, 'C0TRIAG', HELP, HELP, HELP]) seen.push((await call(channel)).status);
  expect(seen).toEqual([200, 200, 429, 429, 200]);
  sandbox.control.faults({ faults: [{ method: '*', kind: 'rate_limited', retryAfter: 7 }] });
  expect((await call(HELP)).headers.get('retry-after')).toBe('7');
});

test('an error can be meant for calls with some words alone', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  sandbox.control.faults({
    faults: [{ method: 'chat.postMessage', kind: 'error', error: 'is_archived', text: 'two', times: null }],
  });
  const posts = ['one', 'two, and more', 'three', 'two'].map((text) =>
    codeOf(client.chat.postMessage({ ...post, text })),
  );
  expect(await Promise.all(posts)).toEqual([
    'no error',
    ErrorCode.PlatformError,
    'no error',
    ErrorCode.PlatformError,
  ]);
});

/** Waits until a fault has been applied; then its call is waiting. */
const struck = (sandbox: Sandbox, kind: string) =>
  sandbox.control.waitFor('fault', ({ fault }) => fault === kind);

test('a storm rejects every call until its seconds are over by the clock', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  sandbox.control.faults({ faults: [{ method: '*', kind: 'rate_limited', retryAfter: 30, seconds: 30 }] });
  for (const method of ['auth.test', 'team.info', 'chat.postMessage', 'users.info', 'auth.test'])
    expect((await fetch(`${sandbox.apiUrl}${method}`, { method: 'POST' })).status).toBe(429);
  expect(sandbox.control.listFaults().faults).toMatchObject([{ kind: 'rate_limited', hits: 5 }]);
  sandbox.control.clock({ advance: '31s' });
  expect((await client.auth.test()).ok).toBe(true);
  expect(sandbox.control.listFaults().faults).toEqual([]);
});

test.each([
  [{ kind: 'http_error', status: 502 }, ErrorCode.HTTPError, 0],
  [{ kind: 'http_error', status: 503, worked: true }, ErrorCode.HTTPError, 1],
  [{ kind: 'refused' }, ErrorCode.RequestError, 0],
  [{ kind: 'error', error: 'fatal_error' }, ErrorCode.PlatformError, 0],
] as const)('%j fails the call in the SDK as %s and leaves %i messages', async (fault, code, left) => {
  const sandbox = await openSandbox();
  sandbox.control.faults({ faults: [{ method: 'chat.postMessage', ...fault }] });
  const client = webClient(sandbox);
  expect(await codeOf(client.chat.postMessage(post))).toBe(code);
  expect(await sandbox.control.messages(HELP)).toHaveLength(left);
  expect((await client.chat.postMessage(post)).ok).toBe(true);
});

test('an HTML page with 200 is an error in the SDK', async () => {
  const sandbox = await openSandbox();
  sandbox.control.faults({ faults: [{ method: 'auth.test', kind: 'html', times: 2 }] });
  await expect(webClient(sandbox).auth.test()).rejects.toThrow('Server Error');
  const raw = await fetch(`${sandbox.apiUrl}auth.test`, { method: 'POST' });
  expect([raw.status, raw.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
});

test('half a response is an error in the SDK, and the call took effect', async () => {
  const sandbox = await openSandbox();
  sandbox.control.faults({ faults: [{ method: 'chat.postMessage', kind: 'half_answer' }] });
  await expect(webClient(sandbox).chat.postMessage(post)).rejects.toThrow();
  expect(await sandbox.control.messages(HELP)).toHaveLength(1);
});

test('a slow call takes effect after the wait, or before it on request', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  for (const worked of [false, true]) {
    sandbox.control.faults({ faults: [{ method: 'chat.postMessage', kind: 'slow', ms: 60_000, worked }] });
    const since = sandbox.control.mark();
    const call = client.chat.postMessage({ channel: HELP, text: `worked before: ${worked}` });
    await sandbox.control.waitFor('fault', () => true, { since });
    if (worked) await sandbox.control.waitForMessages(HELP, (all) => all.length === 2);
    else expect(await sandbox.control.messages(HELP)).toEqual([]);
    sandbox.control.clock({ advance: '61s' });
    expect((await call).ok).toBe(true);
  }
  expect(await sandbox.control.messages(HELP)).toHaveLength(2);
});

test('a hanging call ends when the faults are cleared, after its time, or when the caller gives up', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  sandbox.control.faults({ faults: [{ method: 'auth.test', kind: 'hang' }] });
  const first = codeOf(client.auth.test());
  await struck(sandbox, 'hang');
  sandbox.control.clearFaults();
  expect(await first).toBe(ErrorCode.RequestError);

  sandbox.control.faults({ faults: [{ method: 'team.info', kind: 'hang', ms: 60_000 }] });
  const second = codeOf(client.team.info());
  await sandbox.control.waitFor('fault', ({ method }) => method === 'team.info');
  sandbox.control.clock({ advance: '61s' });
  expect(await second).toBe(ErrorCode.RequestError);

  sandbox.control.faults({ faults: [{ method: 'api.test', kind: 'hang' }] });
  const giveUp = new AbortController();
  const third = fetch(`${sandbox.apiUrl}api.test`, { method: 'POST', signal: giveUp.signal });
  await sandbox.control.waitFor('fault', ({ method }) => method === 'api.test');
  giveUp.abort();
  await expect(third).rejects.toThrow();
  await sandbox.control.waitFor('api_call', ({ method, fault }) => method === 'api.test' && fault === 'hang');
});

test('a fault may apply at random, or until it is cleared; its count is shown', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  sandbox.control.faults({
    faults: [
      { method: 'auth.test', kind: 'error', times: null },
      { method: 'team.info', kind: 'error', probability: 0.5 },
    ],
  });
  for (let call = 0; call < 3; call += 1) await codeOf(client.auth.test());
  const codes = new Set<unknown>();
  while (codes.size < 2) codes.add(await codeOf(client.team.info()));
  const { faults } = sandbox.control.listFaults();
  expect(faults[0]).toMatchObject({ method: 'auth.test', hits: 3 });
  expect(faults[1]?.hits).toBeGreaterThan(0);
  sandbox.control.faults({ clear: true });
  expect((await client.auth.test()).ok).toBe(true);
});

test('a response to a response_url can be lost too', async () => {
  const sandbox = await openSandbox();
  sandbox.control.faults({ faults: [{ method: 'response_url', kind: 'http_error', status: 503 }] });
  const answer = await fetch(`${sandbox.url}/response/any`, { method: 'POST', body: new URLSearchParams() });
  expect(answer.status).toBe(503);
});

test('every call is listed with its response, time and fault, by method and after an id; tokens never are', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  await client.chat.postMessage({ channel: HELP, text: 'look: xoxb-123-abc', token: 'xoxb-test' });
  sandbox.control.faults({ faults: [{ method: 'auth.test', kind: 'answer_lost' }] });
  await codeOf(client.auth.test());
  const shown = async (query: string) => {
    const answer = await fetch(`${sandbox.url}/_control/calls?${query}`);
    return ((await answer.json()) as { calls: Record<string, unknown>[] }).calls;
  };
  const calls = await shown('');
  expect(calls).toMatchObject([
    {
      method: 'chat.postMessage',
      ok: true,
      args: { channel: HELP, text: 'look: xoxb-…' },
      answer: { ok: true, channel: HELP },
      ms: expect.any(Number) as number,
    },
    { method: 'auth.test', ok: true, fault: 'answer_lost', answer: { ok: true } },
  ]);
  expect(JSON.stringify(calls)).not.toMatch(/xoxb-\w/);
  expect(await shown('method=auth.test&limit=1')).toEqual([calls[1]]);
  expect(await shown(`after=${Number(calls[0]?.['id'])}`)).toEqual([calls[1]]);
  expect((await fetch(`${sandbox.url}/_control/calls?limit=no`)).status).toBe(400);
});

test('a long argument is truncated, so that the log stays small', async () => {
  const sandbox = await openSandbox();
  const blocks = Array.from({ length: 200 }, () => ({ type: 'x'.repeat(5_000) }));
  await codeOf(webClient(sandbox).apiCall('api.test', { text: 'y'.repeat(1_000_000), blocks }));
  expect(JSON.stringify(sandbox.control.calls()).length).toBeLessThan(60_000);
});

test('faults are set over HTTP too, and reset clears them with everything else', async () => {
  const sandbox = await openSandbox();
  const send = (path: string, body: unknown) =>
    fetch(`${sandbox.url}/_control/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await sandbox.control.message({ channel: 'it-help', user: 'ada', text: 'x' });
  expect(
    (await send('faults', { method: 'auth.test', kind: 'error', error: 'account_inactive', times: 5 }))
      .status,
  ).toBe(200);
  await expect(webClient(sandbox).auth.test()).rejects.toThrow('account_inactive');
  expect((await send('reset', {})).status).toBe(200);
  expect((await webClient(sandbox).auth.test()).ok).toBe(true);
  expect(await sandbox.control.messages(HELP)).toEqual([]);
  const refused = await send('message', { channel: 'nowhere', user: 'ada', text: 'x' });
  expect([refused.status, await refused.json()]).toEqual([
    400,
    { error: expect.stringContaining('it-help') as string },
  ]);
});
