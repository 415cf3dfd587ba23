import { expect, test } from 'vitest';

import { parsePermalink, permalinkOf } from '../../src/bridge/slack/ids.ts';
import { HELP, openSandbox, webClient } from './open-sandbox.ts';

test('a permalink leads to the message in the sandbox’s own page, also one that an app makes', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const { url = '' } = await client.auth.test();
  expect(new URL(url).origin).toBe(new URL(sandbox.url).origin);
  const { channel = '', ts = '' } = await client.chat.postMessage({ channel: HELP, text: 'hello' });
  const { ts: reply = '' } = await client.chat.postMessage({ channel, thread_ts: ts, text: 'again' });
  const linkTo = async (message_ts: string) =>
    (await client.chat.getPermalink({ channel, message_ts })).permalink ?? '';
  for (const [link, root] of [
    [await linkTo(ts), ts],
    [await linkTo(reply), ts],
    [permalinkOf(url, { channel, ts }), ts],
  ] as const) {
    const answer = await fetch(link, { redirect: 'manual' });
    expect([link, answer.status, answer.headers.get('location')]).toEqual([
      link,
      302,
      `/#${channel}/${root}`,
    ]);
    expect(parsePermalink(new URL(link))?.channel).toBe(channel);
  }
  for (const wrong of ['archives/C1/p1', 'archives/C1/x', 'archives/%2F%2Fevil.example/p1700000000000100'])
    expect((await fetch(new URL(wrong, url), { redirect: 'manual' })).status).toBe(404);
});
