import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { axeFindings, useBrowser } from './browser.ts';
import { startForeignService } from '../harness/foreign-service.ts';
import { until } from '../harness/until.ts';
import { startTestService } from '../service/harness.ts';
import { isAsWide, openSettings } from './open-page.ts';

const browser = useBrowser();

const shown = (page: Page) => page.locator('.ordered .status').allTextContents();
const focused = (page: Page) =>
  page.evaluate<string | null>('document.activeElement.getAttribute("aria-label")');

test('statuses are created in a group, renamed, reordered by keyboard and by pointer, and removed when unused', async () => {
  const service = await startTestService();
  const labels = async () =>
    (await service.call('GET', '/statuses?sortBy=order')).body.items.map(({ label }) => label);
  const { page, problems } = await openSettings(browser, service, 'statuses');
  await page.getByRole('heading', { level: 1, name: 'Statuses' }).waitFor();
  await until('the statuses', async () => (await shown(page)).length === 5);
  expect(await page.getByRole('button', { name: /^Remove/ }).count()).toBe(0);

  await page.getByLabel('Name').fill('Needs a part');
  await page.getByLabel('Means').selectOption({ label: 'Waiting' });
  await page.getByRole('button', { name: 'Create status' }).click();
  await page.getByRole('button', { name: 'Remove “Needs a part”' }).waitFor();
  // The service also notifies the list, which may show the change first.
  await until('an empty form', async () => (await page.getByLabel('Name').inputValue()) === '');
  const { body } = await service.call('GET', '/statuses?search=Needs');
  expect(body.items[0]).toMatchObject({ statusGroup: { label: 'Waiting' }, order: 5 });
  expect(await axeFindings(page)).toEqual([]);

  // Up by keyboard, twice; the button keeps the focus for the next press.
  await page.getByRole('button', { name: 'Move “Needs a part” up' }).focus();
  for (const place of [4, 3]) {
    await page.keyboard.press('Enter');
    await until('its new place', async () => (await shown(page)).indexOf('Needs a part') === place);
    await until('the focus', async () => (await focused(page)) === 'Move “Needs a part” up');
  }
  expect(await labels()).toEqual(['Open', 'In Progress', 'Waiting', 'Needs a part', 'Done', 'Closed']);

  // By the grip, to the front, and to the end.
  const grip = page.locator('li', { hasText: 'Needs a part' }).locator('.grip');
  const drag = async (to: string, below: number) => {
    const from = await grip.boundingBox();
    const end = await page.locator('.ordered li', { hasText: to }).boundingBox();
    if (!from || !end) throw new Error('not shown');
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(end.x + 30, end.y + end.height * below, { steps: 4 });
    await page.mouse.up();
  };
  await drag('Open', 0.2);
  await until('it to be the first', async () => (await labels())[0] === 'Needs a part');
  await until('that to be shown', async () => (await shown(page))[0] === 'Needs a part');
  await drag('Closed', 0.8);
  await until('it to be the last', async () => (await labels()).at(-1) === 'Needs a part');
  await until('that as well', async () => (await shown(page)).at(-1) === 'Needs a part');

  await page.getByRole('button', { name: 'Change “Needs a part”' }).click();
  await until('the focus in its name', async () => (await page.locator('.edit input:focus').count()) === 1);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('Waiting for a part');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove “Waiting for a part”' }).waitFor();
  await until('the focus back', async () => (await focused(page)) === 'Change “Waiting for a part”');
  expect(await labels()).toContain('Waiting for a part');

  const statusId = body.items[0]?.id;
  const { body: ticket } = await service.call('POST', '/tickets', { body: { title: 'A lamp', statusId } });
  page.on('dialog', (dialog) => void dialog.accept());
  await page.getByRole('button', { name: 'Remove “Waiting for a part”' }).click();
  await page.locator('.refusal', { hasText: 'Give them another one first' }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('link', { name: 'Look at its tickets' }).click();
  await page.locator(`.row[data-code="${ticket.code}"]`).waitFor();
  const [open] = (await service.call('GET', '/statuses?search=Open')).body.items;
  await service.call('PUT', `/tickets/${ticket.id}`, { body: { data: { statusId: open?.id } } });
  await page.goBack();
  await page.getByRole('button', { name: 'Remove “Waiting for a part”' }).click();
  await page.getByRole('button', { name: 'Remove “Waiting for a part”' }).waitFor({ state: 'detached' });
  expect(await labels()).toEqual(['Open', 'In Progress', 'Waiting', 'Done', 'Closed']);
  expect(problems.filter((each) => !/401|409/.test(each))).toEqual([]);

  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect([await isAsWide(page), await axeFindings(page)]).toEqual([true, []]);
}, 120_000);

test('if the service does not let the desk create statuses, they can still be renamed and reordered', async () => {
  const service = await startTestService();
  const strange = { missing: 404, lists: 'data', pairs: 'kept', events: 'id' } as const;
  const foreign = await startForeignService(service.url.replace(/\/api$/, ''), strange);
  const { page } = await openSettings(browser, { ...service, url: `${foreign.url}/api` }, 'statuses');
  await page.getByLabel('Name').fill('Needs a part');
  await page.getByRole('button', { name: 'Create status' }).click();
  await page.locator('.refusal', { hasText: 'does not let the desk make statuses' }).waitFor();
  expect(await page.getByRole('button', { name: 'Create status' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Change “Waiting”' }).click();
  await page.locator('.edit').getByLabel('Name').fill('On hold');
  await page.locator('.edit').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Move “On hold” up' }).click();
  await until('its place', async () => (await shown(page)).indexOf('On hold') === 1);
});

test('a key for several workspaces reorders the statuses of each workspace separately', async () => {
  const service = await startTestService();
  const { body: other } = await service.call('POST', '/workspaces', {
    body: { name: 'Lisbon', slug: 'lisbon' },
  });
  const labels = async (workspaceId: string) =>
    (await service.call('GET', `/statuses?sortBy=order&workspaceId=${workspaceId}`)).body.items.map(
      ({ label }) => label,
    );
  const before = await labels(service.workspaceId);
  const { page } = await openSettings(browser, service, 'statuses');
  await page.getByRole('combobox', { name: 'Workspace' }).selectOption({ label: 'Lisbon' });
  await page.getByRole('button', { name: 'Move “Done” up' }).click();
  await until('its place', async () => (await shown(page)).indexOf('Done') === 2);
  await page.getByLabel('Name').fill('On the road');
  await page.getByRole('button', { name: 'Create status' }).click();
  await page.getByRole('button', { name: 'Remove “On the road”' }).waitFor();
  expect(await labels(other.id)).toEqual(['Open', 'In Progress', 'Done', 'Waiting', 'Closed', 'On the road']);
  expect(await labels(service.workspaceId)).toEqual(before);
});
