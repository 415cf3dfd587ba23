import { expect, test } from 'vitest';

import type { Sandbox } from '../../src/sandbox/index.ts';
import { until } from '../harness/until.ts';
import { authorizeUrl, CLIENT, installApp, installerClient, REDIRECT } from './install-app.ts';
import { boltApp, HELP, HeldClock, Mailbox, openSandbox, SEED, webClient } from './open-sandbox.ts';

const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    (error: unknown) => (error as { data?: { error?: string } }).data?.error ?? String(error),
  );

/**
 * An organisation of the seed's workspace and another one, whose owner has installed the app for all of it.
 */
async function organisation(sandbox: Sandbox) {
  const orbit = await sandbox.control.addWorkspace({
    name: 'Orbit',
    domain: 'orbit',
    people: [{ name: 'zoe', role: 'owner' }, { name: 'max' }],
    channels: [{ name: 'it-help' }, { name: 'orbit-only' }],
  });
  const solar = await sandbox.control.addWorkspace({
    name: 'Solar',
    domain: 'solar',
    people: [{ name: 'sol' }],
    channels: [{ name: 'it-help' }],
  });
  const { organisation: id } = await sandbox.control.addOrganisation({
    name: 'Group',
    domain: 'group',
    workspaces: ['orbit', 'solar'],
  });
  await sandbox.control.app({ redirectUrls: [REDIRECT] });
  const allow = async () => {
    const url = authorizeUrl(sandbox, {
      scope: 'chat:write,channels:read,users:read,im:write,channels:join',
    });
    const { redirect } = await sandbox.control
      .team('orbit')
      .allow({ url, user: 'zoe', forOrganisation: true });
    const code = new URL(redirect).searchParams.get('code') ?? '';
    return installerClient(sandbox).oauth.v2.access({ ...CLIENT, code, redirect_uri: REDIRECT });
  };
  return { id, orbit, solar, allow };
}

test('an organisation’s installation returns its id and no team, has access to no workspace by itself, and to all allowed ones with one token', async () => {
  const sandbox = await openSandbox();
  const { id, orbit, solar, allow } = await organisation(sandbox);
  const access = await allow();
  expect(access).toMatchObject({
    team: null,
    enterprise: { id, name: 'Group' },
    is_enterprise_install: true,
    token_type: 'bot',
  });
  const client = webClient(sandbox, String(access.access_token));
  expect(await client.auth.test()).toMatchObject({
    team_id: id,
    enterprise_id: id,
    user_id: access.bot_user_id,
    is_enterprise_install: true,
  });
  expect((await client.auth.teams.list()).teams).toEqual([]);
  const place = orbit.channels['it-help'] ?? '';
  expect(await errorOf(client.chat.postMessage({ channel: place, text: 'x' }))).toBe('channel_not_found');

  for (const team of ['orbit', 'solar']) await sandbox.control.teamAccess({ team });
  expect((await client.auth.teams.list()).teams?.map((team) => team.id)).toEqual([orbit.team, solar.team]);
  expect(await errorOf(client.users.list({}))).toBe('missing_argument');
  const { members = [] } = await client.users.list({ team_id: orbit.team });
  expect(members.map((member) => member.id)).toContain(access.bot_user_id);
  expect(members.map((member) => member.id)).not.toContain(solar.people['sol']);
  for (const { channels } of [orbit, solar]) {
    const channel = channels['it-help'] ?? '';
    await client.conversations.join({ channel });
    expect((await client.chat.postMessage({ channel, text: 'here' })).ok).toBe(true);
  }
  expect(await errorOf(client.chat.postMessage({ channel: HELP, text: 'x' }))).toBe('channel_not_found');
  expect(await errorOf(client.users.list({ team_id: SEED.team.id }))).toBe('team_access_not_granted');

  await sandbox.control.teamAccess({ team: 'solar', granted: false });
  expect((await client.auth.teams.list()).teams?.map((team) => team.id)).toEqual([orbit.team]);
  await sandbox.control.uninstall({ team: 'group' });
  expect(await errorOf(client.auth.test())).toBe('account_inactive');
});

