import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { startForeignService } from '../harness/foreign-service.ts';
import { until } from '../harness/until.ts';
import { startTestService } from '../service/harness.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { isAsWide } from './open-page.ts';
import { choose, openSettings, type } from './open-settings.ts';

const browser = useBrowser();

/** The statuses in their order on the page. */
const shown = (page: Page) =>
  page
    .getByRole('list', { name: 'Statuses' })
    .getByRole('button', { name: /^Move/ })
    .all()
    .then((grips) =>
      Promise.all(grips.map(async (each) => (await each.getAttribute('aria-label'))?.slice(6, -1))),
    );
const focused = (page: Page) =>
  page.evaluate<string | null>('document.activeElement.getAttribute("aria-label")');
const grip = (page: Page, name: string) => page.getByRole('button', { name: `Move “${name}”`, exact: true });

test('statuses are created in a group, renamed, reordered by keyboard and by pointer, and removed when unused', async () => {
  const service = await startTestService();
  const labels = async () =>
    (await service.call('GET', '/statuses?sortBy=order')).body.items.map(({ label }) => label);
  const { page, problems } = await openSettings(browser, service, 'statuses');
  await until('the statuses', async () => (await shown(page)).length === 5);
  expect(await page.getByRole('button', { name: /^Remove/ }).count()).toBe(0);

  await page.getByRole('button', { name: 'New status' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Needs a part');
  await choose(dialog, 'Group', 'Waiting');
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await dialog.getByRole('button', { name: 'Create status' }).click();
  await page.getByRole('button', { name: 'Remove “Needs a part”' }).waitFor();
  const { body } = await service.call('GET', '/statuses?search=Needs');
  expect(body.items[0]).toMatchObject({ statusGroup: { label: 'Waiting' }, order: 5 });
  expect(await axeFindings(page, { every: true })).toEqual([]);

  // Up by keyboard, twice; the grip keeps the focus for the next press.
  await grip(page, 'Needs a part').focus();
  for (const place of [4, 3]) {
    await page.keyboard.press('ArrowUp');
    await until('its new place', async () => (await shown(page)).indexOf('Needs a part') === place);
    await until('the focus', async () => (await focused(page)) === 'Move “Needs a part”');
  }
  await page.getByText('“Needs a part” is number 4 of 6.').waitFor();
  await until('it to be written', async () => (await labels()).indexOf('Needs a part') === 3);
  expect(await labels()).toEqual(['Open', 'In Progress', 'Waiting', 'Needs a part', 'Done', 'Closed']);

  // By the grip, to the front, and to the end.
  const drag = async (to: string, below: number) => {
    const from = await grip(page, 'Needs a part').boundingBox();
    const end = await grip(page, to).boundingBox();
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
  await type(dialog.getByLabel('Name'), 'Waiting for a part');
  await dialog.getByText('Saved', { exact: true }).waitFor();
  expect(await labels()).toContain('Waiting for a part');
  await page.keyboard.press('Escape');
  await until('the focus back', async () => (await focused(page)) === 'Change “Waiting for a part”');

  // Its name is typed before it is removed; not while a ticket has it.
  const statusId = body.items[0]?.id;
  const { body: ticket } = await service.call('POST', '/tickets', { body: { title: 'A lamp', statusId } });
  await page.getByRole('button', { name: 'Remove “Waiting for a part”' }).click();
  const remove = dialog.getByRole('button', { name: 'Remove', exact: true });
  expect(await remove.isDisabled()).toBe(true);
  await dialog.getByLabel('Type “Waiting for a part” to confirm').fill('waiting for a part');
  await remove.click();
  await dialog.getByText('Give them another one first').waitFor();
  expect(await axeFindings(page, { every: true })).toEqual([]);
  const address = await dialog.getByRole('link', { name: 'Show its tickets' }).getAttribute('href');
  expect(address).toContain(statusId);
  const [open] = (await service.call('GET', '/statuses?search=Open')).body.items;
  await service.call('PUT', `/tickets/${ticket.id}`, { body: { data: { statusId: open?.id } } });
  await remove.click();
  await page.getByRole('button', { name: 'Remove “Waiting for a part”' }).waitFor({ state: 'detached' });
  expect(await labels()).toEqual(['Open', 'In Progress', 'Waiting', 'Done', 'Closed']);
  expect(problems.filter((each) => !/401|409/.test(each))).toEqual([]);

  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect([await isAsWide(page), await axeFindings(page, { every: true })]).toEqual([true, []]);
});

test('if the service does not let the desk create statuses, they can still be renamed and reordered', async () => {
  const service = await startTestService();
  const strange = { missing: 404, lists: 'data', pairs: 'kept', events: 'id' } as const;
  const foreign = await startForeignService(service.url.replace(/\/api$/, ''), strange);
  const { page } = await openSettings(browser, { ...service, url: `${foreign.url}/api` }, 'statuses');
  await page.getByRole('button', { name: 'New status' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Needs a part');
  await dialog.getByRole('button', { name: 'Create status' }).click();
  await dialog.getByText('does not allow creating statuses').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await page.getByRole('button', { name: 'New status' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Change “Waiting”' }).click();
  await type(dialog.getByLabel('Name'), 'On hold');
  await dialog.getByText('Saved', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await grip(page, 'On hold').focus();
  await page.keyboard.press('ArrowUp');
  await until('its place', async () => {
    const { items } = (await service.call('GET', '/statuses?sortBy=order')).body;
    return items[1]?.label === 'On hold';
  });
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
  await choose(page, 'Workspace', 'Lisbon');
  await grip(page, 'Done').focus();
  await page.keyboard.press('ArrowUp');
  await until('its place', async () => (await labels(other.id)).indexOf('Done') === 2);
  await page.getByRole('button', { name: 'New status' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('On the road');
  await dialog.getByRole('button', { name: 'Create status' }).click();
  await page.getByRole('button', { name: 'Remove “On the road”' }).waitFor();
  expect(await labels(other.id)).toEqual(['Open', 'In Progress', 'Done', 'Waiting', 'Closed', 'On the road']);
  expect(await labels(service.workspaceId)).toEqual(before);
});
