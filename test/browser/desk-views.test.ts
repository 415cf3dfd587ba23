import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { until } from '../harness/until.ts';
import { sharedWorld } from '../harness/world.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { closePicker } from './by-keys.ts';
import { demoRecords } from './demo-records.ts';
import { openDeskAs, signedInPage } from './open-page.ts';

const browser = useBrowser();
const world = sharedWorld();
const { person, newTicket, queueOf } = demoRecords(world);

const WIDE = { width: 1440, height: 900 };
const navigation = (page: Page) => page.getByRole('navigation', { name: 'Navigation' });
const linkTo = (page: Page, name: string) =>
  navigation(page).getByRole('link', { name: new RegExp(String.raw`^${name}\s*\d*\+?$`) });
const chip = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const rowOf = (page: Page, code: string) => page.locator(`[data-code="${code}"]`);
const savedViews = async () => (await world.service.listViews({})).items;
const marked = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('nav[aria-label=Navigation] [aria-current]')].map((link) => link.querySelector('span').textContent)`,
  );

/** Chooses from the menu of a saved view. */
async function act(page: Page, view: string, name: string): Promise<void> {
  await chip(page, `Actions of the view ${view}`).click();
  await page.getByRole('menuitem', { name, exact: true }).click();
  await page.getByRole('menu').waitFor({ state: 'detached' });
}

const newView = (name: string, more: object = {}) =>
  world.service.createView({ body: { name, isShared: true, filters: { priority: 'HIGH' }, ...more } });

test('the navigation names the workspace, counts the open tickets of each queue, and marks what is open beside a ticket too', async () => {
  const ticket = await newTicket('A gasket leaks');
  const [workspace] = (await world.service.listWorkspaces({})).items;
  const { page, problems } = await openDeskAs(browser, world, WIDE);
  await page.getByText(workspace?.name ?? '', { exact: true }).waitFor();
  const query = { queueId: await queueOf('IT'), openFilter: true, snoozedFilter: false, limit: 1 };
  const { totalCount } = await world.service.listTickets({ query });
  await navigation(page)
    .getByRole('link')
    .filter({ hasText: new RegExp(String.raw`^IT\s*${totalCount}$`) })
    .click();
  await heading(page, 'IT').waitFor();
  await rowOf(page, ticket.code).click();
  await heading(page, 'A gasket leaks').waitFor();
  expect(await marked(page)).toEqual(['IT']);
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await linkTo(page, 'Mine').click();
  await until('the mark', async () => String(await marked(page)) === 'Mine');
  expect(problems).toEqual([]);
});

test('views whose searches have more words than are counted at once all show their counts', async () => {
  const words = (of: string) => Array.from({ length: 32 }, (_, at) => `${of}${at + 10}`).join(' ');
  const names = ['Alder', 'Birch', 'Cedar', 'Daphne', 'Elder'];
  for (const name of names) {
    await newTicket(`Full of ${name}`, { description: words(name) });
    await newView(name, { filters: { search: words(name) } });
  }
  const { page } = await openDeskAs(browser, world, WIDE);
  for (const name of [...names.map((each) => `${each}\\s*1`), String.raw`IT\s*\d+`])
    await navigation(page)
      .getByRole('link')
      .filter({ hasText: new RegExp(`^${name}$`) })
      .waitFor();
  // The other tests count with fewer views.
  for (const { id, name } of await savedViews())
    if (names.includes(name)) await world.service.deleteView({ params: { id } });
});

test('an agent’s navigation leaves out the queues that only another team reads', async () => {
  const people = (await world.service.listQueues({})).items.find(({ prefix }) => prefix === 'PPL');
  expect(people?.visibility).toBe('team');
  const { page } = await openDeskAs(browser, world, { ...WIDE, email: DEMO.people.sam.email });
  await linkTo(page, 'IT').waitFor();
  expect(await linkTo(page, 'People').count()).toBe(0);
  const { page: admin } = await openDeskAs(browser, world, WIDE);
  await linkTo(admin, 'People').waitFor();
});

test('a ticket that is on its way has the title and the status that the list knows', async () => {
  const ticket = await newTicket('A spring squeaks');
  const { page } = await openDeskAs(browser, world, WIDE);
  await rowOf(page, ticket.code).waitFor();
  const gate = Promise.withResolvers<undefined>();
  await page.route(/\/desk\/api\/tickets\/[^/?]+$/, async (route) => {
    await gate.promise;
    await route.continue();
  });
  await rowOf(page, ticket.code).getByRole('link').click();
  await heading(page, 'A spring squeaks').waitFor();
  const main = page.getByRole('main', { name: `Ticket ${ticket.code}` });
  await main.getByText('Open', { exact: true }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Reply to Ada Reyes' }).count()).toBe(0);
  expect(await axeFindings(page, { every: true })).toEqual([]);
  gate.resolve(undefined);
  await page.getByRole('textbox', { name: 'Reply to Ada Reyes' }).waitFor();
});

test('a saved view shows its filters, is changed by them, renamed, shared, pinned, ordered and deleted, and the ticket that is open stays open', async () => {
  const mira = await person('mira');
  const ticket = await newTicket('A valve sticks', { priority: 'HIGH', assigneeId: mira.id });
  const others = [await newView('Second of all'), await newView('Third of all')];
  const { page, problems } = await signedInPage(browser, world, WIDE);
  await page.goto(`${world.urls.root}/tickets/${ticket.code}?priority=HIGH`);
  const isOpen = () => heading(page, 'A valve sticks').waitFor();
  await isOpen();
  await chip(page, 'Save view').click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Valves');
  await page.keyboard.press('Enter');
  await heading(page, 'Valves').waitFor();
  await isOpen();
  expect(await marked(page)).toEqual(['Valves']);
  const view = async () => (await savedViews()).find(({ name }) => name.startsWith('Valves'));

  // It is personal: a key does not see it.
  await act(page, 'Valves', 'Share with all agents');
  await until('the shared view', async () => (await view())?.isShared);
  const filter = page.getByRole('region', { name: 'Tickets' }).getByText('Priority: High');
  await filter.click();
  await page.getByRole('option', { name: 'Urgent' }).click();
  await closePicker(page);
  await chip(page, 'Save changes').click();
  await page.getByText('View “Valves” saved').waitFor();
  await until('the new filter', async () => (await view())?.filters['priority'] === 'URGENT,HIGH');
  await chip(page, 'Save changes').waitFor({ state: 'detached' });
  await page.keyboard.press('z');
  await until('the former filter', async () => (await view())?.filters['priority'] === 'HIGH');
  await filter.waitFor();

  await act(page, 'Valves', 'Edit…');
  await page.getByRole('textbox', { name: 'Name' }).fill('Valves and pipes');
  await page.keyboard.press('Enter');
  await heading(page, 'Valves and pipes').waitFor();

  const order = async () =>
    (
      await navigation(page)
        .getByRole('button', { name: /^Actions of the view/ })
        .all()
    ).length > 0
      ? (await navigation(page).getByRole('link').allInnerTexts()).map((text) => text.split('\n')[0])
      : [];
  const place = async (name: string) => (await order()).indexOf(name);
  await until('it comes last', async () => (await place('Valves and pipes')) > (await place('Third of all')));
  await act(page, 'Valves and pipes', 'Move up');
  await until('it has moved', async () => (await place('Valves and pipes')) < (await place('Third of all')));
  await until('the stored order', async () => {
    const names = (await savedViews())
      .toSorted((one, other) => one.position - other.position)
      .map(({ name }) => name);
    return names.indexOf('Valves and pipes') < names.indexOf('Third of all');
  });
  await act(page, 'Valves and pipes', 'Pin to top');
  await navigation(page).getByRole('heading', { name: 'Pinned' }).waitFor();
  await page.reload();
  await isOpen();
  await until(
    'it stands at the top',
    async () => (await place('Valves and pipes')) < (await place('Second of all')),
  );

  await act(page, 'Valves and pipes', 'Delete view');
  await page.getByText('View “Valves and pipes” deleted').waitFor();
  await until('the open tickets', async () => String(await marked(page)) === 'Open');
  await isOpen();
  expect((await savedViews()).map(({ name }) => name)).not.toContain('Valves and pipes');

  // An agent changes what others share for nobody but themselves.
  const { page: his } = await openDeskAs(browser, world, { ...WIDE, email: DEMO.people.sam.email });
  await chip(his, 'Actions of the view Second of all').click();
  await his.getByRole('menuitem').first().waitFor();
  expect(await his.getByRole('menuitem').allInnerTexts()).toEqual(['Pin to top']);
  for (const { id } of others) await world.service.deleteView({ params: { id } });
  expect(problems).toEqual([]);
});

test('a key is heard as soon as what it is for is drawn', async () => {
  const { code } = await newTicket('A bell rings');
  for (const [path, drawn, key, opens] of [
    ['/views/open', 'nav[aria-label="Navigation"]', '?', 'Keyboard shortcuts'],
    [`/tickets/${code}`, 'textarea[aria-label^="Reply to"]', 's', 'Status'],
  ] as const) {
    const { page, problems } = await signedInPage(browser, world, WIDE);
    // Before anything else happens on the page.
    await page.addInitScript(`new MutationObserver((_, observer) => {
      if (!document.querySelector('${drawn}')) return;
      observer.disconnect();
      document.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}' }));
    }).observe(document, { childList: true, subtree: true })`);
    await page.goto(`${world.urls.root}${path}`);
    await page.getByRole('dialog', { name: opens }).waitFor();
    expect(problems).toEqual([]);
  }
});

test('beside the list, the header of a waiting ticket is one line with what is done with it, and its title', async () => {
  const { items: statuses } = await world.service.listStatuses({});
  const statusId = statuses.find(({ label }) => label === 'Waiting')?.id ?? '';
  const { code } = await newTicket('A tap is hot', {
    statusId,
    assigneeId: null,
    queueId: await queueOf('IT'),
  });
  const { page } = await signedInPage(browser, world, WIDE);
  await page.goto(`${world.urls.root}/tickets/${code}`);
  await heading(page, 'A tap is hot').waitFor();
  const header = page.getByRole('main').locator('header').first();
  for (const name of ['Assign to me', 'Snooze', 'Merge'])
    await header.getByRole('button', { name }).waitFor();
  await header.getByText('Paused').waitFor();
  const top = async (text: string) => (await header.getByText(text).boundingBox())?.y ?? 0;
  expect(Math.abs((await top('Paused')) - (await top(code)))).toBeLessThan(8);
});

test('the address of a view that is not there any more says so, and any other unknown address keeps the navigation', async () => {
  const { id } = await world.service.createView({ body: { name: 'Old pipes', filters: {}, isShared: true } });
  const { page, problems } = await signedInPage(browser, world, WIDE);
  await page.goto(`${world.urls.root}/views/${id}`);
  await heading(page, 'Old pipes').waitFor();
  await world.service.deleteView({ params: { id } });
  await page.reload();
  await page.getByText('There is no such view').waitFor();
  expect([await page.locator('[data-code]').count(), await axeFindings(page, { every: true })]).toEqual([
    0,
    [],
  ]);
  await page.getByRole('button', { name: 'Show the open tickets' }).click();
  await heading(page, 'Open').waitFor();

  await page.goto(`${world.urls.root}/analytics/nothing/here`);
  await heading(page, 'We couldn’t find that page').waitFor();
  await navigation(page)
    .getByRole('link', { name: /^Inbox/ })
    .click();
  await heading(page, 'Inbox').waitFor();
  expect(problems).toEqual([]);
});

test('the command bar begins with what is done with the open ticket, marks the best hit, and one Escape closes it', async () => {
  const ticket = await newTicket('Zebra crossing is blocked');
  const other = await newTicket('Another zebra has escaped');
  const { page, problems } = await signedInPage(browser, world, WIDE);
  await page.goto(`${world.urls.root}/tickets/${ticket.code}`);
  await heading(page, 'Zebra crossing is blocked').waitFor();
  const bar = page.getByRole('dialog', { name: 'Search and commands' });
  const options = bar.getByRole('option');
  const best = bar.locator('[role=option][data-focused]');
  const open = async (typed: string) => {
    await bar.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await bar.getByRole('searchbox').waitFor();
    await page.keyboard.type(typed);
  };
  await open('');
  const first = async () =>
    (await options.allInnerTexts()).slice(0, 4).map((text) => text.replaceAll(/\s+/g, ' '));
  await expect.poll(first).toEqual(['Assignee… A', 'Assign to me I', 'Status… S', 'Priority… P']);
  expect(await bar.locator('[role=option] svg').count()).toBe(await options.count());
  expect(await axeFindings(page, { every: true })).toEqual([]);

  await page.keyboard.type('zebra');
  await best.filter({ hasText: /zebra/i }).filter({ hasNotText: 'Search for' }).waitFor();
  expect(await options.last().innerText()).toBe('Search for “zebra”');
  await page.keyboard.press('Escape');
  await bar.waitFor({ state: 'detached' });

  await open('another zebra');
  await best.filter({ hasText: other.code }).waitFor();
  await page.keyboard.press('Enter');
  await heading(page, 'Another zebra has escaped').waitFor();

  await open(ticket.code.toLowerCase());
  await best.filter({ hasText: 'Zebra crossing is blocked' }).waitFor();
  await page.keyboard.press('Enter');
  await heading(page, 'Zebra crossing is blocked').waitFor();

  await open('prio');
  await best.filter({ hasText: 'Priority…' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Priority' }).waitFor();
  expect(problems).toEqual([]);
});

test('the inbox stays beside what is opened from it, where it was scrolled to, and keys go on through it', async () => {
  const sam = await person('sam');
  const email = 'ines@acme.example';
  const ines = await world.service.createUser({ body: { firstName: 'Ines', lastName: 'Ort', email } });
  await world.service.updateUser({ params: { id: ines.id }, body: { role: 'agent' } });
  for (let at = 0; at < 30; at++) {
    const ticket = await newTicket(`Notice ${at}`);
    await world.service.updateTicket({
      params: { id: ticket.id },
      body: { data: { assigneeId: ines.id }, actorId: sam.id },
    });
  }
  const { page, problems } = await signedInPage(browser, world, { ...WIDE, email });
  await page.goto(`${world.urls.root}/inbox`);
  const scroller = `document.querySelector('section[aria-label=Inbox] ul').parentElement`;
  const entry = (title: string) =>
    page.getByRole('listitem').filter({ has: page.getByText(title, { exact: true }) });
  await entry('Notice 29').waitFor();
  const width = await page.evaluate<number>(`${scroller}.clientWidth`);
  expect((await entry('Notice 29').boundingBox())?.width).toBe(width);
  const top = () => page.evaluate<number>(`${scroller}.scrollTop`);
  await entry('Notice 5').scrollIntoViewIfNeeded();
  const before = await top();
  expect(before).toBeGreaterThan(0);
  await entry('Notice 5').click();
  await heading(page, 'Notice 5').waitFor();
  await heading(page, 'Inbox').waitFor();
  expect(await marked(page)).toEqual(['Inbox']);
  expect(await top()).toBe(before);
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await page.keyboard.press('k');
  await heading(page, 'Notice 6').waitFor();
  await page.keyboard.press('j');
  await heading(page, 'Notice 5').waitFor();
  await page.keyboard.press('j');
  await heading(page, 'Notice 4').waitFor();
  await until('the three to be read', async () => (await page.locator('li[data-unread]').count()) === 27);
  await page.reload();
  await heading(page, 'Notice 4').waitFor();
  await heading(page, 'Inbox').waitFor();
  await entry('Notice 3').waitFor();
  await page.keyboard.press('r');
  await page.keyboard.type('It is done');
  await page.getByRole('button', { name: 'Other ways to send' }).click();
  await page.getByRole('menuitem', { name: 'Send and next ticket' }).click();
  await heading(page, 'Notice 3').waitFor();
  await page.getByRole('heading', { level: 1 }).last().click();
  await page.keyboard.press('Escape');
  await page.waitForURL(/\/inbox$/);
  expect(problems).toEqual([]);
});
