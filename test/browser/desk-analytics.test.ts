import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { axeFindings, useBrowser } from './browser.ts';
import { until } from '../harness/until.ts';
import { startWorld } from '../harness/world.ts';
import { isAsWide, openDeskAs } from './open-page.ts';

const browser = useBrowser();
const DAY_MS = 24 * 60 * 60 * 1000;

/** The last table of the page, as `[name, value…]`. */
const rows = (page: Page) =>
  page.evaluate<string[][]>(
    `[...[...document.querySelectorAll('main table')].at(-1).querySelectorAll('tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent.trim()))`,
  );
const figure = (text: string | undefined) => Number((text ?? '').replaceAll(/\D/g, ''));
const sum = (table: string[][]) => table.reduce((all, [, value]) => all + figure(value), 0);

test('analytics begin with four numbers, as the service counts them; the query builder’s address repeats the same query', async () => {
  const world = await startWorld();
  const { service, urls } = world;
  const { page, problems } = await openDeskAs(browser, world);
  await page.getByRole('link', { name: 'Analytics' }).click();
  await page.getByRole('img', { name: /^Column chart of New, Solved\. Highest: / }).waitFor();

  // Thirty days of tickets: as many as the service's list has.
  const createdFrom = new Date(new Date().setHours(0, 0, 0, 0) - 29 * DAY_MS).toISOString();
  const { totalCount } = await service.listTickets({ query: { createdFrom, limit: 1 } });
  const numbers = page.getByRole('definition');
  expect(await numbers.count()).toBe(4);
  expect(figure((await numbers.first().innerText()).split('\n')[0])).toBe(totalCount);
  expect(await axeFindings(page)).toEqual([]);

  // A query of one's own: by group, the same tickets.
  await page.goto(`${urls.root}/analytics?tab=builder&what=opened&show=groups&by=priority&range=30d`);
  await page.getByRole('img', { name: /^Bar chart of Tickets opened/ }).waitFor();
  const priorities = await rows(page);
  expect(sum(priorities)).toBe(totalCount);
  expect(priorities.map(([name]) => name).slice(0, 2)).toEqual(['Urgent', 'High']);
  expect(await axeFindings(page)).toEqual([]);

  // Times are formatted as times; a missing value is not zero.
  await page.goto(`${urls.root}/analytics?tab=builder&what=response`);
  await page.getByRole('img', { name: /^Line chart of Time to first reply/ }).waitFor();
  const replied = (await rows(page)).map(([, value]) => value);
  expect(replied.every((value) => value === '–' || /\d[smhd]$/.test(value ?? ''))).toBe(true);

  // An invalid range says what is wrong; one without data says so.
  await page.goto(`${urls.root}/analytics?tab=builder&range=own&from=2020-05-06&to=2020-05-01`);
  await page.getByText('The first day is after the last one').waitFor();
  await page.goto(`${urls.root}/analytics?tab=builder&range=own&from=2020-05-06&to=2020-05-09`);
  await page.getByText('No data in this period').waitFor();

  // On a phone in dark mode.
  await page.goto(`${urls.root}/analytics`);
  await page.setViewportSize({ width: 390, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.getByRole('img', { name: /^Column chart of New, Solved/ }).waitFor();
  await until('a page as wide as the screen', () => isAsWide(page));
  expect(await axeFindings(page)).toEqual([]);
  expect(problems.filter((each) => !each.includes('401'))).toEqual([]);
});
