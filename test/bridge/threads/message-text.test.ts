import { expect, test } from 'vitest';

import type { Bridge } from '../../../src/bridge/bridge.ts';
import { ChatError } from '../../../src/bridge/slack/errors.ts';
import { textOf } from '../../../src/bridge/threads/message-text.ts';

test('the text of a message is converted once, however many steps need it, and again after a failure', async () => {
  let asked = 0;
  let away = true;
  const file = { id: 'F1', name: 'a.png', permalink: 'https://chat.example/F1' };
  const bridge = {
    bot: { userId: 'UBOT', name: 'desk', team: 'T1' },
    chat: {
      file: () => {
        asked++;
        return away ? Promise.reject(new Error('chat is away')) : Promise.resolve({ file });
      },
    },
  } as unknown as Bridge;
  const message = (ts: string) =>
    ({
      ...{ team: 'T1', channel: 'D1', ts, text: 'look *here*', blocks: [] },
      files: [{ id: 'F1', name: '', permalink: '' }],
    }) as unknown as Parameters<typeof textOf>[1];
  const one = message('1.1');
  await expect(textOf(bridge, one)).rejects.toThrow('chat is away');
  away = false;
  const texts = await Promise.all([textOf(bridge, one), textOf(bridge, one)]);
  texts.push(await textOf(bridge, one));
  expect(texts.map(({ words }) => words)).toEqual(['look here', 'look here', 'look here']);
  expect(asked).toBe(2);
  await textOf(bridge, message('2.2'));
  expect(asked).toBe(3);
});

test('B19 a channel that the app cannot see is named by its id, but not while Slack’s rate limit is hit', async () => {
  const textWith = (next: 'retry' | 'give-up', code: string) => {
    const bridge = {
      bot: { userId: 'UBOT', name: 'desk', team: 'T1' },
      chat: { channelName: () => Promise.reject(new ChatError(code, { next, code, certain: true })) },
    } as unknown as Bridge;
    const message = { team: 'T1', channel: 'D1', ts: '1.1', text: 'see <#C2>', blocks: [], files: [] };
    return textOf(bridge, message as unknown as Parameters<typeof textOf>[1]);
  };
  expect((await textWith('give-up', 'channel_not_found')).words).toBe('see #C2');
  expect((await textWith('retry', 'missing_scope')).words).toBe('see #C2');
  await expect(textWith('retry', 'ratelimited')).rejects.toThrow('ratelimited');
});
