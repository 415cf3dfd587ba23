import { expect, test } from 'vitest';

import { Installations, tokenOf } from '../../../src/bridge/index.ts';
import { createLog } from '../../../src/platform/log.ts';
import { createSealing } from '../../../src/platform/sealing.ts';
import { CLIENT, installApp } from '../../sandbox/install-app.ts';
import { HeldClock, openSandbox, SEED, stopAfterTest, webClient } from '../../sandbox/open-sandbox.ts';
import { installationsDatabase } from './database.ts';

const HOUR_MS = 60 * 60 * 1000;
const log = createLog({ level: 'silent', pretty: false });

/**
 * The app, installed in the sandbox's workspace with a token that expires in twelve hours, and two replicas
 * that use it.
 */
async function installed() {
  const clock = new HeldClock();
  const sandbox = await openSandbox({ clock, seed: { ...SEED, app: { ...SEED.app, tokenRotation: true } } });
  const access = await installApp(sandbox);
  const databaseUrl = await installationsDatabase();
  const sealing = createSealing([Buffer.alloc(32, 1)]);
  const installations = await Installations.open({ databaseUrl, sealing, clock, log });
  stopAfterTest({ stop: () => installations.close() });
  const team = access.team?.id ?? '';
  await installations.save({
    id: team,
    name: 'Acme',
    isOrganisation: false,
    scopes: [],
    installedBy: 'U0ADAAA',
    botToken: access.access_token ?? '',
    refresh: {
      token: access.refresh_token ?? '',
      expiresAt: new Date(clock.now().getTime() + (access.expires_in ?? 0) * 1000),
    },
  });
  const credentials = { clientId: CLIENT.client_id, clientSecret: CLIENT.client_secret };
  const replica = () => tokenOf(installations, team, { clock, apiUrl: sandbox.apiUrl, credentials });
  return { clock, sandbox, installations, team, first: access.access_token, replica };
}

const isGood = async (sandbox: Parameters<typeof webClient>[0], token: string) =>
  (await webClient(sandbox, token).auth.test()).ok;

test('a token is renewed before it expires, once for two replicas that need it at the same time', async () => {
  const { clock, sandbox, first, replica } = await installed();
  const [one, other] = [replica(), replica()];
  expect(await Promise.all([one(), other()])).toEqual([first, first]);
  clock.advance(11.5 * HOUR_MS);
  const [renewed, same] = await Promise.all([one(), other()]);
  expect(renewed).not.toBe(first);
  expect(same).toBe(renewed);
  clock.advance(HOUR_MS);
  expect(await isGood(sandbox, await one())).toBe(true);
});

test('while the renewal fails, the old token is used until it expires, and Slack is not called for each use', async () => {
  const { clock, sandbox, first, replica } = await installed();
  const token = replica();
  sandbox.control.faults({
    faults: [{ method: 'oauth.v2.access', kind: 'error', error: 'internal_error', times: null }],
  });
  clock.advance(11.5 * HOUR_MS);
  expect(await token()).toBe(first);
  expect(await token()).toBe(first);
  const asked = () => sandbox.control.listFaults().faults[0]?.hits;
  expect(asked()).toBe(1);
  clock.advance(31_000);
  expect(await token()).toBe(first);
  expect(asked()).toBe(2);
  clock.advance(HOUR_MS);
  await expect(token()).rejects.toThrow('oauth.v2.access');
  sandbox.control.faults({ clear: true, faults: [] });
  clock.advance(31_000);
  expect(await isGood(sandbox, await token())).toBe(true);
});

test('an uninstall event does not remove an installation that was made after it; a reinstalled one keeps its schema', async () => {
  const { clock, installations, team, first } = await installed();
  const installedAt = clock.now();
  await installations.remove(team, new Date(clock.now().getTime() - 5_000));
  expect(await installations.all()).toEqual([
    { team, name: 'Acme', schema: `bridge_${team.toLowerCase()}`, installation: team, installedAt },
  ]);
  await installations.remove(team, new Date(clock.now().getTime() + 5_000));
  expect(await installations.all()).toEqual([]);
  expect(await installations.grant(team)).toBeUndefined();
  clock.advance(1_000);
  await installations.save({
    id: team,
    name: 'Acme Ltd',
    isOrganisation: false,
    scopes: [],
    installedBy: 'U0',
    botToken: first ?? '',
  });
  expect(await installations.all()).toEqual([
    {
      team,
      name: 'Acme Ltd',
      schema: `bridge_${team.toLowerCase()}`,
      installation: team,
      installedAt: clock.now(),
    },
  ]);
  await expect(
    installations.save({
      id: 't; drop',
      name: '',
      isOrganisation: false,
      scopes: [],
      installedBy: 'U0',
      botToken: '',
    }),
  ).rejects.toBeInstanceOf(TypeError);
});
