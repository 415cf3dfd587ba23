import { expect, onTestFinished, test } from 'vitest';

import { Installations, OrganisationChannels, tokenOf } from '../../../src/bridge/index.ts';
import { createWebClient, SERVED_ELSEWHERE } from '../../../src/bridge/slack/client.ts';
import { teamsOf } from '../../../src/bridge/installations/organisation.ts';
import { createLog } from '../../../src/platform/log.ts';
import { createSealing } from '../../../src/platform/sealing.ts';
import { authorizeUrl, CLIENT, installerClient, REDIRECT } from '../../sandbox/install-app.ts';
import { HeldClock, openSandbox, SEED } from '../../sandbox/open-sandbox.ts';
import { installationsDatabase } from './database.ts';

const log = createLog({ level: 'silent', pretty: false });
const sealing = createSealing([Buffer.alloc(32, 1)]);
const GROUP = {
  id: 'E0GROUP',
  name: 'Group',
  isOrganisation: true,
  scopes: [],
  installedBy: 'U0',
  botToken: 'xoxb-1',
};
const ACME = { id: 'T0ACME', name: 'Acme' };
const ORBIT = { id: 'T0ORBIT', name: 'Orbit' };

async function opened(clock = new HeldClock(), databaseUrl?: string) {
  const url = databaseUrl ?? (await installationsDatabase());
  const installations = await Installations.open({ databaseUrl: url, sealing, clock, log });
  onTestFinished(() => installations.close());
  return { clock, installations };
}

const teams = async (installations: Installations) => (await installations.all()).map(({ team }) => team);

test('P10 an organisation adds the workspaces that allow the app, each with its own schema and all with one token', async () => {
  const { clock, installations } = await opened();
  await installations.save(GROUP);
  expect(await installations.all()).toEqual([]);
  await installations.open('E0GROUP', [ACME, ORBIT]);
  const installedAt = clock.now();
  expect(await installations.all()).toEqual(
    [ACME, ORBIT].map(({ id, name }) => ({
      team: id,
      name,
      schema: `bridge_${id.toLowerCase()}`,
      installation: 'E0GROUP',
      organisation: 'E0GROUP',
      installedAt,
    })),
  );
  clock.advance(1_000);
  await installations.open('E0GROUP', [ACME]);
  expect(await teams(installations)).toEqual(['T0ACME']);
  await installations.open('E0GROUP', [ACME, ORBIT]);
  const [acme, orbit] = await installations.all();
  // A workspace that stayed keeps its installation; the one that came back gets a new one.
  expect([acme?.installedAt, orbit?.installedAt]).toEqual([installedAt, clock.now()]);

  clock.advance(1_000);
  await installations.save({ ...GROUP, botToken: 'xoxb-2' });
  expect((await installations.all()).map((one) => one.installedAt)).toEqual([clock.now(), clock.now()]);
  expect(await installations.grant('E0GROUP')).toEqual({ botToken: 'xoxb-2' });
  await installations.remove('E0GROUP', new Date(clock.now().getTime() - 500));
  expect(await teams(installations)).toEqual(['T0ACME', 'T0ORBIT']);
  await installations.remove('E0GROUP', clock.now());
  expect([await teams(installations), await installations.organisations()]).toEqual([[], []]);
  await installations.open('E0GROUP', [ACME]);
  expect(await teams(installations)).toEqual([]);
  clock.advance(1_000);
  await installations.save(GROUP);
  // After a new installation, the allowed workspaces are read again.
  expect(await teams(installations)).toEqual([]);
});

test('P10 concurrent updates of an organisation’s workspaces do not deadlock over connections', async () => {
  const { installations } = await opened();
  await installations.save(GROUP);
  const atOnce = Array.from({ length: 6 }, () => installations.open('E0GROUP', [ACME, ORBIT]));
  await Promise.all(atOnce);
  expect(await teams(installations)).toEqual(['T0ACME', 'T0ORBIT']);
});

test('P10 a workspace that had installed the app by itself moves to its organisation with all of its data, and back', async () => {
  const { installations } = await opened();
  await installations.save({ ...GROUP, ...ACME, isOrganisation: false, botToken: 'xoxb-own' });
  await installations.save(GROUP);
  await installations.open('E0GROUP', [ACME]);
  expect(await installations.all()).toMatchObject([
    { team: 'T0ACME', schema: 'bridge_t0acme', installation: 'E0GROUP' },
  ]);
  await installations.save({ ...GROUP, ...ACME, isOrganisation: false, botToken: 'xoxb-own' });
  expect(await installations.all()).toMatchObject([
    { team: 'T0ACME', schema: 'bridge_t0acme', installation: 'T0ACME' },
  ]);
});

test('P10 a channel shared by workspaces is processed by the same one on all replicas, until that one is removed', async () => {
  const url = await installationsDatabase();
  const [{ installations }, { installations: other }] = [
    await opened(new HeldClock(), url),
    await opened(new HeldClock(), url),
  ];
  await installations.save(GROUP);
  await installations.open('E0GROUP', [ACME, ORBIT]);
  const [here, there] = [new OrganisationChannels(installations), new OrganisationChannels(other)];
  const asked = await Promise.all([
    here.homeOf('E0GROUP', 'C0SHARED', 'T0ACME'),
    there.homeOf('E0GROUP', 'C0SHARED', 'T0ORBIT'),
    here.homeOf('E0GROUP', 'C0SHARED', 'T0ORBIT'),
    there.homeOf('E0GROUP', 'C0SHARED', 'T0ACME'),
  ]);
  expect(new Set(asked).size).toBe(1);
  const [home] = asked;
  await installations.open('E0GROUP', [home === 'T0ACME' ? ORBIT : ACME]);
  for (const one of [here, there]) one.forget();
  const left = home === 'T0ACME' ? 'T0ORBIT' : 'T0ACME';
  expect(await here.homeOf('E0GROUP', 'C0SHARED', left)).toBe(left);
});

