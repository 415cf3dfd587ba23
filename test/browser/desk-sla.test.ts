import { readFile } from 'node:fs/promises';

import { parse } from 'csv-parse/sync';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { until } from '../harness/until.ts';
import { startWorld } from '../harness/world.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { typeAndChoose } from './by-keys.ts';
import { demoRecords } from './demo-records.ts';
import { isAsWide, signedInPage } from './open-page.ts';

const browser = useBrowser();
const HOUR_MS = 60 * 60_000;

const findings = (page: Page) => axeFindings(page, { every: true });

/** A queue around the clock: a ticket in time, one that was late and held without a reply, one that still waits. */
async function openQueue(world: Awaited<ReturnType<typeof startWorld>>, assignee: 'sam' | 'mira') {
  const { service, clock } = world;
  const { newTicket, person, queueAroundTheClock } = demoRecords(world);
  const agent = await person(assignee);
  const queue = await queueAroundTheClock({ responseMinutes: 120, resolutionMinutes: 600 });
  const { items: statuses } = await service.listStatuses({});
  const set = (id: string, label: string) =>
    service.updateTicket({
      params: { id },
      body: { data: { statusId: statuses.find((status) => status.label === label)?.id ?? '' } },
    });
  const make = (title: string) =>
    newTicket(title, { queueId: queue.id, priority: 'MEDIUM', assigneeId: agent.id });
  const answer = (ticketId: string) =>
    service.createTicketMessage({ body: { ticketId, content: 'On it', authorId: agent.id } });
  const [good, late, waiting, overdue] = [
    await make('A clock in time'),
    await make('=A clock too late'),
    await make('A clock stands'),
    await make('A clock runs'),
  ];
  await set(waiting.id, 'Waiting');
  clock.pass(HOUR_MS);
  await answer(good.id);
  await set(late.id, 'Waiting');
  clock.pass(HOUR_MS);
  await set(late.id, 'Open');
  clock.pass(3 * HOUR_MS);
  await answer(late.id);
  await set(good.id, 'Done');
  return { queue, agent, late, waiting, overdue };
}

const number = (page: Page, name: string) =>
  page.locator('dl > div').filter({ hasText: name }).getByRole('definition');

