import { APP_METHODS, METHODS } from '../../src/sandbox/web-api/methods/index.ts';
import { ErrorCode, type WebAPIPlatformError } from '@slack/web-api';
import { expect, test } from 'vitest';

import { ADA, BEN, BOT, HELP, openSandbox, SEED, webClient } from './open-sandbox.ts';

/** The error of a call, e.g. `channel_not_found`; '' if it succeeded. */
async function errorOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return '';
  } catch (error) {
    const failure = error as WebAPIPlatformError;
    expect(failure.code).toBe(ErrorCode.PlatformError);
    return failure.data.error;
  }
}

test('a token is required and checked, and an unknown method gets HTTP 200', async () => {
  const sandbox = await openSandbox();
  expect(await errorOf(webClient(sandbox, '').auth.test())).toBe('not_authed');
  expect(await errorOf(webClient(sandbox, 'xoxb-nobody').auth.test())).toBe('invalid_auth');
  expect(await errorOf(webClient(sandbox).apps.connections.open())).toBe('not_allowed_token_type');
  const response = await fetch(`${sandbox.apiUrl}files.uploadV1`, { method: 'POST' });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ ok: false, error: 'unknown_method' });
  const auth = await webClient(sandbox).auth.test();
  expect(auth).toMatchObject({ ok: true, user_id: BOT, bot_id: SEED.app.botId, team_id: SEED.team.id });
});

test('the same call works as a form, as JSON and as a query', async () => {
  const sandbox = await openSandbox();
  const call = async (init: RequestInit, query = '') => {
    const response = await fetch(`${sandbox.apiUrl}conversations.info${query}`, init);
    return ((await response.json()) as { channel: { name: string } }).channel.name;
  };
  const bearer = { authorization: `Bearer ${SEED.app.botToken}` };
  expect(await call({}, `?token=${SEED.app.botToken}&channel=${HELP}`)).toBe('it-help');
  expect(await call({ method: 'POST', headers: bearer, body: new URLSearchParams({ channel: HELP }) })).toBe(
    'it-help',
  );
  expect(
    await call({
      method: 'POST',
      headers: { ...bearer, 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify({ channel: HELP }),
    }),
  ).toBe('it-help');
});

test('an error names the missing or wrong argument', async () => {
  const sandbox = await openSandbox();
  const response = await fetch(`${sandbox.apiUrl}chat.postMessage?token=${SEED.app.botToken}`);
  expect(await response.json()).toMatchObject({
    ok: false,
    error: 'invalid_arguments',
    response_metadata: { messages: ['[ERROR] missing required field: channel'] },
  });
});

test('each rejected post has Slack’s error code', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const post = (more: Record<string, unknown>) =>
    errorOf(client.apiCall('chat.postMessage', { channel: HELP, text: 'x', ...more }));
  expect(await post({ channel: 'C0NOTHING' })).toBe('channel_not_found');
  expect(await post({ channel: 'C0HIDDN' })).toBe('channel_not_found');
  expect(await post({ channel: 'C0QUIET' })).toBe('not_in_channel');
  expect(await post({ text: ' ' })).toBe('no_text');
  expect(await post({ blocks: [{ type: 'section' }] })).toBe('invalid_blocks');
  expect(await post({ blocks: [{ type: 'nonsense' }] })).toBe('invalid_blocks');
  expect(
    await post({ blocks: [{ type: 'header', text: { type: 'plain_text', text: 'x'.repeat(151) } }] }),
  ).toBe('invalid_blocks');
  expect(await post({ blocks: Array.from({ length: 51 }, () => ({ type: 'divider' })) })).toBe(
    'invalid_blocks',
  );
  const long = { type: 'markdown', text: 'x'.repeat(7_000) };
  expect(await post({ blocks: [long, long] })).toBe('msg_blocks_too_long');
  await sandbox.control.archive({ channel: 'it-help' });
  expect(await post({})).toBe('is_archived');
});

