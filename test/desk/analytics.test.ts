import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { axeFindings, testInBrowser, useBrowser } from '../harness/browser.ts';
import { until } from '../harness/until.ts';
import { startWorld } from '../harness/world.ts';
import { isAsWide, openSettingsAt } from './open-settings.ts';

const browser = useBrowser();
const DAY_MS = 24 * 60 * 60 * 1000;

/** The table under the chart, as `[name, figure…]`. */
const rows = (page: Page) =>
  page.evaluate<string[][]>(
    `[...document.querySelectorAll('.figures tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent.trim()))`,
  );
const figure = (text: string | undefined) => Number((text ?? '').replaceAll(/\D/g, ''));
const sum = (table: string[][]) => table.reduce((all, [, value]) => all + figure(value), 0);

testInBrowser(
  'figures are drawn and tabled as the service counts them, at any width, and an address asks the same again',
  async () => {
    const { service, urls, apiKey } = await startWorld();
    const { page, problems } = await openSettingsAt(browser, { desk: urls.root, token: apiKey }, 'queues');
    await page.getByRole('link', { name: '← Tickets' }).click();
    await page.getByRole('link', { name: 'Analytics' }).click();
    const image = page.getByRole('img', { name: /^Columns of Tickets opened\. Highest: / });
    await image.waitFor();

    // Thirty days of tickets: the figures are those that the service's list counts.
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

    // In groups: the same tickets, by what they are, told apart by name, colour and dash.
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

    // Times are read as times; what nobody measured is no zero.
    await page.getByRole('combobox', { name: /^Show/ }).selectOption('response');
    await page.getByLabel('Grouped by').selectOption('');
    await page.getByRole('img', { name: /^Lines of Time to the first answer/ }).waitFor();
    const answered = (await rows(page)).map(([, value]) => value);
    expect(answered.every((value) => value === '–' || / (s|min|h|d)$/.test(value ?? ''))).toBe(true);
    await page.getByRole('combobox', { name: /^As/ }).selectOption('max');
    await page.getByRole('heading', { name: 'Time to the first answer (highest)' }).waitFor();

    // One's own days, and none that are possible.
    await page.getByLabel('When').selectOption('own');
    await page.getByLabel('From', { exact: true }).fill('2020-05-06');
    await page.getByLabel('Up to and with').fill('2020-05-01');
    await page.locator('.refusal', { hasText: 'The first day is after the last one' }).waitFor();
    await page.getByLabel('Up to and with').fill('2020-05-09');
    await page.getByText('Nothing of this in that time').waitFor();
    expect(await axeFindings(page)).toEqual([]);

    // The address is the question, for a colleague as well.
    await page.goto(`${urls.root}/#/analytics?what=messages&show=groups&by=source&range=12m`);
    await page.getByRole('img', { name: /^Bars of Messages/ }).waitFor();
    const { data } = await service.previewMetric({
      body: {
        workspaceId: (await service.listWorkspaces({ query: {} })).items[0]?.id ?? '',
        query: { dataSource: 'TicketMessage', groupBy: 'source' },
      },
    });
    expect(sum(await rows(page))).toBe(data.reduce((all, { value }) => all + value, 0));

    // On a phone, in the dark; then on paper, where the controls are of no use.
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
  },
  120_000,
);

interface Units {
  inWords: (unit: string, value: number | null) => string;
  ticksOf: (unit: string, highest: number) => number[];
}
interface Questions {
  rangeOf: (question: { range: string; from?: string; to?: string }, now: Date) => { from: Date; to: Date };
  intervalOf: (question: { range: string; per?: string }, range: { from: Date; to: Date }) => string;
}

// The page's own modules; no types are told of scripts that browsers read.
const module = <T>(name: string) =>
  import(new URL(`../../src/desk/page/analytics/${name}.js`, import.meta.url).href) as Promise<T>;

test('durations are read in their two largest parts, and never have a sixtieth minute', async () => {
  const { inWords } = await module<Units>('units');
  const words = [0.4, 59.6, 3599, 3600, 7500, 172_799, 180_000, 259_200].map((value) =>
    inWords('seconds', value),
  );
  expect(words).toEqual(['0 s', '1 min', '1 h', '1 h', '2 h 5 min', '2 d', '2 d 2 h', '3 d']);
  expect([inWords('score', 4.25), inWords('seconds', null)]).toEqual([
    expect.stringMatching(/^4.[23]$/),
    '–',
  ]);
});

test('an axis begins at 0, ends at or above the highest figure, and has few round lines', async () => {
  const { ticksOf } = await module<Units>('units');
  for (const unit of ['count', 'seconds'])
    for (const highest of [0, 1, 3, 7, 42, 99, 100, 1234, 86_400, 400_000, 9_999_999]) {
      const ticks = ticksOf(unit, highest);
      expect([
        unit,
        highest,
        ticks[0],
        (ticks.at(-1) ?? 0) >= highest,
        ticks.length <= 6,
        ticks.length >= 2,
      ]).toEqual([...[unit, highest, 0, true, true, true]]);
    }
  expect([ticksOf('count', 7), ticksOf('seconds', 7000), ticksOf('score', 3)]).toEqual([
    [0, 2, 4, 6, 8],
    [0, 1800, 3600, 5400, 7200],
    [0, 1, 2, 3, 4, 5],
  ]);
});

test('a range begins with an interval, and an interval never makes more points than are looked at', async () => {
  const { rangeOf, intervalOf } = await module<Questions>('question');
  const now = new Date(2026, 10, 18, 15, 30);
  const from = (range: string) => rangeOf({ range }, now).from;
  expect([from('24h'), from('7d'), from('13w'), from('12m')]).toEqual([
    new Date(2026, 10, 17, 16),
    new Date(2026, 10, 12),
    new Date(2026, 7, 24),
    new Date(2025, 11, 1),
  ]);
  const own = rangeOf({ range: 'own', from: '2026-03-01', to: '2026-03-01' }, now);
  expect([own.from, own.to]).toEqual([new Date(2026, 2, 1), new Date(2026, 2, 1, 23, 59, 59, 999)]);
  const per = (range: string, wanted?: string) =>
    intervalOf({ range, ...(wanted !== undefined && { per: wanted }) }, rangeOf({ range }, now));
  expect([per('30d'), per('30d', 'week'), per('12m', 'hour'), per('12m', 'day')]).toEqual([
    ...['day', 'week', 'month', 'day'],
  ]);
  const years = rangeOf({ range: 'own', from: '2016-01-01', to: '2026-01-01' }, now);
  expect(intervalOf({ range: 'own', per: 'day' }, years)).toBe('quarter');
  expect(intervalOf({ range: 'own' }, own)).toBe('hour');
});
