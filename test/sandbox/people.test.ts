import type { IMCreatedEvent, TeamJoinEvent, UserChangeEvent, UserProfileChangedEvent } from '@slack/types';
import { ErrorCode, type UsersInfoResponse, type WebAPIPlatformError } from '@slack/web-api';
import { expect, expectTypeOf, test } from 'vitest';

import type { LiveUser, personEvent, profileObject, userObject } from '../../src/sandbox/workspace/people.ts';
import {
  ADA,
  BEN,
  boltApp,
  BOT,
  HeldClock,
  HELP,
  Mailbox,
  openSandbox,
  SEED,
  webClient,
} from './open-sandbox.ts';
import { sandboxFile } from './sandbox-file.ts';

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

/** The seed with an app that has only these scopes. */
const withScopes = (...scopes: string[]) => ({ ...SEED, app: { ...SEED.app, scopes } });

test('user events and responses fit the SDK’s types', () => {
  expectTypeOf<LiveUser>().toExtend<UserChangeEvent['user']>();
  expectTypeOf<LiveUser>().toExtend<UserProfileChangedEvent['user']>();
  expectTypeOf<LiveUser>().toExtend<TeamJoinEvent['user']>();
  expectTypeOf<ReturnType<typeof userObject>>().toExtend<NonNullable<UsersInfoResponse['user']>>();
  expectTypeOf<ReturnType<typeof profileObject>>().toExtend<UserChangeEvent['user']['profile']>();
  type Changed = ReturnType<typeof personEvent<'user_change'>>;
  expectTypeOf<Omit<Changed, 'user'> & { user: LiveUser }>().toExtend<UserChangeEvent>();
});

test('the offset of a person’s time zone follows daylight saving by the sandbox’s clock', async () => {
  const clock = new HeldClock(Date.UTC(2026, 0, 5, 9));
  const sandbox = await openSandbox({ clock });
  const client = webClient(sandbox);
  const zone = async (user: string) => {
    const answer = await client.users.info({ user });
    return [answer.user?.tz, answer.user?.tz_label, answer.user?.tz_offset];
  };
  expect(await zone(ADA)).toEqual(['Europe/Madrid', 'Central European Standard Time', 3_600]);
  expect(await zone(BEN)).toEqual(['Africa/Lagos', 'West Africa Time', 3_600]);
  clock.advance(Date.UTC(2026, 6, 1) - clock.now().getTime());
  expect(await zone(ADA)).toEqual(['Europe/Madrid', 'Central European Summer Time', 7_200]);
  expect(await zone(BEN)).toEqual(['Africa/Lagos', 'West Africa Time', 3_600]);
  const { user } = await sandbox.control.addPerson({ name: 'kim', timeZone: 'America/St_Johns' });
  expect(await zone(user)).toEqual(['America/St_Johns', 'Newfoundland Daylight Time', -9_000]);
});

test('an e-mail address is only shown to an app with the scope for it', async () => {
  const sandbox = await openSandbox({ seed: withScopes('users:read') });
  const { user } = await webClient(sandbox).users.info({ user: ADA });
  expect(user?.profile).toMatchObject({ first_name: 'Ada', display_name: 'ada' });
  expect(user?.profile).not.toHaveProperty('email');
  const open = await openSandbox({ seed: withScopes('users:read', 'users:read.email') });
  expect((await webClient(open).users.info({ user: ADA })).user?.profile?.email).toBe('ada@acme.example');
});

test('admins, owners and both kinds of guests have their flags', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const flags = async (role: 'primary_owner' | 'admin' | 'guest' | 'single_channel_guest' | 'member') => {
    await sandbox.control.changePerson({ user: 'ben', role });
    const { user } = await client.users.info({ user: BEN });
    return [
      user?.is_admin,
      user?.is_owner,
      user?.is_primary_owner,
      user?.is_restricted,
      user?.is_ultra_restricted,
    ];
  };
  expect(await flags('primary_owner')).toEqual([true, true, true, false, false]);
  expect(await flags('admin')).toEqual([true, false, false, false, false]);
  expect(await flags('guest')).toEqual([false, false, false, true, false]);
  expect(await flags('single_channel_guest')).toEqual([false, false, false, true, true]);
  expect(await flags('member')).toEqual([false, false, false, false, false]);
});

