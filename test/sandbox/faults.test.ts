import { ErrorCode } from '@slack/web-api';
import { expect, test } from 'vitest';

import { HELP, openSandbox, webClient } from './open-sandbox.ts';

const post = { channel: HELP, text: 'once' };

async function codeOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'no error',
    (error: unknown) => (error as { code: string }).code,
  );
}

test('a lost answer leaves exactly one message and the caller without an answer', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  sandbox.control.faults({ faults: [{ method: 'chat.postMessage', kind: 'answer_lost' }] });
  expect(await codeOf(client.chat.postMessage(post))).toBe(ErrorCode.RequestError);
  expect(await sandbox.control.messages(HELP)).toHaveLength(1);
  await client.chat.postMessage(post);
  expect(await sandbox.control.messages(HELP)).toHaveLength(2);
});

test('a call cut before it is taken leaves nothing', async () => {
  const sandbox = await openSandbox();
  sandbox.control.faults({ faults: [{ method: '*', kind: 'cut' }] });
  expect(await codeOf(webClient(sandbox).chat.postMessage(post))).toBe(ErrorCode.RequestError);
  expect(await sandbox.control.messages(HELP)).toEqual([]);
});

test('429 carries Retry-After, hits only the named channel and only so many calls', async () => {
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
