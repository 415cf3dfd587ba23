import { ErrorCode, type WebAPIPlatformError, type WebClient } from '@slack/web-api';
import { expect, test } from 'vitest';

import type { Sandbox } from '../../src/sandbox/index.ts';
import { ADA, BEN, boltApp, BOT, HELP, Mailbox, openSandbox, webClient } from './open-sandbox.ts';
import { sandboxFile } from './sandbox-file.ts';

type Event = Record<string, unknown> & { type: string };

/** Slack's error code; `none` if the call succeeded. */
async function errorOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'none';
  } catch (error) {
    const failure = error as WebAPIPlatformError;
    expect(failure.code).toBe(ErrorCode.PlatformError);
    return failure.data.error;
  }
}

/** A sandbox, its client, and the events of some types that a connected app gets. */
async function openWith(...types: string[]): Promise<{
  sandbox: Sandbox;
  client: WebClient;
  heard: Mailbox<Event>;
}> {
  const sandbox = await openSandbox();
  const heard = new Mailbox<Event>();
  await boltApp(sandbox, (app) => {
    for (const type of types) app.event(type, async ({ event }) => heard.put(event as unknown as Event));
  });
  return { sandbox, client: webClient(sandbox), heard };
}

test('every app gets an event for a channel that a person creates, and none for a private one', async () => {
  const { sandbox, client, heard } = await openWith('channel_created', 'member_joined_channel');
  await sandbox.control.createChannel({ user: 'ada', name: 'secret', private: true });
  const { channel } = await sandbox.control.createChannel({
    user: 'ada',
    name: 'laptops',
    members: ['deskbridge'],
  });
  const [created, joined] = await heard.first(2);
  expect(created).toMatchObject({
    type: 'channel_created',
    channel: { id: channel, name: 'laptops', creator: ADA, is_private: false },
  });
  expect(joined).toMatchObject({ type: 'member_joined_channel', user: BOT, channel, inviter: ADA });
  const { channels } = await client.conversations.list({ types: 'public_channel,private_channel' });
  expect(channels?.map(({ name }) => name)).toEqual(['it-help', 'quiet', 'it-triage', 'laptops']);
});

test('conversations.create makes a channel with the app in it and rejects the names that Slack rejects', async () => {
  const { client } = await openWith();
  const { channel } = await client.conversations.create({ name: 'printers', is_private: true });
  expect(channel).toMatchObject({ name: 'printers', is_private: true, is_member: true, creator: BOT });
  const refusals: Record<string, string> = {
    '': 'invalid_name_required',
    ['a'.repeat(81)]: 'invalid_name_maxlength',
    Printers: 'invalid_name_specials',
    'no spaces': 'invalid_name_specials',
    '---': 'invalid_name_punctuation',
    printers: 'name_taken',
  };
  for (const [name, error] of Object.entries(refusals))
    expect([name, await errorOf(client.conversations.create({ name }))]).toEqual([name, error]);
});

test('a rename sends channel_rename and posts a line in the channel; the old name is remembered', async () => {
  const { sandbox, client, heard } = await openWith('channel_rename', 'message');
  await sandbox.control.rename({ channel: 'it-help', user: 'ada', name: 'help-it' });
  const events = await heard.first(2);
  expect(events.find(({ type }) => type === 'channel_rename')).toMatchObject({
    channel: { id: HELP, name: 'help-it', name_normalized: 'help-it' },
  });
  expect(events.find(({ type }) => type === 'message')).toMatchObject({
    subtype: 'channel_name',
    user: ADA,
    old_name: 'it-help',
    name: 'help-it',
    text: `<@${ADA}> has renamed the channel from "it-help" to "help-it"`,
  });
  const { channel } = await client.conversations.info({ channel: HELP });
  expect(channel).toMatchObject({ name: 'help-it', previous_names: ['it-help'] });
  expect(await errorOf(client.conversations.rename({ channel: HELP, name: 'mine' }))).toBe('not_authorized');
});

test('topic and purpose are shown as lines in the channel and in conversations.info, once for each change', async () => {
  const { sandbox, client, heard } = await openWith('message');
  await client.conversations.setTopic({ channel: HELP, topic: 'Ask here' });
  await client.conversations.setTopic({ channel: HELP, topic: 'Ask here' });
  await sandbox.control.purpose({ channel: 'it-help', user: 'ben', purpose: 'All of IT' });
  const lines = await heard.first(2);
  expect(lines.map(({ subtype, topic, purpose, user }) => [subtype, topic ?? purpose, user])).toEqual([
    ['channel_topic', 'Ask here', BOT],
    ['channel_purpose', 'All of IT', BEN],
  ]);
  const { channel } = await client.conversations.info({ channel: HELP });
  expect(channel?.topic).toMatchObject({ value: 'Ask here', creator: BOT });
  expect(channel?.purpose).toMatchObject({ value: 'All of IT', creator: BEN });
  expect(await errorOf(client.conversations.setTopic({ channel: HELP, topic: 'x'.repeat(251) }))).toBe(
    'too_long',
  );
});

