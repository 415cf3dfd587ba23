import { readFileSync } from 'node:fs';

import { parse } from 'csv-parse/sync';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { until } from '../harness/until.ts';
import { sharedWorld } from '../harness/world.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { moveTo, tabTo } from './by-keys.ts';
import { demoRecords } from './demo-records.ts';
import { isAsWide, signedInPage } from './open-page.ts';

const browser = useBrowser();
const world = sharedWorld();
const { person, newTicket } = demoRecords(world);

const WIDE = { width: 1440, height: 900 };
const rowOf = (page: Page, code: string) => page.locator(`[data-code="${code}"]`);
const names = (page: Page) => page.getByRole('group', { name: 'Columns' });
const codes = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('[data-code]')].map((row) => row.dataset.code)`);
const isOrder = (page: Page, ...order: string[]) =>
  until(order.join(', '), async () => (await codes(page)).join() === order.join(), {
    seen: () => codes(page),
  });

/** A person of whom these are the only tickets, and the address of their list. */
async function listOf(email: string) {
  const { id: requesterId } = await world.service.createUser({ body: { firstName: 'Uma', email } });
  return { requesterId, path: `${world.urls.root}/views/all?requesterId=${requesterId}` };
}

/** Chooses in the panel of what a list shows, and closes it. */
async function display(page: Page, choose: (panel: ReturnType<Page['getByRole']>) => Promise<unknown>) {
  await page.getByRole('button', { name: 'Display', exact: true }).click();
  const panel = page.getByRole('dialog', { name: 'Display' });
  await choose(panel);
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
}

test('a wide list has one line of columns a ticket, with who wrote last and what; the columns that one chooses stay after a reload, and a phone has two lines', async () => {
  const { requesterId, path } = await listOf('columns@acme.example');
  const sam = await person('sam');
  const ticket = await newTicket('The scanner hums', { requesterId, assigneeId: sam.id });
  await world.service.createTicketMessage({
    body: {
      ticketId: ticket.id,
      authorId: sam.id,
      content: 'Have you **tried**\n\n- [this](https://a.example)?',
    },
  });
  const { page, problems } = await signedInPage(browser, world, WIDE);
  await page.goto(path);
  const row = rowOf(page, ticket.code);
  await row.getByText('Sam: Have you tried this').waitFor();
  await row.getByText('Sam Parks').waitFor();
  const heights = [(await row.boundingBox())?.height];
  expect(await axeFindings(page, { every: true })).toEqual([]);

  await display(page, async (panel) => {
    await panel.getByText('Last message').click();
    await panel.getByText('Queue', { exact: true }).last().click();
    await panel.getByRole('button', { name: 'Compact' }).click();
    expect(await axeFindings(page, { every: true })).toEqual([]);
  });
  await names(page).getByText('Queue').waitFor();
  await page.reload();
  await names(page).getByText('Queue').waitFor();
  expect(await names(page).getByText('Last message').count()).toBe(0);
  heights.push((await row.boundingBox())?.height);
  expect(heights).toEqual([36, 28]);
  await display(page, (panel) => panel.getByRole('button', { name: 'Reset columns' }).click());
  await names(page).getByText('Last message').waitFor();

  await page.setViewportSize({ width: 390, height: 844 });
  await names(page).waitFor({ state: 'detached' });
  await row.waitFor();
  expect((await row.boundingBox())?.height).toBe(40);
  expect(await isAsWide(page)).toBe(true);
  expect(problems).toEqual([]);
});

test('pressing the name of a column sorts by it, and pressing it again the other way round, by keys as well', async () => {
  const { requesterId, path } = await listOf('sorted@acme.example');
  const high = await newTicket('B bulb', { requesterId, priority: 'HIGH' });
  const low = await newTicket('C cord', { requesterId, priority: 'LOW' });
  const urgent = await newTicket('A adapter', { requesterId, priority: 'URGENT' });
  const { page, problems } = await signedInPage(browser, world, WIDE);
  await page.goto(path);
  const press = (name: string) => names(page).getByRole('button', { name }).click();
  await press('Sort by Priority');
  await isOrder(page, urgent.code, high.code, low.code);
  await press('Sort by Priority, now ascending');
  await isOrder(page, low.code, high.code, urgent.code);
  await tabTo(page, 'Sort by Title');
  await page.keyboard.press('Enter');
  await isOrder(page, urgent.code, high.code, low.code);
  await names(page).getByRole('button', { name: 'Sort by Title, now ascending' }).waitFor();
  // What moves through the rows begins at the first one.
  await moveTo(page, low.code);
  expect(problems).toEqual([]);
});

test('a list is grouped, each group with the number of its tickets in the whole list; it stays grouped beside a ticket and after a reload', async () => {
  const { requesterId, path } = await listOf('grouped@acme.example');
  const sam = await person('sam');
  const tag = await world.service.createTag({ body: { name: 'grouped' } });
  const other = await world.service.createTag({ body: { name: 'also grouped' } });
  const mine = await newTicket('A clamp', { requesterId, assigneeId: sam.id, tags: [{ id: tag.id }] });
  const free = await newTicket('A clip', { requesterId, tags: [{ id: tag.id }, { id: other.id }] });
  const { page, problems } = await signedInPage(browser, world, WIDE);
  await page.goto(path);
  await rowOf(page, free.code).waitFor();
  const group = (name: string | RegExp) => page.getByRole('button', { name });
  const groupBy = (name: string) =>
    display(page, (panel) => panel.getByRole('button', { name, exact: true }).click());

  await groupBy('Assignee');
  await group(/^Sam Parks\s*1$/).waitFor();
  await group(/^Unassigned\s*1$/).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  // A third one, which another agent opens.
  const third = await newTicket('A clasp', { requesterId, assigneeId: sam.id });
  await group(/^Sam Parks\s*2$/).waitFor();
  await group(/^Sam Parks\s*2$/).click();
  await rowOf(page, third.code).waitFor({ state: 'detached' });
  await group(/^Sam Parks\s*2$/).click();
  await rowOf(page, third.code).click();
  await page.getByRole('heading', { level: 1, name: 'A clasp' }).waitFor();
  await group(/^Unassigned\s*1$/).waitFor();
  // The next one of its group, which is not the next one that was changed.
  await page.keyboard.press('r');
  await page.keyboard.type('It is fixed');
  await page.getByRole('button', { name: 'Other ways to send' }).click();
  await page.getByRole('menuitem', { name: 'Send and next ticket' }).click();
  await page.getByRole('heading', { level: 1, name: 'A clamp' }).waitFor();
  await page.getByRole('heading', { level: 1 }).last().click();
  await page.keyboard.press('Escape');
  await page.reload();
  await group(/^Sam Parks\s*2$/).waitFor();

  // A ticket with two tags is in both groups, and keys go through each of them.
  await groupBy('Tag');
  await group(/^grouped\s*2$/).waitFor();
  await group(/^also grouped\s*1$/).waitFor();
  await group(/^No tags\s*1$/).waitFor();
  await until('both rows', async () => (await rowOf(page, free.code).count()) === 2);
  const rows = await codes(page);
  const current = `[...document.querySelectorAll('[data-code]')].findIndex(({ dataset }) => 'current' in dataset)`;
  for (let at = 0; at < rows.length; at++) {
    await page.keyboard.press('j');
    await until(`row ${at}`, async () => (await page.evaluate<number>(current)) === at);
  }
  expect(rows.toSorted()).toEqual([mine.code, free.code, free.code, third.code].toSorted());
  await groupBy('None');
  await until('one list', async () => (await codes(page)).length === 3);
  expect(problems).toEqual([]);
});

test('of a long list only the rows in view are drawn, scrolling reads on, and keys go on from the current row', async () => {
  const [one] = (await world.service.listTickets({ query: { limit: 1 } })).items;
  const { page } = await signedInPage(browser, world, WIDE);
  const total = 100_000;
  await page.route(/\/desk\/api\/tickets\?/, (route) => {
    const query = new URL(route.request().url()).searchParams;
    const [from, limit] = [Number(query.get('cursor') ?? 0), Number(query.get('limit'))];
    const items = Array.from({ length: limit }, (_, index) => {
      const at = from + index;
      return { ...one, id: `tkt_${at}`, code: `IT-${10_000 + at}`, title: `Made up ${at}` };
    });
    return route.fulfill({ json: { items, totalCount: total, nextCursor: String(from + limit) } });
  });
  await page.goto(`${world.urls.root}/views/all?sortBy=createdAt`);
  await page.getByText('Made up 49').waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  const toEnd = `(() => {
    const scroller = document.querySelector('[data-line]').closest('ul').parentElement;
    scroller.scrollTop = scroller.scrollHeight;
  })()`;
  await until('400 rows', async () => {
    await page.evaluate(toEnd);
    return (await page.getByText('Made up 399').count()) > 0;
  });
  expect((await codes(page)).length).toBeLessThan(150);
  expect(await page.locator('[aria-posinset="400"][aria-setsize]').count()).toBe(1);
  // The current row is far above, and not drawn.
  expect(await page.getByText('Made up 2', { exact: true }).count()).toBe(0);
  await page.keyboard.press('j');
  await page.locator('[data-code="IT-10002"] a:focus').waitFor();
  expect(await page.locator('[data-code="IT-10002"]').isVisible()).toBe(true);
  await page.keyboard.press('j');
  await page.locator('[data-code="IT-10003"] a:focus').waitFor();
});

test('the highlight and the focus of the current row have one left edge', async () => {
  const { requesterId, path } = await listOf('edges@acme.example');
  const ticket = await newTicket('A latch', { requesterId });
  const { page } = await signedInPage(browser, world, WIDE);
  for (const width of [1440, 1000]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(path);
    await moveTo(page, ticket.code);
    const outlines = await page.evaluate<string[]>(
      `['[data-current]', '[data-current] a'].map((each) => getComputedStyle(document.querySelector(each)).outlineStyle)`,
    );
    expect(outlines).toEqual(['solid', 'none']);
  }
});

test('the CSV of a list has all of its tickets, those of later pages too, and no cell that a spreadsheet would run', async () => {
  const { requesterId, path } = await listOf('+csv@acme.example');
  const titles = ['=HYPERLINK("https://evil.example")', '+1', '-2', '@SUM(A1)', 'Plain, "quoted"'];
  for (const title of titles) await newTicket(title, { requesterId });
  for (let at = 0; at < 50; at++) await newTicket(`Row ${at}`, { requesterId });
  const { page, problems } = await signedInPage(browser, world, WIDE);
  await page.goto(`${path}&sortBy=createdAt&sortDirection=asc`);
  await page.getByText('Row 1', { exact: true }).waitFor();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Display', exact: true }).click();
  await page.getByRole('button', { name: 'Download this list as CSV' }).click();
  const file = await saved;
  await page.getByText('55 tickets saved as CSV').waitFor();
  expect(file.suggestedFilename()).toMatch(/^tickets All tickets \d{4}-\d\d-\d\d\.csv$/);
  const rows = parse<Record<string, string>>(readFileSync(await file.path()), {
    bom: true,
    columns: true,
  });
  expect(rows.map((row) => row['Title'])).toEqual([
    ...titles.slice(0, 4).map((title) => `'${title}`),
    titles[4],
    ...Array.from({ length: 50 }, (_, at) => `Row ${at}`),
  ]);
  expect(rows[0]).toMatchObject({ Requester: 'Uma', 'Requester e-mail': "'+csv@acme.example", Queue: 'IT' });
  expect(problems).toEqual([]);
});
