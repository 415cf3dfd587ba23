import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { axeFindings, useBrowser } from './browser.ts';
import { until } from '../harness/until.ts';
import { startWorld } from '../harness/world.ts';
import { isAsWide, openSettingsAsAdmin } from './open-page.ts';

const browser = useBrowser();
const DAY_MS = 24 * 60 * 60 * 1000;

/** The table under the chart, as `[name, value…]`. */
const rows = (page: Page) =>
  page.evaluate<string[][]>(
    `[...document.querySelectorAll('.figures tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent.trim()))`,
  );
const figure = (text: string | undefined) => Number((text ?? '').replaceAll(/\D/g, ''));
const sum = (table: string[][]) => table.reduce((all, [, value]) => all + figure(value), 0);

test('figures are charted and tabled as the service counts them, at any width, and an address repeats the same query', async () => {
  const world = await startWorld();
  const { service, urls } = world;
  const { page, problems } = await openSettingsAsAdmin(browser, world, 'queues');
  await page.getByRole('link', { name: '← Tickets' }).click();
  await page.getByRole('link', { name: 'Analytics' }).click();
  const image = page.getByRole('img', { name: /^Columns of Tickets opened\. Highest: / });
  await image.waitFor();

  // Thirty days of tickets: the values equal those of the service's list.
  const createdFrom = new Date(new Date().setHours(0, 0, 0, 0) - 29 * DAY_MS).toISOString();
  const { totalCount } = await service.listTickets({ query: { createdFrom, limit: 1 } });
  const days = await rows(page);
  expect([days.length, sum(days), figure((await page.locator('.total').textContent()) ?? '')]).toEqual([
    30,
    totalCount,
    totalCount,
  ]);
  expect(await page.locator('.chart rect').count()).toBe(30);
  expect(await axeFindings(page)).toEqual([]);

  // By group: the same tickets, distinguished by name, colour and dash.
  await page.getByLabel('Draw').selectOption('groups');
  await page.getByLabel('Grouped by').selectOption('priority');
  await page.getByRole('img', { name: /^Bars of Tickets opened/ }).waitFor();
  const priorities = await until('the groups', async () => {
    const table = await rows(page);
    return table.some(([name]) => name === 'Urgent') && table;
  });
  expect(sum(priorities)).toBe(totalCount);
  expect(priorities.map(([name]) => name).slice(0, 2)).toEqual(['Urgent', 'High']);
  await page.getByLabel('Draw').selectOption('time');
  await page.getByLabel('Grouped by').selectOption('priority');
  await page.getByRole('img', { name: /^Lines of .*Urgent/ }).waitFor();
  expect(await page.locator('.legend li').allTextContents()).toEqual(
    expect.arrayContaining([expect.stringContaining('Urgent')]),
  );
  expect(await axeFindings(page)).toEqual([]);

  // Times are formatted as times; a missing value is not zero.
  await page.getByRole('combobox', { name: /^Show/ }).selectOption('response');
  await page.getByLabel('Grouped by').selectOption('');
  await page.getByRole('img', { name: /^Lines of Time to the first answer/ }).waitFor();
  const answered = (await rows(page)).map(([, value]) => value);
  expect(answered.every((value) => value === '–' || / (s|min|h|d)$/.test(value ?? ''))).toBe(true);
  await page.getByRole('combobox', { name: /^As/ }).selectOption('max');
  await page.getByRole('heading', { name: 'Time to the first answer (highest)' }).waitFor();

  // A custom range, and an invalid one.
  await page.getByLabel('When').selectOption('own');
  await page.getByLabel('From', { exact: true }).fill('2020-05-06');
  await page.getByLabel('Until').fill('2020-05-01');
  await page.locator('.refusal', { hasText: 'The first day is after the last one' }).waitFor();
  await page.getByLabel('Until').fill('2020-05-09');
  await page.getByText('No data in this period').waitFor();
  expect(await axeFindings(page)).toEqual([]);

  // The address contains the query, for a colleague as well.
  await page.goto(`${urls.root}/#/analytics?what=messages&show=groups&by=source&range=12m`);
  await page.getByRole('img', { name: /^Bars of Messages/ }).waitFor();
  const { data } = await service.previewMetric({
    body: {
      workspaceId: (await service.listWorkspaces({ query: {} })).items[0]?.id ?? '',
      query: { dataSource: 'TicketMessage', groupBy: 'source' },
    },
  });
  expect(sum(await rows(page))).toBe(data.reduce((all, { value }) => all + value, 0));

  // On a phone in dark mode; then on paper, without the controls.
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  const isChartNarrow = () =>
    page.evaluate<boolean>(`document.querySelector('.chart').getBoundingClientRect().width < 360`);
  await until('a chart as wide as the screen', async () => (await isChartNarrow()) && isAsWide(page));
  expect(await axeFindings(page)).toEqual([]);
  await page.emulateMedia({ media: 'print' });
  expect([
    await page.locator('.top').isVisible(),
    await page.getByRole('combobox', { name: /^Show/ }).isVisible(),
    await page.locator('.chart').isVisible(),
    await page.getByRole('rowheader').first().isVisible(),
  ]).toEqual([false, false, true, true]);
  expect(problems.filter((each) => !each.includes('401'))).toEqual([]);
}, 120_000);