test('an app cannot change or delete another’s message, nor one that does not exist', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const { message } = await sandbox.control.message({ channel: 'it-help', user: 'ada', text: 'mine' });
  const place = { channel: HELP, ts: message.ts };
  expect(await errorOf(client.chat.update({ ...place, text: 'x' }))).toBe('cant_update_message');
  expect(await errorOf(client.chat.delete(place))).toBe('cant_delete_message');
  expect(await errorOf(client.chat.delete({ ...place, ts: '1700000000.000100' }))).toBe('message_not_found');
  const { ts = '' } = await client.chat.postMessage({ channel: HELP, text: 'ours' });
  expect(await errorOf(client.chat.update({ channel: HELP, ts, text: 'x'.repeat(4_001) }))).toBe(
    'msg_too_long',
  );
});

test('a text of 40,001 characters is posted cut to 40,000', async () => {
  const sandbox = await openSandbox();
  const { message } = await webClient(sandbox).chat.postMessage({ channel: HELP, text: 'x'.repeat(40_001) });
  expect(message?.text).toHaveLength(40_000);
});

test('a post has Slack’s shape: with a custom name bot_message without user, without one the bot user', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const plain = await client.chat.postMessage({ channel: HELP, text: 'a *b* <@U0ADAAA>' });
  expect(plain.message).toMatchObject({
    type: 'message',
    user: BOT,
    bot_id: SEED.app.botId,
    app_id: SEED.app.id,
    bot_profile: {
      id: SEED.app.botId,
      name: 'deskbridge',
      icons: {
        image_36: `${sandbox.url}/avatar/${BOT}.svg`,
        image_48: `${sandbox.url}/avatar/${BOT}.svg`,
        image_72: `${sandbox.url}/avatar/${BOT}.svg`,
      },
    },
    blocks: [{ type: 'rich_text' }],
  });
  expect(plain.message).not.toHaveProperty('subtype');
  const named = await client.chat.postMessage({
    channel: HELP,
    text: 'x',
    username: 'Mira Lind',
    icon_emoji: ':wave:',
  });
  expect(named.message).toMatchObject({
    subtype: 'bot_message',
    username: 'Mira Lind',
    icons: { emoji: ':wave:' },
    bot_id: SEED.app.botId,
  });
  expect(named.message).not.toHaveProperty('user');
});

test('an update with text alone drops the blocks and marks the message as edited; with blocks it does not', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const card = [{ type: 'section', text: { type: 'mrkdwn', text: 'card' } }];
  const { ts = '' } = await client.chat.postMessage({
    channel: HELP,
    text: 'card',
    blocks: card,
    metadata: { event_type: 'card', event_payload: { id: 'x' } },
  });
  await client.chat.update({ channel: HELP, ts, text: 'card 2', blocks: [{ type: 'divider' }] });
  const [byBlocks] = await sandbox.control.messages(HELP);
  expect(byBlocks).toMatchObject({
    text: 'card 2',
    blocks: [{ type: 'divider' }],
    metadata: { event_type: 'card' },
  });
  expect(byBlocks).not.toHaveProperty('edited');
  await client.chat.update({ channel: HELP, ts, text: 'card 3' });
  const [byText] = await sandbox.control.messages(HELP);
  expect(byText).toMatchObject({ text: 'card 3', auto_blocks: true, edited: { user: BOT } });
});

test('metadata is only returned with include_all_metadata', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const metadata = { event_type: 'deskbridge_post', event_payload: { outbox: 'out_1' } };
  const { ts = '' } = await client.chat.postMessage({ channel: HELP, text: 'root', metadata });
  const without = await client.conversations.replies({ channel: HELP, ts });
  expect(without.messages?.[0]).not.toHaveProperty('metadata');
  const withIt = await client.conversations.replies({ channel: HELP, ts, include_all_metadata: true });
  expect(withIt.messages?.[0]).toMatchObject({ metadata });
});