test('archiving a channel sends an event; an archived channel rejects posts, and only a person can unarchive it', async () => {
  const { sandbox, client, heard } = await openWith('channel_archive', 'channel_unarchive');
  await client.conversations.archive({ channel: HELP });
  expect(await errorOf(client.conversations.archive({ channel: HELP }))).toBe('already_archived');
  for (const refused of [
    client.chat.postMessage({ channel: HELP, text: 'x' }),
    client.conversations.setTopic({ channel: HELP, topic: 'x' }),
    client.conversations.invite({ channel: HELP, users: ADA }),
    client.conversations.leave({ channel: HELP }),
  ])
    expect(await errorOf(refused)).toBe('is_archived');
  await expect(sandbox.control.message({ channel: 'it-help', user: 'ada', text: 'x' })).rejects.toThrow(
    'is archived',
  );
  const listed = await client.conversations.list({ exclude_archived: true });
  expect(listed.channels?.map(({ name }) => name)).toEqual(['quiet']);
  expect(await errorOf(client.conversations.unarchive({ channel: HELP }))).toBe('not_in_channel');
  await sandbox.control.archive({ channel: 'it-help', user: 'ada', archived: false });
  expect(await errorOf(client.conversations.unarchive({ channel: HELP }))).toBe('not_archived');
  expect((await heard.first(2)).map(({ type, channel, user }) => [type, channel, user])).toEqual([
    ['channel_archive', HELP, BOT],
    ['channel_unarchive', HELP, ADA],
  ]);
  expect((await sandbox.control.messages(HELP)).map(({ subtype }) => subtype)).toEqual([
    'channel_archive',
    'channel_unarchive',
  ]);
});

test('an app that is removed from a channel gets channel_left and no further events of the channel', async () => {
  const { sandbox, client, heard } = await openWith('channel_left', 'member_left_channel', 'message');
  await sandbox.control.kick({ channel: 'it-help', user: 'ada', member: 'deskbridge' });
  await sandbox.control.message({ channel: 'it-help', user: 'ada', text: 'it is gone' });
  await sandbox.control.message({ channel: 'it-triage', user: 'ben', text: 'but here it is' });
  const [left, next] = await heard.first(2);
  expect(left).toMatchObject({ type: 'channel_left', channel: HELP, actor_id: ADA });
  expect(next).toMatchObject({ type: 'message', text: 'but here it is' });
  expect(await errorOf(client.chat.postMessage({ channel: HELP, text: 'x' }))).toBe('not_in_channel');
  expect(await errorOf(client.conversations.history({ channel: HELP }))).toBe('not_in_channel');
});

test('the remaining apps get an event when a person leaves a channel; leaving twice is not_in_channel', async () => {
  const { sandbox, client, heard } = await openWith('member_left_channel', 'message');
  await sandbox.control.leave({ channel: 'it-help', user: 'ben' });
  expect((await heard.first(2)).map(({ type, subtype, user }) => [type, subtype, user])).toEqual([
    ['member_left_channel', undefined, BEN],
    ['message', 'channel_leave', BEN],
  ]);
  await expect(sandbox.control.leave({ channel: 'it-help', user: 'ben' })).rejects.toThrow(
    'not in the channel',
  );
  expect((await client.conversations.members({ channel: HELP })).members?.toSorted()).toEqual([ADA, BOT]);
  expect(await errorOf(client.conversations.kick({ channel: HELP, user: BOT }))).toBe('cant_kick_self');
  expect(await errorOf(client.conversations.kick({ channel: HELP, user: BEN }))).toBe('not_in_channel');
  await client.conversations.kick({ channel: HELP, user: ADA });
  await client.conversations.leave({ channel: HELP });
  expect(await client.conversations.leave({ channel: HELP })).toMatchObject({ not_in_channel: true });
});

test('a private channel has group events and does not exist for an app that left it', async () => {
  const { sandbox, client, heard } = await openWith(
    'group_rename',
    'group_left',
    'group_archive',
    'group_deleted',
  );
  await sandbox.control.rename({ channel: 'it-triage', user: 'ben', name: 'triage' });
  await sandbox.control.archive({ channel: 'triage', user: 'ben' });
  await sandbox.control.archive({ channel: 'triage', user: 'ben', archived: false });
  await sandbox.control.kick({ channel: 'triage', user: 'ben', member: 'deskbridge' });
  expect((await heard.first(3)).map(({ type }) => type)).toEqual([
    'group_rename',
    'group_archive',
    'group_left',
  ]);
  expect(await errorOf(client.chat.postMessage({ channel: 'C0TRIAG', text: 'x' }))).toBe('channel_not_found');
});

