import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { startWorld } from '../harness/world.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { choose } from './by-keys.ts';
import { demoRecords } from './demo-records.ts';
import { isAsWide, signedInPage } from './open-page.ts';

const browser = useBrowser();

const HOUR_MS = 60 * 60_000;
const [NOON_MS, DAY_MS] = [12 * HOUR_MS, 24 * HOUR_MS];

const findings = (page: Page) => axeFindings(page, { every: true });

test('a ticket whose targets are paused says so in the list, its header and its details, is not overdue, and its history tells of the pause in plain words', async () => {
  const world = await startWorld();
  const { clock, urls } = world;
  const { newTicket, queueAroundTheClock } = demoRecords(world);
  const queue = await queueAroundTheClock({ responseMinutes: 60, resolutionMinutes: 600 });
  const make = (title: string) => newTicket(title, { queueId: queue.id, priority: 'MEDIUM' });
  const [late, waiting] = [await make('A clock is late'), await make('A clock stands')];
  const { page, problems } = await signedInPage(browser, world, { width: 1440, height: 900 });
  await page.goto(`${urls.root}/tickets/${waiting.code}`);
  await page
    .getByText('First reply1h')
    .or(page.getByText(/First reply\d+m/))
    .first()
    .waitFor();
  await choose(page, 's', 'Waiting');
  await page.getByText('Targets are paused while waiting for the requester').waitFor();
  const about = page.getByRole('complementary', { name: 'About this ticket' });
  await about.getByText(/^Paused while waiting for Ada Reyes · now$/).waitFor();
  await page.getByRole('button', { name: /^Paused\s+while waiting for Ada Reyes · now$/ }).waitFor();
  expect(await page.getByRole('button', { name: /First reply/ }).count()).toBe(0);
  expect(await findings(page)).toEqual([]);

  clock.pass(2 * HOUR_MS);
  await page.goto(`${urls.root}/views/all?queueId=${queue.id}`);
  const row = (code: string) => page.locator(`[data-code="${code}"]`);
  await row(waiting.code)
    .getByTitle(/^Targets are paused while waiting for Ada Reyes · /)
    .waitFor();
  expect(await row(waiting.code).innerText()).toMatch(/Paused/);
  await page.goto(`${urls.root}/views/all?queueId=${queue.id}&due=overdue`);
  await row(late.code).waitFor();
  expect([await row(waiting.code).count(), await findings(page)]).toEqual([0, []]);

  await page.goto(`${urls.root}/tickets/${waiting.code}`);
  await page.getByText('Targets are paused while waiting for the requester').waitFor();
  await page.setViewportSize({ width: 390, height: 780 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.getByRole('button', { name: /^Paused/ }).waitFor();
  expect([await isAsWide(page), await findings(page)]).toEqual([true, []]);
  await page.setViewportSize({ width: 1440, height: 900 });
  await choose(page, 's', 'Open');
  await page.getByText('Targets resumed after a pause of 2h').waitFor();
  await about.getByText('Paused while').waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
});

test('an agent says when they are away by keys alone, an admin of another; it stands beside the name of the assignee and where one is picked', async () => {
  const world = await startWorld();
  const { urls } = world;
  const { newTicket, person } = demoRecords(world);
  const [sam, mira] = [await person('sam'), await person('mira')];
  const ticket = await newTicket('A window is stuck', { assigneeId: sam.id });
  const { page: own } = await signedInPage(browser, world, { email: DEMO.people.sam.email });
  await own.goto(`${urls.root}/account`);
  await own.getByText('No absence is planned.').waitFor();
  await own.getByRole('button', { name: 'Add absence' }).press('Enter');
  await own.getByText('now', { exact: true }).waitFor();
  expect((await person('sam')).absence).not.toBeNull();
  expect(await findings(own)).toEqual([]);

  const { page, problems } = await signedInPage(browser, world, { width: 1440, height: 900 });
  await page.goto(`${urls.root}/tickets/${ticket.code}`);
  const about = page.getByRole('complementary', { name: 'About this ticket' });
  await about.getByText(/^Away until \w+ \d+$/).waitFor();
  await page
    .locator(`[data-code="${ticket.code}"]`)
    .getByTitle(/^Sam Parks · Away until/)
    .waitFor();
  await page.keyboard.press('a');
  const option = page.getByRole('option', { name: /Sam Parks.*Away until/ });
  await option.waitFor();
  expect((await option.getByText('Sam Parks').boundingBox())?.width).toBeGreaterThan(40);
  expect(await findings(page)).toEqual([]);
  await page.goto(`${urls.root}/settings/people/${sam.id}`);
  await page.getByRole('heading', { level: 1 }).getByText('Away until').waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole('button', { name: /^Remove the absence/ }).press('Enter');
  await page.getByText('No absence is planned.').waitFor();
  expect((await person('sam')).absence).toBeNull();
  await page.setViewportSize({ width: 390, height: 780 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(`${urls.root}/settings/people/${mira.id}`);
  await page.getByRole('button', { name: 'Add absence' }).press('Enter');
  await page.getByRole('heading', { level: 1 }).getByText('Away until').waitFor();
  expect([await isAsWide(page), await findings(page)]).toEqual([true, []]);
  expect(problems).toEqual([]);
});

test('what is due today is due before the reader’s midnight: in a list, and in the counts of views and groups', async () => {
  const world = await startWorld();
  const { clock, service, urls } = world;
  const { newTicket } = demoRecords(world);
  // At noon of tomorrow, so that no day ends while the test runs: it is 21:00 in Tokyo, and just after midnight in
  // Auckland.
  clock.pass(DAY_MS + NOON_MS - (clock.now().getTime() % DAY_MS));
  const inHours = (hours: number) => new Date(clock.now().getTime() + hours * HOUR_MS).toISOString();
  const { id: queueId } = await service.createQueue({ body: { name: 'Fuses', prefix: 'FUS' } });
  const { code: soon } = await newTicket('A fuse is due', { queueId, dueAt: inHours(6) });
  const { code: later } = await newTicket('A plug is due', { queueId, dueAt: inHours(18) });
  const filters = { queueId, due: 'today' };
  const view = await service.createView({ body: { name: 'Due now', isShared: true, filters } });
  for (const [timezoneId, codes] of [
    ['Asia/Tokyo', []],
    ['UTC', [soon]],
    ['Pacific/Auckland', [soon, later]],
  ] as const) {
    const { page, problems } = await signedInPage(browser, world, { timezoneId });
    await page.goto(`${urls.root}/views/${view.id}`);
    for (const code of codes) await page.locator(`[data-code="${code}"]`).waitFor();
    if (codes.length === 0) await page.getByText('No tickets in this view').waitFor();
    expect([timezoneId, await page.locator('[data-code]').count()]).toEqual([timezoneId, codes.length]);
    const counted = new RegExp(String.raw`^Due now\s*${codes.length || ''}$`);
    await page.getByRole('link', { name: counted }).waitFor();
    expect(problems).toEqual([]);
  }
});
