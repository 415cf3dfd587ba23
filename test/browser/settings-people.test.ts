import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { until } from '../harness/until.ts';
import { startWorld } from '../harness/world.ts';
import { isAsWide, openSettingsAsAdmin } from './open-page.ts';

const browser = useBrowser();
const TEAM = 'T0DESKBRDG';

const refusal = (page: Page, text: string | RegExp) => page.locator('.refusal', { hasText: text }).waitFor();
const names = (page: Page) => page.locator('.people strong').allTextContents();

test('B10 a user without a chat account is found, distinguished from others of the same name, and linked without creating, taking over or overwriting a record', async () => {
  const world = await startWorld();
  const { service } = world;
  const { items } = await service.listUsers({ query: { limit: 100 } });
  const unlinked = items.filter(({ isBot, chatUsers }) => !isBot && chatUsers.length === 0);
  const lena = unlinked.find(({ email }) => email === 'lena@acme.example');
  const lenaNow = () => service.readUser({ params: { id: lena?.id ?? '' } });
  const { page, problems } = await openSettingsAsAdmin(browser, world, 'people');

  await page.getByText(`${unlinked.length} people here have no chat account`).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Show them' }).click();
  await page.getByText(`Shown: ${unlinked.length} of ${items.length}.`).waitFor();
  expect(await names(page)).toEqual(
    unlinked.map(({ firstName, lastName }) => `${firstName} ${lastName}`).sort(),
  );

  // By words of several names, then by a chat account.
  await page.getByLabel('Search').fill('hoffmann lena');
  await until('one person', async () => (await names(page)).join() === 'Lena Hoffmann');
  await page.getByRole('combobox', { name: 'Who', exact: true }).selectOption('all');
  await page.getByLabel('Search').fill('U0ADAREYES');
  await until('whose account it is', async () => (await names(page)).join() === 'Ada Reyes');
  await page.getByLabel('Search').fill('lena');
  await page.getByRole('link', { name: /Lena Hoffmann/ }).click();
  await page.getByText('no approvals to decide').waitFor();
  expect(await axeFindings(page)).toEqual([]);

  // Another user's account cannot be linked; the typed text stays.
  const member = page.getByLabel('Member ID');
  expect(await page.getByLabel('Chat workspace').inputValue()).toBe(TEAM);
  await member.fill('u0adareyes');
  await page.getByRole('button', { name: 'Link account' }).click();
  await refusal(page, 'This account is Ada Reyes’s');
  expect([await member.inputValue(), (await lenaNow()).chatUsers]).toEqual(['u0adareyes', []]);
  await member.fill('U0LENAHOFF');
  await page.getByRole('button', { name: 'Link account' }).click();
  await page.locator('.accounts code', { hasText: 'U0LENAHOFF' }).waitFor();
  expect((await lenaNow()).chatUsers).toMatchObject([{ chatUserId: 'U0LENAHOFF', chatTeamId: TEAM }]);

  // A concurrent change of another user is shown, not overwritten.
  await service.createUser({
    body: { email: 'lena@acme.example', firstName: 'Lena', lastName: 'Hoffmann-Ruiz' },
  });
  await page.getByLabel('First name').fill('Magdalena');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await refusal(page, 'Another user changed this record');
  await until(
    'their change',
    async () => (await page.getByLabel('Last name').inputValue()) === 'Hoffmann-Ruiz',
  );
  expect(await page.getByLabel('First name').inputValue()).toBe('Magdalena');
  await page.getByLabel('E-mail').fill(DEMO.people.mira.email);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await refusal(page, 'Mira Lind has this e-mail already');
  await page.getByLabel('E-mail').fill('magdalena@acme.example');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { name: 'Magdalena Hoffmann-Ruiz' }).waitFor();
  expect(await lenaNow()).toMatchObject({ firstName: 'Magdalena', email: 'magdalena@acme.example' });
  expect((await service.listUsers({ query: { limit: 1 } })).totalCount).toBe(items.length);

  // A new person becomes a user, and a known e-mail does not create one.
  await page.getByRole('link', { name: 'All people' }).click();
  // A person's page has fields with the same names.
  await page.getByRole('button', { name: 'Add person' }).waitFor();
  const add = async (email: string) => {
    await page.getByLabel('First name').fill('Noor');
    await page.getByLabel('Last name').fill('Haddad');
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('button', { name: 'Add person' }).click();
  };
  await add(DEMO.people.mira.email.toUpperCase());
  await refusal(page, 'Mira Lind has this e-mail already');
  await add('noor@acme.example');
  await page.getByRole('heading', { name: 'Noor Haddad' }).waitFor();
  expect((await service.listUsers({ query: { limit: 1 } })).totalCount).toBe(items.length + 1);

  // On a phone in dark mode; and with a service that does not let the desk change people.
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect([await isAsWide(page), await axeFindings(page)]).toEqual([true, []]);
  expect(problems.filter((each) => !each.includes('401'))).toEqual([]);
  await page.route('**/desk/api/users', (route) =>
    route.fulfill({ status: 404, json: { code: 'NOT_FOUND', message: 'No such operation.' } }),
  );
  await page.getByLabel('Last name').fill('Haddad-Lund');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await refusal(page, 'This service does not let the desk change people');
  expect(await page.getByLabel('Last name').inputValue()).toBe('Haddad-Lund');
}, 120_000);