test('reactions: twice is already_reacted, none is no_reaction, and reactions.get lists people', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const { message } = await sandbox.control.message({ channel: 'it-help', user: 'ada', text: 'x' });
  const on = { channel: HELP, timestamp: message.ts, name: 'eyes' };
  await client.reactions.add(on);
  expect(await errorOf(client.reactions.add(on))).toBe('already_reacted');
  // GitHub's name, which Slack does not have.
  expect(await errorOf(client.reactions.add({ ...on, name: 'thinking' }))).toBe('invalid_name');
  await sandbox.control.reaction({ channel: 'it-help', user: 'ben', ts: message.ts, name: ':eyes:' });
  const got = await client.reactions.get({ channel: HELP, timestamp: message.ts });
  expect(got.message?.reactions).toEqual([{ name: 'eyes', users: [BOT, BEN], count: 2 }]);
  await client.reactions.remove(on);
  expect(await errorOf(client.reactions.remove(on))).toBe('no_reaction');
  expect(await errorOf(client.reactions.add({ ...on, timestamp: '1700000000.000100' }))).toBe(
    'message_not_found',
  );
});

test('a reaction to nothing is no_item_specified, and people too can only use existing emoji', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const { message } = await sandbox.control.message({ channel: 'it-help', user: 'ada', text: 'x' });
  for (const item of [{}, { channel: HELP }, { timestamp: message.ts }])
    for (const method of ['reactions.add', 'reactions.remove', 'reactions.get'])
      expect([method, await errorOf(client.apiCall(method, { name: 'eyes', ...item }))]).toEqual([
        method,
        'no_item_specified',
      ]);
  expect(await errorOf(client.apiCall('reactions.add', { channel: HELP, timestamp: message.ts }))).toBe(
    'invalid_name',
  );
  const react = (name: string) =>
    sandbox.control.reaction({ channel: 'it-help', user: 'ben', ts: message.ts, name });
  await expect(react('thinking')).rejects.toThrow('invalid_name');
  await sandbox.control.emoji({ name: 'ship-it' });
  await react('ship-it');
  await react('flag-de');
  expect((await sandbox.control.messages('it-help'))[0]?.reactions.map(({ name }) => name)).toEqual([
    'ship-it',
    'flag-de',
  ]);
});

test('bookmarks are added, changed, listed and removed; a wrong link, emoji, type or id is rejected', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const link = { channel_id: HELP, title: 'Handbook', type: 'link', link: 'https://acme.example/' } as const;
  const { bookmark } = await client.bookmarks.add({ ...link, emoji: ':clap:' });
  expect(bookmark).toMatchObject({ ...link, emoji: ':clap:', date_updated: 0, last_updated_by_user_id: BOT });
  const bookmark_id = bookmark?.id ?? '';
  const on = { channel_id: HELP, bookmark_id };
  await client.bookmarks.edit({ ...on, title: 'The handbook' });
  const listed = async () => (await client.bookmarks.list({ channel_id: HELP })).bookmarks;
  expect(await listed()).toMatchObject([{ id: bookmark_id, title: 'The handbook', link: link.link }]);
  expect(await errorOf(client.bookmarks.add({ ...link, link: 'ftp://acme.example' }))).toBe('invalid_link');
  expect(await errorOf(client.bookmarks.edit({ ...on, emoji: ':thinking:' }))).toBe('invalid_emoji');
  expect(await errorOf(client.apiCall('bookmarks.add', { ...link, type: 'file' }))).toBe(
    'invalid_bookmark_type',
  );
  expect(await errorOf(client.bookmarks.list({ channel_id: 'C0HIDDN' }))).toBe('channel_not_found');
  await client.bookmarks.remove(on);
  expect(await errorOf(client.bookmarks.remove(on))).toBe('not_found');
  const body = new URLSearchParams({ ...link, token: SEED.app.botToken });
  for (let count = 0; count < 100; count += 1)
    await fetch(`${sandbox.apiUrl}bookmarks.add`, { method: 'POST', body });
  expect(await errorOf(client.bookmarks.add(link))).toBe('too_many_bookmarks');
});

