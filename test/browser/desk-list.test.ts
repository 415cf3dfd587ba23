import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { until } from '../harness/until.ts';
import { sharedWorld, startWorld } from '../harness/world.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { choose, closePicker, moveTo, pressPair } from './by-keys.ts';
import { demoRecords } from './demo-records.ts';
import { openDeskAs, signedInPage } from './open-page.ts';

const browser = useBrowser();
const world = sharedWorld();

const { person, newTicket, read } = demoRecords(world);
const rowOf = (page: Page, code: string) => page.locator(`[data-code="${code}"]`);
const chip = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const views = (page: Page) => page.getByRole('navigation', { name: 'Navigation' });

test('the list shows twenty rows in 900 px, a new ticket appears by itself as unread, and a press on its clock opens it', async () => {
  const { page, problems } = await signedInPage(browser, world, { width: 1440, height: 900 });
  // How many of the demo's tickets are open depends on the day.
  await page.goto(`${world.urls.root}/views/all`);
  await page.locator('[data-code]').nth(19).waitFor();
  const whole = `[...document.querySelectorAll('[data-code]')]
    .filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length`;
  expect(await page.evaluate<number>(whole)).toBeGreaterThanOrEqual(20);

  const dueAt = new Date(world.clock.now().getTime() + 2 * 60 * 60_000).toISOString();
  const ticket = await newTicket('A fan rattles', { dueAt });
  const row = rowOf(page, ticket.code);
  await row.waitFor();
  await row.getByText('Unread').waitFor({ state: 'attached' });
  await row.getByTitle(/^Due: /).click();
  await page.getByRole('heading', { level: 1, name: 'A fan rattles' }).waitFor();
  // Opened, it has been read.
  await until('no unread mark', async () => (await row.getByText('Unread').count()) === 0);
  expect(problems).toEqual([]);
});

test('several tickets change at once, and Undo gives each its own former value; keys act on the current row', async () => {
  const [mira, sam] = [await person('mira'), await person('sam')];
  const tag = await world.service.createTag({ body: { name: 'cables' } });
  const one = await newTicket('A cable is short', { assigneeId: mira.id, priority: 'HIGH' });
  const other = await newTicket('A cable is long', { priority: 'LOW', tags: [{ id: tag.id }] });
  const tickets = [one, other];
  const all = async (check: (record: Awaited<ReturnType<typeof read>>) => boolean) =>
    (await Promise.all(tickets.map(({ id }) => read(id)))).every(check);
  const { page, problems } = await openDeskAs(browser, world);
  const select = async () => {
    for (const { code } of tickets) {
      await moveTo(page, code);
      await page.keyboard.press('x');
      await page.locator(`[data-code="${code}"][data-selected]`).waitFor();
    }
  };
  const undo = async (said: string) => {
    await page.getByText(said).waitFor();
    await page.keyboard.press('z');
  };
  const tagged = async ({ id }: { id: string }) => (await read(id)).tags.some((each) => each.id === tag.id);

  await select();
  await choose(page, 'a', 'Sam Parks');
  await until('both to be assigned', () => all(({ assigneeId }) => assigneeId === sam.id));
  await undo('2 tickets assigned to Sam Parks');
  await until(
    'the former assignees',
    async () => (await read(one.id)).assigneeId === mira.id && (await read(other.id)).assigneeId === null,
  );

  await select();
  await choose(page, 'p', 'Urgent');
  await until('both to be urgent', () => all(({ priority }) => priority === 'URGENT'));
  // Another agent has decided since: that stays.
  await world.service.updateTicket({
    params: { id: other.id },
    body: { data: { priority: 'MEDIUM' }, actorId: sam.id },
  });
  await undo('Priority of 2 tickets set to Urgent');
  await until('the former priority', async () => (await read(one.id)).priority === 'HIGH');
  await page.getByText(new RegExp(`${other.code}: .*Sam Parks`)).waitFor();
  expect((await read(other.id)).priority).toBe('MEDIUM');

  await select();
  await choose(page, 'l', 'cables');
  await until('the tag on both', () => all(({ tags }) => tags.some(({ id }) => id === tag.id)));
  await undo('2 tickets tagged cables');
  await until('the tag to be removed', async () => !(await tagged(one)));
  expect(await tagged(other)).toBe(true);

  // As on the page of a ticket: the usual times, and any day.
  await select();
  await page.keyboard.press('h');
  const times = page.getByRole('list', { name: 'Quick choices' }).getByRole('button');
  await times.first().and(page.locator(':focus')).waitFor();
  await times.filter({ hasText: 'Pick a date and time' }).waitFor();
  await page.keyboard.press('Enter');
  await until('both to be snoozed', () => all(({ snoozeUntil }) => snoozeUntil !== null));
  await undo('2 tickets snoozed until');
  await until('neither to be snoozed', () => all(({ snoozeUntil }) => snoozeUntil === null));

  // The current row alone, without selecting it.
  await moveTo(page, one.code);
  await choose(page, 'p', 'Low');
  await until('a low priority', async () => (await read(one.id)).priority === 'LOW');
  expect((await read(other.id)).priority).toBe('MEDIUM');
  expect(problems.filter((each) => !/409/.test(each))).toEqual([]);
});

