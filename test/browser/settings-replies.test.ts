import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { until } from '../harness/until.ts';
import { startTestService } from '../service/harness.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { isAsWide } from './open-page.ts';
import { choose, openSettings, type } from './open-settings.ts';

const browser = useBrowser();

type Item = Record<string, unknown>;

/** The settings at the desk of an admin. */
interface Settings {
  page: Page;
  dialog: Locator;
  /** Opens a section. */
  section: (name: string) => Promise<void>;
  /** The records of a list of the service. */
  items: (path: string) => Promise<Item[]>;
}

const expectAccessible = async (page: Page) => expect(await axeFindings(page, { every: true })).toEqual([]);

test('canned replies with variables, shared views, business hours and tags are made, changed and deleted at the desk', async () => {
  const service = await startTestService();
  const { body: queue } = await service.call('POST', '/queues', {
    body: { name: 'Laboratory', prefix: 'LAB' },
  });
  for (const name of ['VIP', 'Hardware'])
    await service.call('POST', '/views', { body: { name, isShared: true, filters: { openFilter: 'true' } } });
  const { page, problems } = await openSettings(browser, service, 'canned-replies');
  const settings: Settings = {
    page,
    dialog: page.getByRole('dialog'),
    section: (name) => page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name }).click(),
    items: async (path) => (await service.call('GET', path)).body.items as unknown as Item[],
  };
  await changeCannedReplies(settings, queue.id);
  await settings.section('Views');
  await changeViews(settings);
  await settings.section('Business hours');
  await changeBusinessHours(settings);
  await settings.section('Tags');
  await changeTags(settings);
  expect(problems.filter((each) => !/401/.test(each))).toEqual([]);
  await fitOnPhone(page);
});

/** Variables are offered and checked, and shortcuts have only small letters, digits and hyphens. */
async function changeCannedReplies({ page, dialog, items }: Settings, queueId: string): Promise<void> {
  await page.getByText('There are no canned replies yet').waitFor();
  await page.getByRole('button', { name: 'New canned reply' }).click();
  await dialog.getByLabel('Title', { exact: true }).fill('Reset the VPN');
  expect(await dialog.getByLabel('Shortcut').inputValue()).toBe('reset-the-vpn');
  await dialog.getByLabel('Text', { exact: true }).fill('Hello {{requester.nickname}}');
  await dialog.getByText('There is no variable requester.nickname').waitFor();
  await dialog.getByLabel('Text', { exact: true }).fill('Hello ');
  await dialog.getByRole('button', { name: 'Requester’s first name' }).click();
  await dialog.getByText('Hello Ada').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Create canned reply' }).click();
  await page.getByRole('heading', { level: 1, name: 'Reset the VPN' }).waitFor();
  await page.getByRole('button', { name: 'Add queue' }).click();
  await page.getByRole('option', { name: /Laboratory/ }).click();
  await page.keyboard.press('Escape');
  await type(page.getByLabel('Shortcut'), 'VPN reset');
  await page.getByText('Use small letters, digits').waitFor();
  await type(page.getByLabel('Shortcut'), 'vpn');
  const reply = async () => (await items('/canned-replies'))[0];
  await until('the shortcut', async () => (await reply())?.['shortcut'] === 'vpn');
  await until('its queue', async () => String((await reply())?.['queueIds']) === queueId);
  expect(await reply()).toMatchObject({ content: 'Hello {{requester.first_name}}', isShared: true });
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Delete canned reply' }).click();
  await dialog.getByLabel('Type “Reset the VPN” to confirm').fill('Reset the VPN');
  await dialog.getByRole('button', { name: 'Delete canned reply' }).click();
  await page.getByText('There are no canned replies yet').waitFor();
}

/** They are ordered by keys and renamed, and a deleted one can be brought back. */
async function changeViews({ page, dialog, items }: Settings): Promise<void> {
  const views = async () => (await items('/views?sortBy=position')).map(({ name }) => name);
  await page.getByRole('button', { name: 'Move “Hardware”' }).focus();
  await page.keyboard.press('ArrowUp');
  await until('their order', async () => (await views()).join() === 'Hardware,VIP');
  await page.getByRole('button', { name: 'Rename “VIP”' }).click();
  await dialog.getByLabel('Name').fill('VIP requests');
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await until('its name', async () => (await views()).includes('VIP requests'));
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Delete “Hardware”' }).click();
  await until('it to be deleted', async () => (await views()).length === 1);
  await page.getByRole('button', { name: 'Undo' }).click();
  await until('it to be back', async () => (await views()).length === 2);
}