test('direct messages are closed, and reopened by a call or a message; marking sets last_read', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const { channel } = await client.conversations.open({ users: ADA });
  const direct = { channel: channel?.id ?? '' };
  const isOpen = async () => {
    const { channel: shown } = await client.conversations.info(direct);
    return shown?.is_open;
  };
  expect(await client.conversations.close(direct)).not.toHaveProperty('already_closed');
  expect(await isOpen()).toBe(false);
  expect(await client.conversations.close(direct)).toMatchObject({ no_op: true, already_closed: true });
  expect(await client.conversations.open({ users: ADA })).not.toHaveProperty('already_open');
  expect(await client.conversations.open(direct)).toMatchObject({ already_open: true });
  await client.conversations.close(direct);
  await sandbox.control.message({ channel: '@deskbridge', user: 'ada', text: 'are you there?' });
  expect(await isOpen()).toBe(true);
  expect(await errorOf(client.conversations.close({ channel: HELP }))).toBe(
    'method_not_supported_for_channel_type',
  );
  const lastRead = async () => (await client.conversations.info({ channel: HELP })).channel?.last_read;
  expect(await lastRead()).toBe('0000000000.000000');
  const { ts = '' } = await client.chat.postMessage({ channel: HELP, text: 'read this' });
  await client.conversations.mark({ channel: HELP, ts });
  expect(await lastRead()).toBe(ts);
  expect(await errorOf(client.conversations.mark({ channel: HELP, ts: 'now' }))).toBe('invalid_timestamp');
  expect(await errorOf(client.conversations.mark({ channel: 'C0QUIET', ts }))).toBe('not_in_channel');
});

test('presence has more fields for the token’s own user; away stays until presence is automatic again', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  expect(await client.users.getPresence({ user: ADA })).toMatchObject({ presence: 'active' });
  expect(await client.users.getPresence({ user: ADA })).not.toHaveProperty('manual_away');
  await client.users.setPresence({ presence: 'away' });
  expect(await client.users.getPresence({ user: BOT })).toMatchObject({
    presence: 'away',
    manual_away: true,
  });
  await client.users.setPresence({ presence: 'auto' });
  expect(await client.users.getPresence({ user: BOT })).toMatchObject({ presence: 'active', online: true });
  expect(await errorOf(client.apiCall('users.setPresence', { presence: 'busy' }))).toBe('invalid_presence');
  expect(await errorOf(client.users.getPresence({ user: 'U0NOBODY' }))).toBe('user_not_found');
});

test('people are found by id and by e-mail, with their time zone', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const { user } = await client.users.info({ user: ADA });
  expect(user).toMatchObject({
    name: 'ada',
    real_name: 'Ada Reyes',
    tz: 'Europe/Madrid',
    profile: { email: 'ada@acme.example' },
  });
  expect([3600, 7200]).toContain(user?.tz_offset);
  expect((await client.users.lookupByEmail({ email: 'ADA@acme.example' })).user?.id).toBe(ADA);
  expect(await errorOf(client.users.lookupByEmail({ email: 'no@acme.example' }))).toBe('users_not_found');
  expect(await errorOf(client.users.info({ user: 'U0NOBODY' }))).toBe('user_not_found');
});

test('a private channel without the app does not exist for it', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const listed = await client.conversations.list({ types: 'public_channel,private_channel' });
  expect(listed.channels?.map(({ name }) => name)).toEqual(['it-help', 'quiet', 'it-triage']);
  expect(await errorOf(client.conversations.info({ channel: 'C0HIDDN' }))).toBe('channel_not_found');
  const mine = await client.users.conversations({ types: 'public_channel,private_channel' });
  expect(mine.channels?.map(({ name }) => name)).toEqual(['it-help', 'it-triage']);
});

test('opening a direct conversation twice, also at once, gives one; a post to a user id is posted there', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const opened = await Promise.all([1, 2, 3].map(() => client.conversations.open({ users: ADA })));
  expect(new Set(opened.map(({ channel }) => channel?.id)).size).toBe(1);
  const posted = await client.chat.postMessage({ channel: ADA, text: 'psst' });
  expect(posted.channel).toBe(opened[0]?.channel?.id);
  expect((await sandbox.control.messages('@deskbridge', 'ada')).map(({ text }) => text)).toEqual(['psst']);
});