test('only an owner or admin of one of its workspaces may install an app for an organisation', async () => {
  const sandbox = await openSandbox();
  await organisation(sandbox);
  const url = authorizeUrl(sandbox);
  const orbit = sandbox.control.team('orbit');
  await expect(orbit.allow({ url, user: 'max', forOrganisation: true })).rejects.toThrow('may not install');
  await expect(sandbox.control.allow({ url, user: 'ada', forOrganisation: true })).rejects.toThrow(
    'may not install',
  );
  const page = await (await fetch(url)).text();
  expect(page).toContain('zoe (all of Group)');
  expect(page).not.toContain('max (all of Group)');
});

test('events of an organisation’s workspaces name it, button presses have no team, and access events have no workspace', async () => {
  const sandbox = await openSandbox();
  const { id, orbit, allow } = await organisation(sandbox);
  const bodies = new Mailbox<Record<string, unknown>>();
  await boltApp(sandbox, (app) => {
    app.use(async ({ body, next, ack }) => {
      bodies.put(body as never);
      await ack?.();
      await next();
    });
  });
  const access = await allow();
  await sandbox.control.teamAccess({ team: 'orbit' });
  const [granted] = await bodies.first(1);
  expect(granted).toMatchObject({
    team_id: null,
    enterprise_id: id,
    event: { type: 'team_access_granted', team_ids: [orbit.team] },
  });
  const there = sandbox.control.team('orbit');
  await there.invite({ channel: 'it-help', user: 'zoe', member: String(access.bot_user_id) });
  await there.message({ channel: 'it-help', user: 'zoe', text: 'in orbit' });
  const said = await until('the event', async () =>
    bodies.items.find((body) => JSON.stringify(body).includes('in orbit')),
  );
  expect(said).toMatchObject({
    team_id: orbit.team,
    context_enterprise_id: id,
    authorizations: [{ enterprise_id: id, user_id: access.bot_user_id, is_enterprise_install: true }],
  });
  await there.shortcut({ user: 'zoe', callbackId: 'new_ticket' });
  const press = await until('the press', async () => bodies.items.find(({ type }) => type === 'shortcut'));
  expect(press).toMatchObject({
    team: null,
    enterprise: { id, name: 'Group' },
    is_enterprise_install: true,
    user: { team_id: orbit.team },
  });
});

test('a channel shared within an organisation is the same channel in each workspace’s list', async () => {
  const sandbox = await openSandbox();
  const { orbit, solar, allow } = await organisation(sandbox);
  const access = await allow();
  for (const team of ['orbit', 'solar']) await sandbox.control.teamAccess({ team });
  const client = webClient(sandbox, String(access.access_token));
  const shared = orbit.channels['it-help'] ?? '';
  await client.conversations.join({ channel: shared });
  await sandbox.control.team('orbit').shareWithin({ channel: 'it-help', with: ['solar'] });
  for (const team_id of [orbit.team, solar.team]) {
    const { channels = [] } = await client.users.conversations({ team_id });
    expect(channels).toMatchObject([
      {
        id: shared,
        is_org_shared: true,
        context_team_id: orbit.team,
        shared_team_ids: [orbit.team, solar.team],
      },
    ]);
  }
  await expect(
    sandbox.control.team('orbit').shareWithin({ channel: 'it-help', with: [SEED.team.id] }),
  ).rejects.toThrow('no workspace of the same organisation');
});

test('an organisation’s expired token is refreshed for all of its workspaces; one of them may still install the app by itself', async () => {
  const clock = new HeldClock();
  const sandbox = await openSandbox({ clock, seed: { ...SEED, app: { ...SEED.app, tokenRotation: true } } });
  const { orbit, allow } = await organisation(sandbox);
  const access = await allow();
  await sandbox.control.teamAccess({ team: 'orbit' });
  clock.advance(13 * 60 * 60_000);
  const old = webClient(sandbox, String(access.access_token));
  expect(await errorOf(old.users.list({ team_id: orbit.team }))).toBe('token_expired');
  const renewed = await installerClient(sandbox).oauth.v2.access({
    ...CLIENT,
    grant_type: 'refresh_token',
    refresh_token: String(access.refresh_token),
  });
  expect(renewed).toMatchObject({ team: null, is_enterprise_install: true });
  const client = webClient(sandbox, String(renewed.access_token));
  expect((await client.users.list({ team_id: orbit.team })).ok).toBe(true);
  const own = await installApp(sandbox, { team: 'solar', user: 'sol', scope: 'chat:write' });
  expect(own).toMatchObject({
    is_enterprise_install: false,
    enterprise: { name: 'Group' },
    team: { name: 'Solar' },
  });
});