/** Days with several spans, holidays and a time zone; a queue names them. */
async function changeBusinessHours({ page, dialog, section, items }: Settings): Promise<void> {
  await page.getByRole('button', { name: 'New business hours' }).click();
  await dialog.getByLabel('Name').fill('Lisbon');
  await dialog.getByRole('button', { name: /^Time zone: / }).click();
  await page.keyboard.type('Lisbon');
  await page.getByRole('option', { name: 'Europe/Lisbon' }).click();
  await dialog.getByRole('button', { name: 'Create business hours' }).click();
  await page.getByRole('heading', { level: 1, name: 'Lisbon' }).waitFor();
  const hours = async () => (await items('/business-hours'))[0];
  await page.getByRole('switch', { name: 'Friday' }).press(' ');
  await type(page.getByLabel('Monday, to'), 'late');
  await page.getByLabel('Monday, from').focus();
  await page.getByText('Write a time such as 09:00').waitFor();
  await page.getByLabel('Monday, to').fill('13');
  await page.getByRole('button', { name: 'Add hours on Monday' }).click();
  await page.getByLabel('Monday, from').nth(1).fill('14:00');
  await page.getByLabel('Monday, to').nth(1).fill('18.30');
  await page.getByLabel('Name', { exact: true }).focus();
  await until('Monday to be written', async () => {
    const days = ((await hours())?.['days'] ?? []) as { day: number; from: string; to: string }[];
    return days
      .map(({ day, from, to }) => `${day} ${from}-${to}`)
      .join()
      .startsWith('1 09:00-13:00,1 14:00-18:30,2');
  });
  await page.getByLabel('Date').fill('2026-12-25');
  await page.getByLabel('Name of the holiday').fill('Christmas');
  await page.getByRole('button', { name: 'Add holiday' }).click();
  await page.getByRole('button', { name: 'Remove Christmas' }).waitFor();
  const christmas = JSON.stringify([{ date: '2026-12-25', name: 'Christmas' }]);
  await until('the holiday', async () => JSON.stringify((await hours())?.['holidays']) === christmas);
  expect(await hours()).toMatchObject({ timeZone: 'Europe/Lisbon', isDefault: true });
  expect((await hours())?.['days']).not.toContainEqual(expect.objectContaining({ day: 5 }));
  await expectAccessible(page);
  await section('Queues');
  await page.getByRole('table').getByRole('link', { name: 'Laboratory' }).click();
  await page.getByRole('tab', { name: 'Response times' }).click();
  await choose(page, 'Business hours', /^Lisbon/);
  await until('the queue’s hours', async () => {
    const { id } = (await hours()) ?? {};
    return (await items('/queues?search=LAB'))[0]?.['businessHoursId'] === id;
  });
}

async function changeTags({ page, dialog, items }: Settings): Promise<void> {
  const tags = async () => (await items('/tags')).map(({ name }) => name);
  await page.getByRole('button', { name: 'New tag' }).click();
  await dialog.getByLabel('Name').fill('vpn');
  await dialog.getByRole('button', { name: 'Create tag' }).click();
  await page.getByRole('button', { name: 'Rename “vpn”' }).click();
  await dialog.getByLabel('Name').fill('VPN');
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await until('its name', async () => (await tags()).includes('VPN'));
  await page.getByRole('button', { name: 'Delete “VPN”' }).click();
  await dialog.getByLabel('Type “VPN” to confirm').fill('VPN');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('There are no tags yet').waitFor();
  await expectAccessible(page);
}

async function fitOnPhone(page: Page): Promise<void> {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  for (const path of ['views', 'business-hours', 'canned-replies', 'tags']) {
    await page.goto(page.url().replace(/settings\/.*/, `settings/${path}`));
    await page.getByRole('heading', { level: 1 }).last().waitFor();
    expect([path, await isAsWide(page)]).toEqual([path, true]);
    await expectAccessible(page);
  }
}
