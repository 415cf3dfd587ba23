import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { sharedWorld } from '../harness/world.ts';
import { isAsWide, openDeskAs, openSettingsAsAdmin } from './open-page.ts';

const browser = useBrowser();
const world = sharedWorld();

const findings = (page: Page) => axeFindings(page, { every: true });
const userNamed = async (firstName: string) => {
  const { items } = await world.service.listUsers({ query: { search: firstName, limit: 1 } });
  return items[0]?.id ?? '';
};

test('the last admin’s controls are disabled and say why, until there is another one', async () => {
  const [mira, lena] = [await userNamed('Mira'), await userNamed('Lena')];
  const { page, problems } = await openSettingsAsAdmin(browser, world, `people/${mira}`);
  const why = page.getByText('Mira Lind is the only active admin. Make another person an admin before');
  await why.waitFor();
  const role = page.getByRole('group', { name: 'Role' });
  expect(await role.getByLabel('Requester').isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Deactivate' }).isDisabled()).toBe(true);
  const described = await role.getAttribute('aria-describedby');
  expect(await page.locator(`#${described ?? ''}`).innerText()).toBe(await why.innerText());
  expect(await findings(page)).toEqual([]);

  await page.goto(`${world.urls.root}/#/settings/people/${lena}`);
  await role.getByLabel('Admin').check();
  await page.getByRole('button', { name: 'Save access' }).click();
  await page.getByRole('button', { name: 'Save access' }).waitFor({ state: 'detached' });
  await page.goto(`${world.urls.root}/#/settings/people/${mira}`);
  await page.getByRole('heading', { name: 'Mira Lind' }).waitFor();
  await page.getByRole('button', { name: 'Deactivate' }).waitFor();
  expect([await why.count(), await role.getByLabel('Requester').isDisabled()]).toEqual([0, false]);
  // What is chosen and not saved says what it means for oneself.
  await role.getByLabel('Agent').check();
  await page.getByText('This is you: you lose access to the settings.').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(await role.getByLabel('Admin').isChecked()).toBe(true);
  // In a list they are found by what they may do.
  await page.getByRole('link', { name: 'All people' }).click();
  await page.getByRole('combobox', { name: 'Who', exact: true }).selectOption('Admins');
  await page.getByText(/^Shown: 2 of/).waitFor();
  expect(await page.locator('.people strong').allInnerTexts()).toEqual(['Lena Hoffmann', 'Mira Lind']);
  expect(await findings(page)).toEqual([]);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect([await isAsWide(page), await findings(page)]).toEqual([true, []]);
  expect(problems).toEqual([]);
});

test('an admin ends a person’s sessions and finds in the audit log who did what, by action, person and day', async () => {
  const sam = await openDeskAs(browser, world, { email: DEMO.people.sam.email });
  const samId = await userNamed('Sam');
  const { page, problems } = await openSettingsAsAdmin(browser, world, `people/${samId}`);
  await page.getByRole('button', { name: /^End the session Chrome/ }).click();
  await page.getByText('Signed in nowhere.').waitFor();
  await sam.page.getByText('Your session has ended').waitFor();
  await page.getByRole('group', { name: 'Role' }).getByLabel('Requester').check();
  await page.getByRole('button', { name: 'Save access' }).click();
  await page.getByRole('button', { name: 'Save access' }).waitFor({ state: 'detached' });

  await page.getByRole('link', { name: 'Audit log' }).click();
  const entries = page.locator('.audit > li');
  const first = entries.first();
  await first.getByText('Access changed').waitFor();
  expect(await first.innerText()).toMatch(/Mira Lind.*Access changed.*Sam Parks: Role/s);
  await first.locator('summary').click();
  await first.getByText('agent → requester').waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByLabel('Action').selectOption('Session ended');
  await page.getByText('1 entry', { exact: true }).waitFor();
  expect(await first.innerText()).toMatch(/Mira Lind.*Session ended/s);
  await page.getByLabel('Action').selectOption('Any');
  await page.getByLabel('Done by').fill('Lena');
  await page.locator('#people-audit-actor option').first().waitFor({ state: 'attached' });
  await page.getByLabel('Done by').fill('Lena Hoffmann (lena@acme.example)');
  await page.getByText('0 entries', { exact: true }).waitFor();
  await page.getByLabel('Done by').fill('');
  await page.keyboard.press('Tab');
  await first.waitFor();
  await page.getByLabel('From').fill('2099-01-01');
  await page.getByText('0 entries', { exact: true }).waitFor();
  // Nothing of it can be changed.
  expect(
    await page
      .locator('main')
      .getByRole('button', { name: /delete|edit|save/i })
      .count(),
  ).toBe(0);
  await page.setViewportSize({ width: 360, height: 740 });
  expect([await isAsWide(page), await findings(page)]).toEqual([true, []]);
  expect(problems).toEqual([]);
});
