import { expect, test } from 'vitest';

import { fileAt } from '../../src/bridge/slack/file.ts';
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

test('a permalink of a file leads to the message that shows it, in a channel or in a thread', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const { channel = '', ts: root = '' } = await client.chat.postMessage({ channel: HELP, text: 'hello' });
  const permalinkIn = async (thread_ts?: string) => {
    const { files } = await client.filesUploadV2({
      channel_id: HELP,
      filename: 'Door plan.txt',
      content: 'open',
      ...(thread_ts !== undefined && { thread_ts }),
    } as Parameters<typeof client.filesUploadV2>[0]);
    const id = files[0]?.files?.[0]?.id ?? '';
    const { file } = await client.files.info({ file: id });
    for (const address of [file?.permalink, file?.permalink_public])
      expect(new URL(address ?? '').origin).toBe(new URL(sandbox.url).origin);
    return file?.permalink ?? '';
  };
  const [inChannel, inThread] = [await permalinkIn(), await permalinkIn(root)];
  const opens = async (link: string) => {
    const message = await fetch(link, { redirect: 'manual' });
    const place = new URL(message.headers.get('location') ?? '', sandbox.url);
    return (await fetch(place, { redirect: 'manual' })).headers.get('location');
  };
  expect(await opens(inChannel)).toMatch(new RegExp(`^/#${channel}/`));
  expect(await opens(inThread)).toBe(`/#${channel}/${root}`);
  expect(fileAt(inThread)).toMatchObject({ permalink: inThread });
  for (const wrong of ['files/U1/F0NONE/x.txt', 'files-public/T1-F1-x'])
    expect((await fetch(new URL(wrong, sandbox.url))).status).toBe(404);
});
