import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

import { expect, test } from 'vitest';

import { returnPath } from '../../../src/service/sign-in/return-path.ts';
import { refusalOf, signIn, untilCallback } from './browser.ts';
import { linkFor } from './link-for.ts';
import { MIRA, type SignInWorld, signInWorld } from './world.ts';

test.for([
  ['/', '/'],
  ['/#tickets/IT-5', '/#tickets/IT-5'],
  ['/desk?a=1#b', '/desk?a=1#b'],
  ['https://evil.example/', '/'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['\\\\evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['/.//evil.example', '/'],
  ['/a/..//evil.example', '/'],
  ['javascript:alert(1)', '/'],
  ['@evil.example', '/'],
  ['', '/'],
  [`/${'x'.repeat(8_000)}`, '/'],
  [['/a', '/b'], '/'],
  [undefined, '/'],
] as const)('a person who wants to go to %j after signing in goes to %s', ([wanted, path]) => {
  expect(returnPath(wanted, 'https://desk.example')).toBe(path);
});

test('nobody is sent to another site after signing in (open redirect)', async () => {
  const world = await signInWorld();
  world.idp.claims.set('mira', MIRA);
  await world.user(MIRA.email);
  const end = await signIn(world.newBrowser(), { returnTo: '//evil.example/' });
  expect(end.headers.get('location')).toBe('/');
});

test('a sign-in that starts at localhost goes on at the address that the provider knows', async () => {
  const world = await signInWorld();
  const { port } = new URL(world.url);
  const path = '/auth/start/oidc?returnTo=%2F%23a';
  // fetch sets the host itself.
  const asked = request({ host: '127.0.0.1', port, path, headers: { host: 'localhost' } }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.destroy();
  expect([answer.statusCode, answer.headers.location]).toEqual([302, `http://127.0.0.1${path}`]);
});

/**
 * Starts sign-ins until one is refused; returns how many were not. The clock is stopped: on a slow machine, a limit
 * would allow more in the meantime.
 */
async function startsUntilLimited(
  { clock }: SignInWorld,
  start: (n: number) => Promise<string | undefined>,
): Promise<number> {
  clock.stop();
  for (let n = 0; n < 200; n++) if ((await start(n)) === 'limited') return n;
  return Infinity;
}

test('an address may try sixty times a minute, whatever X-Forwarded-For says', async () => {
  const world = await signInWorld();
  const browser = world.newBrowser();
  const start = async (n: number) =>
    refusalOf(await browser.visit('/auth/start/oidc', { headers: { 'x-forwarded-for': `10.0.0.${n}` } }));
  expect(await startsUntilLimited(world, start)).toBe(60);
  expect((await browser.visit('/auth/providers')).status).toBe(200);
  world.clock.pass(60_000);
  expect(await start(0)).toBeUndefined();
});

test.for([
  ['wrong links', '/auth/link?code=x'],
  ['links of nobody', `/auth/link?code=${'a'.repeat(43)}`],
  ['answers without a start', '/auth/callback/oidc?code=x&state=y'],
  ['unknown providers', '/auth/start/nobody'],
] as const)('%s are limited, and keep nobody at the same address from signing in', async ([, path]) => {
  const world = await signInWorld();
  world.idp.claims.set('mira', MIRA);
  const mira = await world.user(MIRA.email);
  const wrong = async () => refusalOf(await world.newBrowser().visit(path));
  expect(await startsUntilLimited(world, wrong)).toBe(60);
  const browser = world.newBrowser();
  expect(refusalOf(await signIn(browser))).toBeUndefined();
  expect(await world.personOf(browser.cookie('deskbridge_session')?.value)).toBe(mira);
  const link = new URL((await linkFor(world, { email: MIRA.email })).url);
  expect((await world.newBrowser().visit(link.pathname + link.search)).status).toBe(200);
});

test('behind one proxy, the address that it names counts, and none that the client wrote', async () => {
  const world = await signInWorld({ trustedProxies: 1 });
  const browser = world.newBrowser();
  const start = (headers: Record<string, string>) => async () =>
    refusalOf(await browser.visit('/auth/link?code=x', { headers }));
  expect(await startsUntilLimited(world, start({ 'x-forwarded-for': '10.0.0.1' }))).toBe(60);
  expect(await start({ 'x-forwarded-for': '10.0.0.2, 10.0.0.1' })()).toBe('limited');
  expect(await start({ 'x-forwarded-for': '10.0.0.1, 10.0.0.2' })()).toBe('expired');
  expect(await start({})()).toBe('expired');
});

test('a person may sign in ten times a minute, from whatever addresses', async () => {
  const world = await signInWorld({ trustedProxies: 1 });
  world.idp.claims.set('mira', MIRA);
  const mira = await world.user(MIRA.email);
  const start = async (n: number) => {
    const browser = world.newBrowser();
    const callback = await untilCallback(browser);
    return refusalOf(await browser.visit(callback.href, { headers: { 'x-forwarded-for': `10.0.1.${n}` } }));
  };
  expect(await startsUntilLimited(world, start)).toBe(10);
  const { body } = await world.call('GET', '/audit-entries?action=sign-in.refused');
  expect(body.items).toMatchObject([
    { subjectId: mira, reason: expect.stringContaining('too often') as string },
  ]);
  const sessions = await world.tables.selectFrom('session').select(['address']).execute();
  expect(new Set(sessions.map(({ address }) => address)).size).toBe(10);
});
