import { expect, test } from 'vitest';

import { ADA, BOT, HeldClock, HELP, openSandbox, webClient } from './open-sandbox.ts';

test('timestamps are unique and increase, even while the clock stands still', async () => {
  const sandbox = await openSandbox({ clock: new HeldClock() });
  const posted = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      sandbox.control.message({ channel: 'it-help', user: 'ada', text: `m${index}` }),
    ),
  );
  const stamps = posted.map(({ message }) => message.ts);
  expect(new Set(stamps).size).toBe(40);
  expect(stamps.every((ts) => /^\d{10}\.\d{6}$/.test(ts))).toBe(true);
  const shown = await sandbox.control.messages(HELP);
  expect(shown.map(({ ts }) => ts)).toEqual([...stamps].sort());
});

test('a parent lists its replies, and the replies name their parent', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const { message: root } = await sandbox.control.message({ channel: 'it-help', user: 'ada', text: 'root' });
  await client.chat.postMessage({ channel: HELP, text: 'one', thread_ts: root.ts });
  const { message: last } = await sandbox.control.message({
    channel: 'it-help',
    user: 'ben',
    text: 'two',
    thread_ts: root.ts,
  });
  const { messages } = await client.conversations.replies({ channel: HELP, ts: root.ts });
  expect(messages?.[0]).toMatchObject({
    text: 'root',
    thread_ts: root.ts,
    reply_count: 2,
    reply_users: [BOT, 'U0BENNN'],
    latest_reply: last.ts,
  });
  expect(
    messages?.slice(1).map(({ text, thread_ts, parent_user_id }) => [text, thread_ts, parent_user_id]),
  ).toEqual([
    ['one', root.ts, ADA],
    ['two', root.ts, ADA],
  ]);
  const history = await client.conversations.history({ channel: HELP });
  expect(history.messages?.map(({ text }) => text)).toEqual(['root']);
});

test('a broadcast reply is in the thread and in the channel, once in each', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const { ts: thread_ts = '' } = await client.chat.postMessage({ channel: HELP, text: 'root' });
  await sandbox.control.message({
    channel: 'it-help',
    user: 'ada',
    text: 'for all',
    thread_ts,
    broadcast: true,
  });
  const texts = (messages: { text?: string }[] | undefined) => messages?.map(({ text }) => text);
  expect(texts((await client.conversations.replies({ channel: HELP, ts: thread_ts })).messages)).toEqual([
    'root',
    'for all',
  ]);
  const { messages } = await client.conversations.history({ channel: HELP });
  expect(texts(messages)).toEqual(['for all', 'root']);
  expect(messages?.[0]).toMatchObject({ subtype: 'thread_broadcast', thread_ts });
});

test('a post into a deleted thread becomes a top-level message and its response lacks thread_ts', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const { message: root } = await sandbox.control.message({ channel: 'it-help', user: 'ada', text: 'root' });
  await sandbox.control.deleteMessage({ channel: 'it-help', user: 'ada', ts: root.ts });
  const posted = await client.chat.postMessage({ channel: HELP, text: 'too late', thread_ts: root.ts });
  expect(posted.message).not.toHaveProperty('thread_ts');
  await expect(client.conversations.replies({ channel: HELP, ts: root.ts })).rejects.toThrow(
    'thread_not_found',
  );
});

test('a deleted parent with replies leaves a tombstone that disappears with its last reply', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const { message: root } = await sandbox.control.message({ channel: 'it-help', user: 'ada', text: 'root' });
  const { ts = '' } = await client.chat.postMessage({ channel: HELP, text: 'reply', thread_ts: root.ts });
  await sandbox.control.deleteMessage({ channel: 'it-help', user: 'ada', ts: root.ts });
  const { messages } = await client.conversations.replies({ channel: HELP, ts: root.ts });
  expect(messages?.[0]).toMatchObject({
    subtype: 'tombstone',
    user: 'USLACKBOT',
    text: 'This message was deleted.',
    reply_count: 1,
  });
  await client.chat.delete({ channel: HELP, ts });
  expect(await sandbox.control.messages(HELP)).toEqual([]);
});

test('paging a thread and a channel returns each message once, in order', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const { ts: root = '' } = await client.chat.postMessage({ channel: HELP, text: 'root' });
  for (let index = 0; index < 9; index += 1) {
    await client.chat.postMessage({ channel: HELP, text: `r${index}`, thread_ts: root });
    await client.chat.postMessage({ channel: HELP, text: `t${index}` });
  }
  const replies: string[] = [];
  for await (const page of client.paginate('conversations.replies', { channel: HELP, ts: root, limit: 4 }))
    replies.push(...(page as unknown as { messages: { text: string }[] }).messages.map(({ text }) => text));
  expect(replies).toEqual(['root', ...Array.from({ length: 9 }, (_, index) => `r${index}`)]);
  const top: string[] = [];
  for await (const page of client.paginate('conversations.history', { channel: HELP, limit: 4 }))
    top.push(...(page as unknown as { messages: { text: string }[] }).messages.map(({ text }) => text));
  expect(top).toEqual([...Array.from({ length: 9 }, (_, index) => `t${8 - index}`), 'root']);
});

test('history between two timestamps: exclusive, inclusive, and the messages next to oldest if that is given alone', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const stamps: string[] = [];
  for (let index = 0; index < 6; index += 1)
    stamps.push((await client.chat.postMessage({ channel: HELP, text: `${index}` })).ts ?? '');
  const [, oldest = '', , , latest = ''] = stamps;
  const read = async (args: Record<string, unknown>) => {
    const { messages } = await client.conversations.history({ channel: HELP, ...args });
    return messages?.map(({ text }) => text);
  };
  expect(await read({ oldest, latest })).toEqual(['3', '2']);
  expect(await read({ oldest, latest, inclusive: true })).toEqual(['4', '3', '2', '1']);
  expect(await read({ oldest, limit: 2 })).toEqual(['3', '2']);
  expect(await read({ latest, limit: 2 })).toEqual(['3', '2']);
  // Reads a single message as apps do.
  expect(await read({ oldest, inclusive: true, limit: 1 })).toEqual(['1']);
  expect(await read({ latest: oldest, inclusive: true, limit: 1 })).toEqual(['1']);
});