test('users.list pages through everyone, including bots of other apps and workflows, and deactivated people', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const other = await sandbox.control.addBot({ name: 'ci' });
  const workflow = await sandbox.control.addBot({ name: 'onboarding', workflow: true });
  await sandbox.control.changePerson({ user: 'ben', deleted: true });
  const pages: string[][] = [];
  for await (const page of client.paginate('users.list', { limit: 2 }))
    pages.push(((page as { members?: { id: string }[] }).members ?? []).map(({ id }) => id));
  expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
  expect(pages.flat().sort()).toEqual([ADA, BEN, BOT, other.user, workflow.user].sort());
  const { members = [] } = await client.users.list({});
  expect(members.find(({ id }) => id === BEN)).toMatchObject({ deleted: true, name: 'ben' });
  expect(members.find(({ id }) => id === BEN)).not.toHaveProperty('tz');
  expect(members.find(({ id }) => id === workflow.user)).toMatchObject({
    is_bot: true,
    is_workflow_bot: true,
  });
  const { bot } = await client.bots.info({ bot: other.bot });
  expect(bot).toMatchObject({ id: other.bot, user_id: other.user, name: 'ci' });
  expect((await client.bots.info({ bot: SEED.app.botId })).bot).toMatchObject({
    app_id: SEED.app.id,
    user_id: BOT,
  });
  expect(await errorOf(client.bots.info({ bot: 'B0NOBODY' }))).toBe('bot_not_found');
});

test('joining, changing and leaving send team_join, user_change and user_profile_changed', async () => {
  const sandbox = await openSandbox();
  const received = new Mailbox<TeamJoinEvent | UserChangeEvent | UserProfileChangedEvent>();
  await boltApp(sandbox, (app) => {
    app.event('team_join', async ({ event }) => received.put(event));
    app.event('user_change', async ({ event }) => received.put(event));
    app.event('user_profile_changed', async ({ event }) => received.put(event));
  });
  await sandbox.control.addPerson({
    name: 'kim',
    firstName: 'Kim',
    lastName: 'Ö',
    email: 'kim@acme.example',
  });
  await sandbox.control.changePerson({
    user: 'kim',
    name: 'kimo',
    displayName: 'Kímo',
    email: 'kimo@acme.example',
  });
  await sandbox.control.changePerson({ user: 'kimo', deleted: true });
  const events = await received.first(5);
  expect(events.map(({ type }) => type)).toEqual([
    'team_join',
    'user_change',
    'user_profile_changed',
    'user_change',
    'user_profile_changed',
  ]);
  expect(events[0]?.user).toMatchObject({
    name: 'kim',
    real_name: 'Kim Ö',
    profile: { email: 'kim@acme.example' },
  });
  expect(events[1]?.user).toMatchObject({
    name: 'kimo',
    deleted: false,
    profile: { display_name: 'Kímo', display_name_normalized: 'Kimo', email: 'kimo@acme.example' },
  });
  expect(events[2]?.user).toEqual(events[1]?.user);
  expect(events[3]?.user).toMatchObject({ name: 'kimo', deleted: true });
});

test('a deactivated person is found by id and not by e-mail; after reactivation, by both', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const email = 'ben@acme.example';
  await sandbox.control.changePerson({ user: 'ben', deleted: true });
  expect((await client.users.info({ user: BEN })).user?.deleted).toBe(true);
  expect(await errorOf(client.users.lookupByEmail({ email }))).toBe('users_not_found');
  expect(await errorOf(client.conversations.open({ users: BEN }))).toBe('user_disabled');
  await expect(sandbox.control.message({ channel: 'it-help', user: 'ben', text: 'x' })).rejects.toThrow(
    '"ben" is deactivated',
  );
  await sandbox.control.changePerson({ user: 'ben', deleted: false });
  expect((await client.users.lookupByEmail({ email: email.toUpperCase() })).user?.id).toBe(BEN);
});

test('a picture is served by the sandbox, and a new picture has a new URL', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const picture = async () => (await client.users.profile.get({ user: ADA })).profile?.image_72 ?? '';
  const before = await picture();
  await sandbox.control.changePerson({ user: 'ada', picture: 'on the beach' });
  const after = await picture();
  expect(after).not.toBe(before);
  const response = await fetch(after);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  expect((await client.users.profile.get({})).profile).toMatchObject({ bot_id: SEED.app.botId });
});

test('a person of another organisation is a stranger without e-mail until a channel with the app is shared with them', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const { user } = await sandbox.control.addPerson({
    name: 'vendor',
    email: 'vendor@other.example',
    teamId: 'T0OTHER',
  });
  const stranger = (await client.users.info({ user })).user;
  expect(stranger).toMatchObject({ team_id: 'T0OTHER', is_stranger: true, profile: { team: 'T0OTHER' } });
  expect(stranger?.profile).not.toHaveProperty('email');
  expect(await errorOf(client.users.lookupByEmail({ email: 'vendor@other.example' }))).toBe(
    'users_not_found',
  );
  expect(await errorOf(client.conversations.open({ users: user }))).toBe('invalid_user_combination');
  expect(await errorOf(client.chat.postMessage({ channel: user, text: 'x' }))).toBe(
    'invalid_user_combination',
  );
  await sandbox.control.join({ channel: 'it-help', user: 'vendor' });
  expect((await client.users.info({ user })).user?.is_stranger).toBe(false);
  expect((await client.conversations.open({ users: user })).channel?.id).toMatch(/^D/);
  await sandbox.control.message({ channel: 'it-help', user: 'vendor', text: 'hello' });
  const { messages } = await client.conversations.history({ channel: HELP, limit: 1 });
  expect(messages?.[0]).toMatchObject({ text: 'hello', team: 'T0OTHER' });
});

