import { expect, test } from 'vitest';

import { pruneDeliveries } from '../../../src/service/upkeep/retention.ts';
import { pruneSignIns } from '../../../src/service/sign-in/retention.ts';
import { type Browser, refusalOf } from './browser.ts';
import { linkFor } from './link-for.ts';
import { signInWorld } from './world.ts';

const TEN_MINUTES = 10 * 60_000;
const sessionOf = (browser: Browser) => browser.cookie('deskbridge_session')?.value;

/** Opens a link and presses its button. */
async function press(browser: Browser, url: string, headers: Record<string, string> = SAME_ORIGIN) {
  const code = new URL(url).searchParams.get('code') ?? '';
  return browser.visit('/auth/link', { method: 'POST', form: { code }, headers });
}
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

test('the first link makes an admin, by one press of its button', async () => {
  const world = await signInWorld();
  const { url, role } = await linkFor(world, { email: 'mira@acme.example' });
  expect(role).toBe('admin');
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1\/auth\/link\?code=[\w-]{43}$/);
  const browser = world.newBrowser();
  const page = await browser.visit(url);
  expect(page.text).toContain('<h1>Sign in as mira (mira@acme.example)</h1>');
  expect(page.text).not.toMatch(/<script| on\w+=/);
  expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*form-action 'self'/);
  expect(page.headers.get('referrer-policy')).toBe('same-origin');
  expect(sessionOf(browser)).toBeUndefined();
  const pressed = await press(browser, url);
  expect([pressed.status, pressed.location]).toEqual([303, 'http://127.0.0.1/']);
  const person = await world.personOf(sessionOf(browser));
  const row = await world.tables
    .selectFrom('person')
    .select(['role', 'email'])
    .where('id', '=', person ?? '')
    .executeTakeFirst();
  expect(row).toEqual({ role: 'admin', email: 'mira@acme.example' });
  const { body } = await world.call('GET', '/audit-entries?subjectId=' + (person ?? ''));
  expect((body.items as unknown as { action: string }[]).map(({ action }) => action).sort()).toEqual([
    'sign-in-link.created',
    'user.role-changed',
  ]);
});

test('a link works once, for ten minutes, and however often it is looked at', async () => {
  const world = await signInWorld();
  const { url } = await linkFor(world, { email: 'mira@acme.example' });
  const browser = world.newBrowser();
  await browser.visit(url);
  await browser.visit(url);
  const [one, two] = await Promise.all([press(world.newBrowser(), url), press(world.newBrowser(), url)]);
  expect([refusalOf(one), refusalOf(two)].sort()).toEqual(['expired', undefined]);
  expect(refusalOf(await browser.visit(url))).toBe('expired');
  const late = await linkFor(world, { email: 'mira@acme.example' });
  world.clock.pass(TEN_MINUTES);
  expect(refusalOf(await browser.visit(late.url))).toBe('expired');
  expect(refusalOf(await press(browser, late.url))).toBe('expired');
  expect(refusalOf(await press(browser, 'http://127.0.0.1/?code=guessed'))).toBe('expired');
  const { url: third } = await linkFor(world, { email: 'mira@acme.example' });
  expect(JSON.stringify(await world.tables.selectFrom('sign_in_link').selectAll().execute())).not.toContain(
    new URL(third).searchParams.get('code'),
  );
});

test('the form of another page is refused, and a deactivated person', async () => {
  const world = await signInWorld();
  const { url } = await linkFor(world, { email: 'mira@acme.example' });
  const browser = world.newBrowser();
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    {},
  ])
    expect(refusalOf(await press(browser, url, headers))).toBe('failed');
  expect(sessionOf(browser)).toBeUndefined();
  await world.tables
    .updateTable('person')
    .set({ deactivated_at: new Date() })
    .where('role', '=', 'admin')
    .execute();
  expect(refusalOf(await press(browser, url))).toBe('deactivated');
  await expect(linkFor(world, { email: 'mira@acme.example' })).rejects.toThrow('is deactivated');
});

test('the same origin may be named by Origin, where a browser sends no Sec-Fetch-Site', async () => {
  const world = await signInWorld();
  const { url } = await linkFor(world, { email: 'mira@acme.example' });
  const origin = new URL(world.url).origin;
  expect(refusalOf(await press(world.newBrowser(), url, { origin }))).toBeUndefined();
});

test('where there is an admin, a link is for a user, and a role creates one', async () => {
  const world = await signInWorld();
  await linkFor(world, { email: 'mira@acme.example' });
  await world.user('ada@acme.example');
  expect((await linkFor(world, { email: 'ADA@acme.example' })).role).toBe('requester');
  await expect(linkFor(world, { email: 'sam@acme.example' })).rejects.toThrow('No user has the e-mail');
  expect((await linkFor(world, { email: 'sam@acme.example', role: 'agent' })).role).toBe('agent');
  expect((await linkFor(world, { email: 'sam@acme.example' })).role).toBe('agent');
  expect((await linkFor(world, { email: 'ada@acme.example', role: 'agent' })).role).toBe('agent');
  const roles = await world.tables
    .selectFrom('person')
    .select(['email', 'role'])
    .where('email', 'is not', null)
    .orderBy('email')
    .execute();
  expect(roles).toEqual([
    { email: 'ada@acme.example', role: 'agent' },
    { email: 'mira@acme.example', role: 'admin' },
    { email: 'sam@acme.example', role: 'agent' },
  ]);
  await expect(linkFor(world, { email: 'mira@acme.example', role: 'agent' })).rejects.toThrow('is an admin');
  await expect(linkFor(world, { email: 'mira@acme.example', workspace: 'none' })).rejects.toThrow(
    'There is no workspace none.',
  );
  expect((await linkFor(world, { email: 'mira@acme.example', workspace: 'help-desk' })).role).toBe('admin');
});

test('the link of the start is for the first admin', async () => {
  const world = await signInWorld();
  expect(await world.service.adminLink()).toBeUndefined();
  await linkFor(world, { email: 'mira@acme.example' });
  const browser = world.newBrowser();
  const link = await world.service.adminLink();
  expect(link?.name).toBe('mira (mira@acme.example)');
  await press(browser, link?.url ?? '');
  expect(await world.personOf(sessionOf(browser))).toBeDefined();
});

test('expired links and sign-ins are deleted, and no others', async () => {
  const world = await signInWorld();
  const left = async () => {
    const count = (table: 'sign_in_link' | 'sign_in_flow') =>
      world.tables.selectFrom(table).select('hash').execute();
    return [(await count('sign_in_link')).length, (await count('sign_in_flow')).length];
  };
  await linkFor(world, { email: 'mira@acme.example' });
  await world.newBrowser().visit('/auth/start/oidc');
  world.clock.pass(TEN_MINUTES - 1_000);
  await linkFor(world, { email: 'mira@acme.example' });
  await world.newBrowser().visit('/auth/start/oidc');
  world.clock.pass(1_000);
  await pruneSignIns(world.tables, world.clock.now());
  expect(await left()).toEqual([1, 1]);
  await pruneDeliveries(world.tables, world.clock.now());
  expect(await left()).toEqual([1, 1]);
});
