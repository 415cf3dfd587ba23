import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { until } from '../harness/until.ts';
import { startWorld } from '../harness/world.ts';
import { startTestService } from '../service/harness.ts';
import { choose, openSettings, openSettingsAsAdmin, type } from './open-settings.ts';
import { isAsWide } from './open-page.ts';

const browser = useBrowser();
const TEAM = 'T0DESKBRDG';

const error = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
const names = (page: Page) =>
  page.getByRole('table', { name: 'People' }).getByRole('rowheader').allInnerTexts();

test('B10 a user without a chat account is found, distinguished from others of the same name, and linked without creating, taking over or overwriting a record', async () => {
  const world = await startWorld();
  const { service } = world;
  const { items } = await service.listUsers({ query: { limit: 100 } });
  const unlinked = items.filter(({ isBot, chatUsers }) => !isBot && chatUsers.length === 0);
  const lena = unlinked.find(({ email }) => email === 'lena@acme.example');
  const lenaNow = () => service.readUser({ params: { id: lena?.id ?? '' } });
  const { page, problems } = await openSettingsAsAdmin(browser, world, 'people');

  await page.getByText(`${unlinked.length} people here have no Slack account`).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Show them' }).click();
  await page.getByText(`${unlinked.length} people`, { exact: true }).waitFor();
  // Their initials come before the name, an absence comes after it.
  const shown = (await names(page)).map((name) => name.split('\n').find((line) => line.includes(' ')));
  expect(shown).toEqual(unlinked.map(({ firstName, lastName }) => `${firstName} ${lastName}`).sort());

  // By words of several names, then by a chat account.
  const search = page.getByRole('searchbox', { name: 'Search people' });
  await search.fill('hoffmann lena');
  await until('one person', async () => /^[^,]*Lena Hoffmann$/.test((await names(page)).join()));
  await choose(page, 'Show', 'Everyone');
  await search.fill('U0ADAREYES');
  await until('whose account it is', async () => /^[^,]*Ada Reyes$/.test((await names(page)).join()));
  // Accounts by their names: ids say nothing to people.
  const account = page.getByRole('table', { name: 'People' }).locator('td[data-title="Slack accounts"]');
  expect((await account.allInnerTexts()).map((text) => text.toLowerCase())).toEqual(['ada reyes']);
  expect(await page.getByRole('main').innerText()).not.toMatch(/U0ADAREYES|T0DESKBRDG/);
  await search.fill('lena');
  await page.getByRole('link', { name: /Lena Hoffmann/ }).click();
  await page.getByText('they get no direct messages').waitFor();
  expect(await axeFindings(page)).toEqual([]);

  // Another user's account cannot be linked; the typed text stays.
  await page.getByRole('button', { name: 'Enter a member ID instead' }).click();
  const member = page.getByLabel('Member ID');
  // The workspace of the others, by its name.
  await page.getByRole('button', { name: 'Slack workspace: Acme' }).waitFor();
  expect(await page.getByRole('main').innerText()).not.toContain(TEAM);
  await member.fill('u0adareyes');
  await page.getByRole('button', { name: 'Link account' }).click();
  await error(page, 'This account is Ada Reyes’s');
  expect([await member.inputValue(), (await lenaNow()).chatUsers]).toEqual(['u0adareyes', []]);
  await member.fill('U0LENAHOFF');
  await page.getByRole('button', { name: 'Link account' }).click();
  await page.locator('code', { hasText: 'U0LENAHOFF' }).waitFor();
  expect((await lenaNow()).chatUsers).toMatchObject([{ chatUserId: 'U0LENAHOFF', chatTeamId: TEAM }]);

  // Each field is written by itself: a concurrent change of another user stays.
  await service.createUser({
    body: { email: 'lena@acme.example', firstName: 'Lena', lastName: 'Hoffmann-Ruiz' },
  });
  await type(page.getByLabel('First name'), 'Magdalena');
  await page.getByRole('heading', { name: 'Magdalena Hoffmann-Ruiz' }).waitFor();
  await type(page.getByLabel('E-mail'), DEMO.people.mira.email);
  await error(page, 'Mira Lind already has this e-mail address');
  await type(page.getByLabel('E-mail'), 'magdalena@acme.example');
  await until('the e-mail', async () => (await lenaNow()).email === 'magdalena@acme.example');
  expect(await lenaNow()).toMatchObject({ firstName: 'Magdalena', lastName: 'Hoffmann-Ruiz' });
  await type(page.getByLabel('Picture'), 'https://acme.example/lena.png');
  await until('the picture', async () => (await lenaNow()).image === 'https://acme.example/lena.png');
  expect((await service.listUsers({ query: { limit: 1 } })).totalCount).toBe(items.length);

  // A new person becomes a user, and a known e-mail does not create one. The list is as it was left.
  await page.getByRole('link', { name: 'People' }).last().click();
  expect(await search.inputValue()).toBe('lena');
  await page.getByRole('button', { name: 'Add person' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add person' });
  await dialog.getByLabel('First name').fill('Noor');
  await dialog.getByLabel('Last name').fill('Haddad');
  await dialog.getByLabel('E-mail').fill(DEMO.people.mira.email.toUpperCase());
  await dialog.getByRole('button', { name: 'Add person' }).click();
  await error(page, 'Mira Lind already has this e-mail address');
  await dialog.getByLabel('E-mail').fill('noor@acme.example');
  await dialog.getByRole('button', { name: 'Add person' }).click();
  await page.getByRole('heading', { name: 'Noor Haddad' }).waitFor();
  expect((await service.listUsers({ query: { limit: 1 } })).totalCount).toBe(items.length + 1);

  // On a phone in dark mode; and with a service that does not let the desk change people.
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect([await isAsWide(page), await axeFindings(page)]).toEqual([true, []]);
  // Pictures of other servers cannot be read here: their people have initials.
  expect(problems.filter((each) => !/401|502/.test(each))).toEqual([]);
  await page.route('**/desk/api/users/*', (route) =>
    route.fulfill({ status: 404, json: { code: 'NOT_FOUND', message: 'No such operation.' } }),
  );
  await type(page.getByLabel('Last name'), 'Haddad-Lund');
  await error(page, 'This service does not allow changing people');
  expect(await page.getByLabel('Last name').inputValue()).toBe('Haddad-Lund');
});

test('a role that was chosen and not saved is not lost without a question, wherever the person goes', async () => {
  const world = await startWorld();
  const { items } = await world.service.listUsers({ query: { search: 'Lena' } });
  const { page, problems } = await openSettingsAsAdmin(browser, world, 'people');
  await page.getByRole('link', { name: /Lena Hoffmann/ }).click();
  const ask = page.getByRole('dialog', { name: 'Leave without saving?' });
  const role = page.getByRole('radio', { name: /^Agent/ });
  await page.getByText('Works on the tickets of their queues').click();
  await page.getByText('Not saved yet.').waitFor();
  // By a link, by a key, and by the browser's own button.
  const ways: [string, () => Promise<unknown>][] = [
    ['a link', () => page.getByRole('link', { name: 'Queues', exact: true }).click()],
    ['a key', () => page.keyboard.press('g').then(() => page.keyboard.press('o'))],
    ['back', () => page.evaluate('history.back()')],
  ];
  for (const [, leave] of ways) {
    await leave();
    await ask.waitFor();
    expect(await axeFindings(page, { every: true })).toEqual([]);
    await page.getByRole('button', { name: 'Keep editing' }).and(page.locator(':focus')).press('Enter');
    await ask.waitFor({ state: 'detached' });
    expect(await role.isChecked()).toBe(true);
  }
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.getByRole('link', { name: 'People' }).last().click();
  await ask.waitFor();
  expect([await isAsWide(page), await axeFindings(page, { every: true })]).toEqual([true, []]);
  await ask.getByRole('button', { name: 'Leave without saving' }).click();
  await page.getByRole('searchbox', { name: 'Search people' }).waitFor();
  expect((await world.service.readUser({ params: { id: items[0]?.id ?? '' } })).role).toBe('requester');
  // Saved, or as it was, nothing is asked.
  await page.getByRole('link', { name: /Lena Hoffmann/ }).click();
  await page.getByText('Works on the tickets of their queues').click();
  await page.getByRole('button', { name: 'Save access' }).click();
  await page.getByRole('button', { name: 'Save access' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'People' }).last().click();
  await page.getByRole('searchbox', { name: 'Search people' }).waitFor();
  expect(problems.filter((each) => !/401|502/.test(each))).toEqual([]);
});

test('a chat account is found by name and handle, without bots and deactivated people; where chat lists nobody, its ID is typed', async () => {
  const world = await startWorld();
  const { chat, service } = world;
  const add = async (name: string) =>
    (await chat.post<{ user: string }>('add-person', { name, firstName: 'Lena', lastName: 'Hoffmann' })).user;
  const [account, old] = [await add('lena.h'), await add('lena.old')];
  await chat.post('change-person', { user: old, deleted: true });
  await chat.post('add-bot', { name: 'lenabot' });
  const { items } = await service.listUsers({ query: { search: 'Lena' } });
  const { page, problems } = await openSettingsAsAdmin(browser, world, `people/${items[0]?.id ?? ''}`);
  const member = page.getByRole('button', { name: /^Slack account: / });
  const options = page.locator('[role=listbox]').getByRole('option');
  const search = async (text: string, ...found: string[]) => {
    await member.click();
    await page.getByRole('dialog').getByRole('searchbox').fill(text);
    await until(
      text,
      async () => (await options.allInnerTexts()).join().replaceAll('\n', ' ') === found.join(),
    );
  };

  await search('lena', 'Lena Hoffmann @lena.h');
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await page.keyboard.press('Escape');
  await search('@ada', 'Ada Reyes @ada');
  await options.and(page.locator('[data-focused]')).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Link account' }).click();
  await error(page, 'This account is Ada Reyes’s');
  await search('hoffmann le', 'Lena Hoffmann @lena.h');
  await options.click();
  await page.getByRole('button', { name: 'Slack account: Lena Hoffmann' }).waitFor();
  await page.getByRole('button', { name: 'Link account' }).click();
  await page.locator('code', { hasText: account }).waitFor();
  const linked = await service.readUser({ params: { id: items[0]?.id ?? '' } });
  expect(linked.chatUsers).toMatchObject([{ chatUserId: account, chatTeamId: TEAM }]);
  await page.setViewportSize({ width: 360, height: 740 });
  expect([await isAsWide(page), await axeFindings(page, { every: true })]).toEqual([true, []]);
  expect(problems.filter((each) => !each.includes('401'))).toEqual([]);

  const alone = await startTestService();
  const { body: noor } = await alone.call('POST', '/users', {
    body: { firstName: 'Noor', email: 'noor@acme.example' },
  });
  const { page: other } = await openSettings(browser, alone, `people/${noor.id}`);
  await other.getByLabel('Member ID').fill('U0NOORHADD');
  await other.getByLabel('Slack workspace').fill(TEAM);
  await other.getByRole('button', { name: 'Link account' }).click();
  await other.locator('code', { hasText: 'U0NOORHADD' }).waitFor();
});

test('the accounts with which a person signs in are listed and removed; without the operation there is no list', async () => {
  const world = await startWorld();
  const { items } = await world.service.listUsers({ query: { search: 'Lena' } });
  const { page } = await openSettingsAsAdmin(browser, world, `people/${items[0]?.id ?? ''}`);
  const title = page.getByRole('heading', { name: 'Signs in with' });
  await page.getByText('None yet. A sign-in link').waitFor();
  const identity = {
    id: 'idn_1',
    issuer: 'https://slack.com',
    subject: 'U0LENAHOFF',
    email: 'lena@acme.example',
    teamId: TEAM,
    teamName: 'Acme',
    lastUsedAt: new Date(0).toISOString(),
  };
  // The same person in another Slack workspace, and with a provider that named no address.
  const others = [
    { ...identity, id: 'idn_2', email: null, teamId: 'T0OTHER', teamName: null },
    { ...identity, id: 'idn_3', issuer: 'https://sso.acme.example', teamId: null, teamName: null },
  ];
  let left = [identity, ...others];
  await page.route('**/desk/api/identities*', (route) =>
    route.fulfill({ json: { items: left, totalCount: left.length } }),
  );
  await page.route('**/desk/api/identities/idn_1', (route) => {
    left = others;
    return route.fulfill({ json: identity });
  });
  await page.reload();
  await page.setViewportSize({ width: 390, height: 800 });
  await page.emulateMedia({ colorScheme: 'dark' });
  const listed = page.getByRole('region', { name: 'Signs in with' }).getByRole('listitem');
  await listed.first().waitFor();
  expect((await listed.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
    expect.stringMatching(/^Slack, workspace Acme lena@acme.example · last used/),
    expect.stringMatching(/^Slack, workspace T0OTHER Account U0LENAHOFF · last used/),
    expect.stringMatching(/^sso.acme.example lena@acme.example · last used/),
  ]);
  expect([await isAsWide(page), await axeFindings(page, { every: true })]).toEqual([true, []]);
  await page
    .getByRole('button', { name: 'Remove the sign-in with lena@acme.example, Slack, workspace Acme' })
    .click();
  const dialog = page.getByRole('dialog', { name: 'Remove this sign-in?' });
  await dialog.getByText('lena@acme.example, Slack, workspace Acme').waitFor();
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await until('it to be gone', async () => (await listed.count()) === others.length);
  await page.route('**/desk/api/identities*', (route) =>
    route.fulfill({ status: 404, json: { code: 'NOT_FOUND', message: 'No such operation.' } }),
  );
  await page.reload();
  await page.getByRole('heading', { name: 'Slack accounts' }).waitFor();
  await title.waitFor({ state: 'detached' });
});