test('opening direct messages is rejected with bots, with nobody and with more than eight people', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const { user: bot } = await sandbox.control.addBot({ name: 'ci' });
  const open = (users: string) => errorOf(client.conversations.open({ users }));
  expect(await open(bot)).toBe('cannot_dm_bot');
  expect(await open('U0NOBODY')).toBe('user_not_found');
  expect(await errorOf(client.apiCall('conversations.open', {}))).toBe('users_list_not_supplied');
  const nine: string[] = [];
  for (let count = 0; count < 9; count += 1)
    nine.push((await sandbox.control.addPerson({ name: `guest-${count}` })).user);
  expect(await open(nine.join(','))).toBe('too_many_users');
  expect(await open(nine.slice(1).join(','))).toBe('');
});

test('the app gets an event when a direct conversation starts, and can list them by kind', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const received = new Mailbox<{ type: string; channel: IMCreatedEvent['channel'] | string }>();
  await boltApp(sandbox, (app) => {
    app.event('im_created', async ({ event }) => received.put(event));
    app.event('mpim_open', async ({ event }) => received.put(event as never));
  });
  const one = await client.conversations.open({ users: ADA });
  const several = await client.conversations.open({ users: `${ADA},${BEN}`, return_im: true });
  const [created, opened] = await received.first(2);
  expect(created).toMatchObject({ type: 'im_created', user: ADA, channel: { id: one.channel?.id } });
  expect(opened).toMatchObject({ type: 'mpim_open', channel: several.channel?.id });
  const listed = async (types: string) =>
    (await client.conversations.list({ types })).channels?.map(({ id }) => id);
  expect(await listed('im')).toEqual([one.channel?.id]);
  expect(await listed('mpim')).toEqual([several.channel?.id]);
  expect(
    (await client.users.conversations({ types: 'im,mpim,public_channel' })).channels?.map(({ id }) => id),
  ).toEqual([HELP, one.channel?.id, several.channel?.id]);
});

test('custom emoji are listed and send events; team.info has the domain', async () => {
  const sandbox = await openSandbox({
    seed: { ...SEED, emoji: { party: 'https://acme.example/party.gif' } },
  });
  const client = webClient(sandbox);
  const received = new Mailbox<unknown>();
  await boltApp(sandbox, (app) => app.event('emoji_changed', async ({ event }) => received.put(event)));
  await sandbox.control.emoji({ name: 'ship-it' });
  await sandbox.control.emoji({ name: 'celebrate', aliasFor: 'party' });
  await sandbox.control.emoji({ name: 'party', remove: true });
  expect(await received.first(3)).toMatchObject([
    { subtype: 'add', name: 'ship-it', value: `${sandbox.url}/emoji/ship-it.svg` },
    { subtype: 'add', name: 'celebrate', value: 'alias:party' },
    { subtype: 'remove', names: ['party'] },
  ]);
  const { emoji = {} } = await client.emoji.list({});
  expect(emoji).toEqual({ 'ship-it': `${sandbox.url}/emoji/ship-it.svg`, celebrate: 'alias:party' });
  expect((await fetch(emoji['ship-it'] ?? '')).status).toBe(200);
  expect((await client.team.info()).team).toMatchObject({ id: SEED.team.id, domain: 'test' });
  expect(await errorOf(client.team.info({ team: 'T0OTHER' }))).toBe('team_not_found');
});

test('people survive a restart unchanged; a name is unique', async () => {
  const file = sandboxFile();
  const first = await openSandbox({ file });
  const { user } = await first.control.addPerson({ name: 'kim', role: 'admin', title: 'Chief' });
  await expect(first.control.addPerson({ name: 'Kim' })).rejects.toThrow('the name "Kim" is taken');
  await expect(first.control.changePerson({ user: 'ada', name: 'kim' })).rejects.toThrow('is taken');
  await expect(first.control.addPerson({ name: 'x', timeZone: 'Europe/Nowhere' })).rejects.toThrow(
    'time zone',
  );
  await first.stop();
  const second = await openSandbox({ file });
  expect((await webClient(second).users.info({ user })).user).toMatchObject({
    name: 'kim',
    is_admin: true,
    profile: { title: 'Chief' },
  });
});