test('the SLA report says what was in time by group and week, what is due next, and where the time of a breach went; its address and its files say the same', async () => {
  const world = await startWorld();
  const { urls } = world;
  const { queue, late, waiting, overdue } = await openQueue(world, 'sam');
  const { page, problems } = await signedInPage(browser, world, { width: 1440, height: 900 });
  await page.clock.setFixedTime(world.clock.now());
  await page.goto(urls.root);
  await page.getByRole('link', { name: 'Analytics' }).press('Enter');
  await page.getByRole('tab', { name: 'Overview' }).focus();
  await page.keyboard.press('End');
  await page.getByRole('tab', { name: 'SLA report', selected: true }).waitFor();
  // The demo's own tickets.
  await page.getByRole('img', { name: /^Line chart of First reply, Resolution\. Highest: / }).waitFor();
  expect(await findings(page)).toEqual([]);

  // One queue, by keys alone.
  await page.getByRole('button', { name: 'Queue: All queues' }).press('Enter');
  await typeAndChoose(page, 'Clocks');
  await page.waitForURL(`**queueId=${queue.id}*`);
  await number(page, 'First replies in time').getByText('50%').waitFor();
  expect(await number(page, 'First replies in time').innerText()).toContain('1 of 2');
  expect(await number(page, 'Resolutions in time').innerText()).toContain('100%');
  await number(page, 'Overdue now').getByText('1', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Group by: Queue' }).press('Enter');
  await typeAndChoose(page, 'Assignee');
  const row = page.getByRole('table', { name: 'In time by assignee' }).getByRole('row').nth(1);
  await until('the row of Sam', async () => (await row.innerText()).startsWith('Sam Parks'));
  // Of 1 hour, and of 4 hours open with 1 held.
  const cells = await row.getByRole('cell').allInnerTexts();
  expect(cells).toEqual(['1 of 2 50%', '2h 30m', '1 of 1 100%', '5h', '0%', '2']);

  const breaches = page.getByRole('region', { name: 'Breaches' });
  const breach = breaches.getByRole('listitem').filter({ hasText: late.code });
  expect(await breach.innerText()).toMatch(/First reply · Clocks · Sam Parks · .* · waited without a reply/);
  expect(await breach.innerText()).toContain('2h late · target 2h · 4h open · 1h held');
  expect(await breach.locator('rect').count()).toBe(3);
  const waited = page.getByRole('region', { name: 'Waiting without a reply' });
  expect(await waited.getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringMatching(/A clock too late[^]*Waited 1h/),
    expect.stringMatching(new RegExp(`${waiting.code}[^]*Still waiting since`)),
  ]);
  const next = page.getByRole('region', { name: 'Due next' });
  expect(await next.getByRole('listitem').first().innerText()).toMatch(
    new RegExp(`${overdue.code}[^]*First reply.* late`),
  );

  // The address repeats it, and a file has the same.
  await page.reload();
  await page.getByRole('rowheader', { name: 'Sam Parks' }).waitFor();
  const saving = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download CSV: Breaches' }).press('Enter');
  const file = await saving;
  expect(file.suggestedFilename()).toBe('target-report-breaches.csv');
  const lines = parse(await readFile(await file.path()), { bom: true, columns: true });
  expect(lines).toMatchObject([
    { Ticket: late.code, Title: "'=A clock too late", Queue: 'Clocks', Assignee: 'Sam Parks' },
  ]);

  // On a phone in the dark.
  await page.setViewportSize({ width: 390, height: 780 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await until('a page as wide as the screen', () => isAsWide(page));
  const overflow = `document.querySelector('main').scrollWidth - document.querySelector('main').clientWidth`;
  expect(await page.evaluate<number>(overflow)).toBe(0);
  expect(await findings(page)).toEqual([]);
  await breach.getByRole('link').press('Enter');
  await page.getByRole('heading', { name: 'A clock too late' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/tickets/${late.code}`);

  // Without results, and with a period that cannot be.
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${urls.root}/analytics?tab=sla&range=own&from=2020-05-06&to=2020-05-09`);
  await page.getByText('No target was met or missed in this period').waitFor();
  await page.getByText('No target was missed in this period.').waitFor();
  expect(await findings(page)).toEqual([]);
  expect(problems).toEqual([]);
  await page.goto(`${urls.root}/analytics?tab=sla&range=own&from=2020-05-06&to=2020-05-01`);
  await page.getByText('The first day is after the last one').waitFor();
  await page.route('**/desk/api/target-report?**', (route) => route.fulfill({ status: 503, json: {} }));
  await page.goto(`${urls.root}/analytics?tab=sla`);
  await page.getByRole('button', { name: 'Retry' }).waitFor();
  await page.unroute('**/desk/api/target-report?**');
  await page.getByRole('button', { name: 'Retry' }).press('Enter');
  await number(page, 'First replies in time').waitFor();
});

test('of a team’s queue an agent of another team sees nothing in the report or its files', async () => {
  const world = await startWorld();
  const { service, urls } = world;
  const { queue, agent: mira, late } = await openQueue(world, 'mira');
  await service.updateUser({
    params: { id: mira.id },
    body: { queueIds: [...(mira.queueIds ?? []), queue.id] },
  });
  const { page } = await signedInPage(browser, world, { email: DEMO.people.sam.email });
  await page.clock.setFixedTime(world.clock.now());
  const breaches = page.getByRole('region', { name: 'Breaches' });
  await page.goto(`${urls.root}/analytics?tab=sla&queueId=${queue.id}`);
  await breaches.getByText(late.code).waitFor();
  await service.updateQueue({ params: { id: queue.id }, body: { visibility: 'team' } });
  await page.goto(`${urls.root}/analytics?tab=sla&queueId=${queue.id}`);
  await page.getByText('No target was met or missed in this period').waitFor();
  await page.goto(`${urls.root}/analytics?tab=sla`);
  await breaches.getByRole('link').first().waitFor();
  expect(await page.getByText(late.code).count()).toBe(0);
  const file = await page.evaluate<string>(
    `fetch('/desk/target-report/csv?table=breaches&groupBy=queue&from=2020-01-01T00:00:00Z&to=2040-01-01T00:00:00Z').then((answer) => answer.text())`,
  );
  expect(file).toContain('Target minutes');
  expect(file).not.toContain(late.code);
});