test('conversations.invite names the users who cannot be invited; with force the others are invited', async () => {
  const { sandbox, client } = await openWith();
  await sandbox.control.leave({ channel: 'it-help', user: 'ben' });
  const users = `${BEN},U0NOBODY,${ADA}`;
  const refused = await client.conversations
    .invite({ channel: HELP, users })
    .catch((error: unknown) => error);
  expect(refused).toMatchObject({
    data: {
      error: 'user_not_found',
      errors: [
        { user: 'U0NOBODY', error: 'user_not_found' },
        { user: ADA, error: 'already_in_channel' },
      ],
    },
  });
  expect((await client.conversations.members({ channel: HELP })).members).not.toContain(BEN);
  await client.conversations.invite({ channel: HELP, users, force: true });
  expect((await client.conversations.members({ channel: HELP })).members).toContain(BEN);
  expect(await errorOf(client.conversations.invite({ channel: HELP, users: BOT }))).toBe('cant_invite_self');
});

test('a person who mentions the app in a channel without it can invite it, and the app gets that mention', async () => {
  const { sandbox, heard } = await openWith('app_mention', 'message', 'member_joined_channel');
  const text = '@deskbridge please come';
  await sandbox.control.message({ channel: 'quiet', user: 'ada', text });
  const { message } = await sandbox.control.message({ channel: 'quiet', user: 'ada', text, invite: true });
  const events = await heard.first(3);
  expect(events.map(({ type, subtype }) => subtype ?? type)).toEqual([
    'member_joined_channel',
    'channel_join',
    'app_mention',
  ]);
  expect(events[0]).toMatchObject({ user: BOT, inviter: ADA });
  expect(events[2]).toMatchObject({ ts: message.ts, channel: 'C0QUIET', user: ADA });
});

test('deleting a channel sends one event and removes its messages', async () => {
  const { sandbox, client, heard } = await openWith('channel_deleted');
  await client.chat.postMessage({ channel: HELP, text: 'last words' });
  await sandbox.control.deleteChannel({ channel: 'it-help', user: 'ada' });
  expect((await heard.first(1))[0]).toMatchObject({ type: 'channel_deleted', channel: HELP });
  expect(await errorOf(client.conversations.info({ channel: HELP }))).toBe('channel_not_found');
  await expect(sandbox.control.messages('it-help')).rejects.toThrow('there is no channel');
});

test('a channel has the fields of Slack, and the app’s last_read where the app is a member', async () => {
  const client = webClient(await openSandbox());
  const { channel } = await client.conversations.info({ channel: HELP });
  expect(channel).toMatchObject({
    is_moved: 0,
    unlinked: 0,
    is_frozen: false,
    pending_shared: [],
    pending_connected_team_ids: [],
    parent_conversation: null,
    last_read: '0000000000.000000',
  });
  expect((await client.conversations.info({ channel: 'C0QUIET' })).channel).not.toHaveProperty('last_read');
  const { channels } = await client.conversations.list({});
  expect(channels?.[0]).toMatchObject({ id: HELP, is_moved: 0, unlinked: 0, pending_shared: [] });
  expect(channels?.[0]).not.toHaveProperty('last_read');
});

test('a shared channel and every event in it are marked as shared', async () => {
  const sandbox = await openSandbox();
  const bodies = new Mailbox<{ is_ext_shared_channel?: boolean }>();
  await boltApp(sandbox, (app) => app.event('message', async ({ body }) => bodies.put(body)));
  await sandbox.control.share({ channel: 'it-help' });
  await sandbox.control.message({ channel: 'it-help', user: 'ada', text: 'hello' });
  await sandbox.control.message({ channel: 'it-triage', user: 'ben', text: 'hello' });
  expect((await bodies.first(2)).map((body) => body.is_ext_shared_channel)).toEqual([true, false]);
  const { channel } = await webClient(sandbox).conversations.info({ channel: HELP });
  expect(channel).toMatchObject({ is_ext_shared: true, is_shared: true });
});

test('the app gets an event when direct messages with it are created', async () => {
  const { sandbox, heard } = await openWith('im_created');
  const { channel } = await sandbox.control.open({ user: 'ada', with: 'deskbridge' });
  expect((await heard.first(1))[0]).toMatchObject({ user: ADA, channel: { id: channel } });
  const group = await sandbox.control.open({ user: 'ada', with: ['ben', 'deskbridge'] });
  expect(group.channel).not.toBe(channel);
});

test('channels survive a restart of the sandbox with their names, topics and members', async () => {
  const file = sandboxFile();
  const before = await openSandbox({ file });
  await before.control.createChannel({ user: 'ada', name: 'laptops' });
  await before.control.topic({ channel: 'laptops', user: 'ada', topic: 'Ask here' });
  await before.control.rename({ channel: 'laptops', user: 'ada', name: 'notebooks' });
  const told = before.control.state().channels;
  await before.stop();
  const after = await openSandbox({ file });
  expect(after.control.state().channels).toEqual(told);
  expect(told.find(({ name }) => name === 'notebooks')).toMatchObject({ topic: 'Ask here', members: [ADA] });
});