/**
 * An organisation of two workspaces in the sandbox that has installed the app, with a client for each
 * workspace.
 */
async function inSandbox() {
  const clock = new HeldClock();
  const sandbox = await openSandbox({ clock, seed: { ...SEED, app: { ...SEED.app, tokenRotation: true } } });
  const people = [{ name: 'zoe', role: 'owner' as const }];
  const channels = [{ name: 'it-help' }];
  const orbit = await sandbox.control.addWorkspace({ name: 'Orbit', domain: 'orbit', people, channels });
  const solar = await sandbox.control.addWorkspace({ name: 'Solar', domain: 'solar', people, channels });
  await sandbox.control.addOrganisation({ name: 'Group', domain: 'group', workspaces: ['orbit', 'solar'] });
  await sandbox.control.app({ redirectUrls: [REDIRECT] });
  const { redirect } = await sandbox.control.team('orbit').allow({
    url: authorizeUrl(sandbox, {
      scope: 'chat:write,channels:read,channels:join,im:read,im:write,users:read',
    }),
    user: 'zoe',
    forOrganisation: true,
  });
  const code = new URL(redirect).searchParams.get('code') ?? '';
  const access = await installerClient(sandbox).oauth.v2.access({ ...CLIENT, code, redirect_uri: REDIRECT });
  for (const team of ['orbit', 'solar']) await sandbox.control.teamAccess({ team });
  const { installations } = await opened(clock);
  const id = access.enterprise?.id ?? '';
  const token = access.access_token ?? '';
  await installations.save({
    ...GROUP,
    id,
    botToken: token,
    refresh: {
      token: access.refresh_token ?? '',
      expiresAt: new Date(clock.now().getTime() + (access.expires_in ?? 0) * 1000),
    },
  });
  await installations.open(id, await teamsOf(token, sandbox.apiUrl));
  const client = async (team: string, bearer = token) => {
    const installed = (await installations.all()).find((one) => one.team === team);
    const within = installed && new OrganisationChannels(installations).within(installed);
    if (!within) throw new Error(`${team} is of no organisation`);
    return createWebClient(bearer, sandbox.apiUrl, { within });
  };
  return { clock, sandbox, orbit, solar, id, installations, client };
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    (error: unknown) => (error as { code?: string }).code ?? String(error),
  );

test('P10 with an organisation’s token each workspace sees only its own channels; a shared one is seen by the workspace that processes it', async () => {
  const { sandbox, orbit, solar, client } = await inSandbox();
  const [inOrbit, inSolar] = [await client(orbit.team), await client(solar.team)];
  const [of, its] = [orbit.channels['it-help'] ?? '', solar.channels['it-help'] ?? ''];
  await inOrbit.conversations.join({ channel: of });
  await inSolar.conversations.join({ channel: its });
  expect((await inOrbit.chat.postMessage({ channel: of, text: 'x' })).ok).toBe(true);
  expect(await codeOf(inSolar.chat.postMessage({ channel: of, text: 'x' }))).toBe('channel_not_found');
  expect(await codeOf(inSolar.conversations.info({ channel: of }))).toBe('channel_not_found');

  await sandbox.control.team('orbit').shareWithin({ channel: 'it-help', with: ['solar'] });
  const listed = async (one: typeof inOrbit) =>
    (await one.users.conversations({})).channels?.map((channel) => channel.id);
  expect(await listed(inOrbit)).toEqual([of]);
  expect(await listed(inSolar)).toEqual([its]);
  expect(await codeOf(inSolar.chat.postMessage({ channel: of, text: 'twice' }))).toBe('channel_not_found');
});

test('P10 a person’s direct conversation in one workspace is not opened in another one of the organisation', async () => {
  const { orbit, client, installations, id, solar } = await inSandbox();
  const inOrbit = await client(orbit.team);
  const zoe = orbit.people['zoe'] ?? '';
  const { channel } = await inOrbit.conversations.open({ users: zoe });
  const direct = channel?.id ?? '';
  expect(await installations.homeOf(id, direct, solar.team)).toBe(orbit.team);
  const elsewhere = await client(solar.team);
  // Each person of the sandbox belongs to one workspace, so the other workspace's id leads to the same
  // conversation.
  expect(await codeOf(elsewhere.conversations.open({ users: zoe, team_id: orbit.team } as never))).toBe(
    SERVED_ELSEWHERE,
  );
});

test('P10 the token of an organisation is renewed once for all workspaces that need it at the same time', async () => {
  const { clock, sandbox, installations, id, orbit, client } = await inSandbox();
  const credentials = { clientId: CLIENT.client_id, clientSecret: CLIENT.client_secret };
  const token = () => tokenOf(installations, id, { clock, apiUrl: sandbox.apiUrl, credentials });
  const [one, other] = [token(), token()];
  const before = await one();
  clock.advance(11.5 * 60 * 60_000);
  const [renewed, same] = await Promise.all([one(), other()]);
  expect(renewed).not.toBe(before);
  expect(same).toBe(renewed);
  clock.advance(60 * 60_000);
  const answer = await (await client(orbit.team, await one())).users.list({});
  expect(answer.ok).toBe(true);
});
