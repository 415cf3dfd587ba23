import { expect, test } from 'vitest';

import { LIMITS } from '../../src/sandbox/limits.ts';
import { ADA, Mailbox, SEED } from './open-sandbox.ts';
import { refusal, stage } from './open-modal.ts';

const PROMPTS = [{ title: 'Help', message: 'Help me' }];
const DIRECT = '@deskbridge';

interface Started {
  assistant_thread: {
    user_id: string;
    channel_id: string;
    thread_ts: string;
    context: { channel_id?: string };
  };
}

test('a thread of the older pane begins with a message of its own, and the app hears of it', async () => {
  const started = new Mailbox<Started>();
  const { sandbox } = await stage((app) => {
    app.event('assistant_thread_started', async ({ event }) => started.put(event as unknown as Started));
  });
  const begun = await sandbox.control.startThread({ user: 'ada', channel: SEED.channels[0]?.name ?? '' });
  const [{ assistant_thread: told } = { assistant_thread: undefined }] = await started.first(1);
  expect(told).toMatchObject({
    user_id: ADA,
    channel_id: begun.channel,
    thread_ts: begun.ts,
    context: { channel_id: SEED.channels[0]?.id },
  });
  expect(await sandbox.control.messages(begun.channel)).toMatchObject([
    { ts: begun.ts, subtype: 'assistant_app_thread' },
  ]);
});

test('what is offered stands over the conversation, or in a thread of the older pane, until the person writes', async () => {
  const { client, sandbox } = await stage();
  const { channel } = await sandbox.control.openHome({ user: 'ada', tab: 'messages' });
  await client.assistant.threads.setSuggestedPrompts({
    channel_id: channel,
    title: 'Hello',
    prompts: PROMPTS,
  });
  expect((await sandbox.control.pane({ user: 'ada' })).offer).toEqual({ title: 'Hello', prompts: PROMPTS });
  const { message } = await sandbox.control.message({ channel: DIRECT, user: 'ada', text: 'Help me' });
  expect((await sandbox.control.pane({ user: 'ada' })).offer).toBeUndefined();
  // In any other thread nothing happens, and nothing is said.
  await client.assistant.threads.setSuggestedPrompts({
    channel_id: channel,
    thread_ts: message.ts,
    prompts: PROMPTS,
  });
  expect((await sandbox.control.pane({ user: 'ada' })).offer).toBeUndefined();
  const { ts: thread_ts } = await sandbox.control.startThread({ user: 'ada' });
  await client.assistant.threads.setSuggestedPrompts({ channel_id: channel, thread_ts, prompts: PROMPTS });
  expect((await sandbox.control.pane({ user: 'ada' })).offer).toEqual({
    thread: thread_ts,
    prompts: PROMPTS,
  });
});

test('a status goes with the app’s next post in its thread, with an empty one, and after two minutes', async () => {
  const { client, sandbox } = await stage();
  const { message } = await sandbox.control.message({ channel: DIRECT, user: 'ada', text: 'Search' });
  const place = { channel_id: message.channel, thread_ts: message.ts };
  const statuses = async () => (await sandbox.control.pane({ user: 'ada' })).statuses;
  const show = (status: string) => client.assistant.threads.setStatus({ ...place, status });
  await show('is looking');
  expect(await statuses()).toEqual([{ thread: message.ts, status: 'is looking' }]);
  await client.chat.postMessage({ channel: message.channel, thread_ts: message.ts, text: 'Found' });
  expect(await statuses()).toEqual([]);
  await show('is looking');
  await show('');
  expect(await statuses()).toEqual([]);
  await show('is looking');
  sandbox.control.clock({ advance: LIMITS.assistantStatusMs / 1000 });
  expect(await statuses()).toEqual([]);
});

test('a thread gets a title; one of the older pane shows it as its first message', async () => {
  const { client, sandbox } = await stage();
  const { channel, ts } = await sandbox.control.startThread({ user: 'ada' });
  await client.assistant.threads.setTitle({ channel_id: channel, thread_ts: ts, title: 'IT-1 Broken' });
  expect((await sandbox.control.pane({ user: 'ada' })).titles).toEqual([
    { thread: ts, title: 'IT-1 Broken' },
  ]);
  expect((await sandbox.control.messages(channel))[0]?.text).toBe('IT-1 Broken');
});

test('the pane’s methods refuse five prompts, no thread and no conversation', async () => {
  const { client, sandbox } = await stage();
  const { channel } = await sandbox.control.openHome({ user: 'ada', tab: 'messages' });
  const { threads } = client.assistant;
  const five = Array.from({ length: 5 }, () => PROMPTS[0] ?? { title: '', message: '' });
  expect(await refusal(threads.setSuggestedPrompts({ channel_id: channel, prompts: five }))).toMatchObject({
    error: 'invalid_arguments',
  });
  const nowhere = { channel_id: channel, thread_ts: '1700000000.000100' };
  expect(await refusal(threads.setStatus({ ...nowhere, status: 'x' }))).toMatchObject({
    error: 'invalid_thread_ts',
  });
  expect(await refusal(threads.setTitle({ ...nowhere, title: 'x' }))).toMatchObject({
    error: 'invalid_thread_ts',
  });
  expect(
    await refusal(threads.setSuggestedPrompts({ channel_id: 'D0NOWHERE0', prompts: PROMPTS })),
  ).toMatchObject({ error: 'channel_not_found' });
});