test('an ephemeral message is in no history and visible to one person', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const { message_ts } = await client.chat.postEphemeral({ channel: HELP, user: ADA, text: 'only you' });
  expect((await client.conversations.history({ channel: HELP })).messages).toEqual([]);
  expect((await sandbox.control.messages(HELP, 'ada')).map(({ ts }) => ts)).toEqual([message_ts]);
  expect(await sandbox.control.messages(HELP, 'ben')).toEqual([]);
  expect(await errorOf(client.chat.postEphemeral({ channel: 'C0TRIAG', user: ADA, text: 'x' }))).toBe(
    'user_not_in_channel',
  );
});

test('every method says in Slack’s words which required arguments are absent', async () => {
  const sandbox = await openSandbox();
  const ends = ['auth.revoke', 'apps.uninstall'];
  const names = [...METHODS.keys(), ...APP_METHODS.keys()].filter((name) => !ends.includes(name));
  const absent: Record<string, string[]> = {};
  for (const name of names) {
    const token = APP_METHODS.has(name) ? SEED.app.appToken : SEED.app.botToken;
    const answer = await fetch(`${sandbox.apiUrl}${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json; charset=utf-8' },
      body: '{}',
    });
    const { error, response_metadata: metadata } = (await answer.json()) as {
      error?: string;
      response_metadata?: { messages?: string[] };
    };
    expect([name, error]).not.toEqual([name, 'internal_error']);
    if (error === 'invalid_arguments') absent[name] = metadata?.messages ?? [];
  }
  expect(Object.keys(absent).length).toBeGreaterThan(20);
  for (const [name, messages] of Object.entries(absent))
    for (const message of messages)
      expect([name, message]).toEqual([
        name,
        expect.stringMatching(/^\[ERROR\] missing required field: \w+$/),
      ]);
  expect(absent['conversations.invite']).toContain('[ERROR] missing required field: users');
  expect(absent['files.completeUploadExternal']).toEqual(['[ERROR] missing required field: files']);
});

/** Arguments of the Web API that some method reads. */
const ARGUMENTS = [
  'attachments blocks bookmark_id bot channel channel_id channels count cursor email exclude_archived file files',
  'filename force hash include_all_metadata is_private latest length limit link link_names markdown_text metadata',
  'mrkdwn name oldest parse post_at presence prevent_creation purpose reply_broadcast return_im',
  'scheduled_message_id source text thread_ts timestamp title token_type topic trigger_id ts type types unfurl_id',
  'unfurls user user_id users view view_id',
].flatMap((line) => line.split(' '));

/** What a method can say of a wrong argument. */
const SLACKS_WORDS =
  /^(invalid `user_id`$|\[ERROR\] (missing required field: \w+|must (be|provide|match) |no more than |invalid |unsupported type: |failed to match all allowed schemas ))/;

test.each<[what: string, wrong: unknown]>([
  ['a text', 'x'],
  ['a number', 5],
  ['an object', { wrong: 1 }],
  ['a list of numbers', [3]],
  ['a list of lists', [[]]],
  ['a list of empty objects', [{}]],
  ['an empty list', []],
  ['a truth value', true],
  ['JSON of another type in a text', '{"wrong": 1}'],
])('every method says in Slack’s words that an argument is %s', async (_what, wrong) => {
  const sandbox = await openSandbox();
  const ends = ['auth.revoke', 'apps.uninstall', 'api.test'];
  const names = [...METHODS.keys(), ...APP_METHODS.keys()].filter((name) => !ends.includes(name));
  const body = JSON.stringify(Object.fromEntries(ARGUMENTS.map((name) => [name, wrong])));
  for (const name of names) {
    const token = APP_METHODS.has(name) ? SEED.app.appToken : SEED.app.botToken;
    const response = await fetch(`${sandbox.apiUrl}${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json; charset=utf-8' },
      body,
    });
    const answer = (await response.json()) as {
      error?: string;
      response_metadata?: { messages?: string[] };
    };
    expect([name, answer.error]).not.toEqual([name, 'internal_error']);
    if (answer.error !== 'invalid_arguments') continue;
    for (const message of answer.response_metadata?.messages ?? [])
      expect([name, message]).toEqual([name, expect.stringMatching(SLACKS_WORDS)]);
  }
});