test('filters are chips that are added, changed and removed; a view is saved for oneself or for the team, and a deleted one is restored', async () => {
  const sam = await person('sam');
  const ticket = await newTicket('A mouse squeaks', { assigneeId: sam.id, priority: 'HIGH' });
  const { page, problems } = await openDeskAs(browser, world);
  const filter = async (field: string, value: string | RegExp) => {
    await chip(page, 'Filter').click();
    await page.locator('[role=dialog] input:focus').waitFor();
    await page.keyboard.type(field);
    await page.getByRole('option', { name: field, exact: true }).click();
    await page.getByRole('option', { name: value }).click();
    await closePicker(page);
  };
  await filter('Assignee', /Sam Parks/);
  await filter('Priority', 'No priority');
  await page.getByText('No ticket matches these filters').waitFor();
  // Changed in its place: of several values any is enough.
  await chip(page, 'Priority: No priority').click();
  await page.getByRole('option', { name: 'High' }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('option', { name: 'High' }).click();
  await rowOf(page, ticket.code).waitFor();
  await closePicker(page);
  await chip(page, 'Priority: High or No priority').waitFor();
  // Any day can be chosen; one press of Escape closes the choice.
  await chip(page, 'Filter').click();
  await page.locator('[role=dialog] input:focus').waitFor();
  await page.keyboard.type('Created b');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await chip(page, 'Filter').click();
  await page.getByRole('option', { name: 'Created since' }).click();
  await page.getByRole('option', { name: 'Pick a day…' }).click();
  await page.getByRole('gridcell').getByRole('button').first().waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('gridcell').getByRole('button').first().click();
  await chip(page, /^Created since: [A-Z][a-z]{2} \d+, \d{4}$/).waitFor();
  await chip(page, 'Remove the filter Created since').click();
  await chip(page, /^Created since/).waitFor({ state: 'detached' });

  const save = async (name: string, isShared: boolean) => {
    await chip(page, /^Save (view|as new view)$/).click();
    await page.getByRole('textbox', { name: 'Name' }).fill(name);
    if (isShared) await page.getByRole('dialog').getByText('Share with all agents').click();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name }).waitFor();
  };
  await save('What Sam must do', true);
  await rowOf(page, ticket.code).waitFor();
  await views(page)
    .getByRole('link')
    .filter({ hasText: /^What Sam must do\s*\d+$/ })
    .waitFor();
  await filter('Queue', 'IT');
  await save('In my queue', false);

  const { page: his } = await openDeskAs(browser, world, { email: DEMO.people.sam.email });
  await views(his)
    .getByRole('link', { name: /^What Sam must do/ })
    .click();
  await rowOf(his, ticket.code).waitFor();
  expect(await views(his).getByText('In my queue').count()).toBe(0);

  await chip(page, 'Actions of the view In my queue').click();
  await page.getByRole('menuitem', { name: 'Delete view' }).click();
  await page.getByText('View “In my queue” deleted').waitFor();
  await views(page).getByText('In my queue').waitFor({ state: 'detached' });
  await page.keyboard.press('z');
  await views(page).getByText('In my queue').click();
  await rowOf(page, ticket.code).waitFor();
  expect(problems).toEqual([]);
});

test('the inbox shows by itself what concerns the signed-in person, and what is opened there is read', async () => {
  const sam = await person('sam');
  const email = 'nora@acme.example';
  const nora = await world.service.createUser({ body: { firstName: 'Nora', lastName: 'Quist', email } });
  await world.service.updateUser({ params: { id: nora.id }, body: { role: 'agent' } });
  const { page, problems } = await openDeskAs(browser, world, { email });
  const inbox = views(page).getByRole('link', { name: /^Inbox/ });
  const noneUnread = () => until('none unread', async () => (await inbox.getByText(/unread/).count()) === 0);
  await pressPair(page, 'g', 'i');
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();

  const ticket = await newTicket('A desk wobbles');
  await world.service.updateTicket({
    params: { id: ticket.id },
    body: { data: { assigneeId: nora.id }, actorId: sam.id },
  });
  const entry = page.getByRole('listitem').filter({ hasText: 'A desk wobbles' });
  await entry.getByText('Sam Parks assigned this to you').waitFor();
  await inbox.getByText(/unread/).waitFor({ state: 'attached' });
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'A desk wobbles' }).waitFor();
  await noneUnread();
  await page.goBack();
  await entry.waitFor();
  expect(await page.locator('li[data-unread]').count()).toBe(0);

  await world.service.createTicketMessage({
    body: {
      ticketId: ticket.id,
      authorId: sam.id,
      private: true,
      content: `Ask [@Nora Quist](user:${nora.id})`,
    },
  });
  await page.getByText('Sam Parks mentioned you').waitFor();
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await noneUnread();
  expect(problems).toEqual([]);
});

test('an empty desk shows an admin what to set up, each step with its state, until they dismiss it', async () => {
  const { service, ...empty } = await startWorld({}, ['start']);
  const email = 'first@acme.example';
  const admin = { firstName: 'First', lastName: 'Admin', email };
  await service.createUser({ body: admin });
  const { page, problems } = await openDeskAs(browser, { service, ...empty }, { email });
  const steps = page.getByRole('list', { name: 'Get started' }).getByRole('listitem');
  await steps.first().waitFor();
  expect(await steps.allInnerTexts()).toEqual([
    'Connect Slack\ndone',
    'Link a channel to a queue',
    'Invite your team',
    'Set business hours',
    'Mention the bot in the linked channel to open a first ticket',
  ]);
  await page.getByText('1 of 5 done').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  const second = await service.createUser({ body: { ...admin, email: 'second@acme.example' } });
  await service.updateUser({ params: { id: second.id }, body: { role: 'agent' } });
  await page.reload();
  await until('the team to be there', async () => (await steps.nth(2).innerText()).endsWith('done'));
  await steps.nth(1).getByRole('link').click();
  await page.getByRole('heading', { level: 1, name: 'Channels' }).waitFor();

  await page.goBack();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await steps.first().waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Open' }).waitFor();
  await page.getByText('No open tickets').waitFor();
  expect(await steps.count()).toBe(0);

  // Each view says what is not there, and the one thing to do.
  for (const [view, title, more] of [
    ['mine', 'No tickets assigned to you', 'Press I on a ticket'],
    ['snoozed', 'No snoozed tickets', 'Press H on a ticket to snooze it.'],
    ['approvals', 'No approvals waiting for you', 'appear here'],
    ['all', 'No tickets yet', 'Press C to create one'],
  ] as const) {
    await page.goto(new URL(`/views/${view}`, page.url()).href);
    await page.getByText(title).waitFor();
    await page.getByText(more).waitFor();
  }
  await page.keyboard.press('Tab');
  expect(await page.locator(':focus').innerText()).toBe('Skip to content');
  await page.keyboard.press('Enter');
  expect(await page.locator(':focus').innerText()).toBe('All tickets');
  expect(problems).toEqual([]);
});

test('scrolling to the end asks for the next rows only, and a change reads again what is shown, at most 200 rows at once', async () => {
  // The demo has 200.
  await newTicket('A lid is loose');
  const { page, problems } = await signedInPage(browser, world, { width: 1440, height: 900 });
  const asked: { limit: number; isContinued: boolean }[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (request.method() === 'GET' && pathname === '/desk/api/tickets')
      asked.push({ limit: Number(searchParams.get('limit')), isContinued: searchParams.has('cursor') });
  });
  const scroller = `document.querySelector('[data-line]').closest('ul').parentElement`;
  const toEnd = () => page.evaluate(`${scroller}.scrollTop = ${scroller}.scrollHeight`);
  const lastDrawn = () =>
    page.evaluate<string>(`[...document.querySelectorAll('[data-code]')].at(-1).dataset.code`);
  /** Of a long list only what is in view is drawn: all of it, seen in steps. */
  const codes = () =>
    page.evaluate<string[]>(`(async () => {
      const found = new Set();
      for (let top = 0; top < ${scroller}.scrollHeight; top += 400) {
        ${scroller}.scrollTop = top;
        await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
        for (const { dataset } of document.querySelectorAll('[data-code]')) found.add(dataset.code);
      }
      return [...found];
    })()`);
  await page.goto(`${world.urls.root}/views/all?sortBy=createdAt`);
  await page.locator('[data-code]').nth(49).waitFor();
  const list = async () => {
    const query = { sortBy: 'createdAt', sortDirection: 'desc', limit: 250 } as const;
    return (await world.service.listTickets({ query })).items.map(({ code }) => code);
  };
  const all = await list();
  expect(all.length).toBeGreaterThan(200);

  asked.length = 0;
  for (let shown = 100; shown <= 200; shown += 50) {
    await toEnd();
    await until(`${shown} rows`, async () => {
      const rows = await page.evaluate<number>(`Math.round(${scroller}.scrollHeight / 36)`);
      return rows >= shown && asked.length === shown / 50 - 1;
    });
  }
  expect(asked).toEqual([1, 2, 3].map(() => ({ limit: 50, isContinued: true })));

  await until('all rows', async () => {
    await toEnd();
    return (await lastDrawn()) === all.at(-1);
  });
  expect(await codes()).toEqual(all);
  // A change of a row on a later page, and a row that comes first.
  asked.length = 0;
  const [changed = ''] = all.slice(120);
  await world.service.updateTicket({ params: { id: changed }, body: { data: { title: 'Its fan hums' } } });
  await newTicket('A hinge creaks');
  await until('the list as the service has it', async () => String(await codes()) === String(await list()));
  await page.evaluate(`${scroller}.scrollTop = 118 * 36`);
  await rowOf(page, changed).getByText('Its fan hums').waitFor();
  expect(Math.max(...asked.map(({ limit }) => limit))).toBe(200);
  expect(asked.some(({ isContinued }) => isContinued)).toBe(true);
  expect(problems).toEqual([]);
});
