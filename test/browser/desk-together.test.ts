import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { signInLink } from '../harness/sign-in.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { sharedWorld } from '../harness/world.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { demoRecords } from './demo-records.ts';
import { openDeskAs, signedInPage } from './open-page.ts';
import { choose } from './open-settings.ts';

const browser = useBrowser();
const world = sharedWorld();
const { person, newTicket } = demoRecords(world);

async function show(page: Page, { code, title }: { code: string; title: string | null }): Promise<void> {
  await page.goto(`${world.urls.root}/tickets/${code}`);
  await page.getByRole('heading', { level: 1, name: title ?? code }).waitFor();
  await page.getByRole('region', { name: 'Conversation' }).waitFor();
}
const reply = (page: Page) => page.getByRole('textbox', { name: 'Reply to Ada Reyes' });

test('two agents see each other at a ticket, and who is typing, until one leaves', async () => {
  const ticket = await newTicket('The tap drips');
  const { page: mira, problems } = await signedInPage(browser, world);
  await show(mira, ticket);
  const { page: sam } = await signedInPage(browser, world, { email: DEMO.people.sam.email });
  await show(sam, ticket);
  const seen = (page: Page, name: string) =>
    page.getByRole('img', { name: `${name} is looking at this ticket` });
  await seen(mira, 'Sam Parks').waitFor();
  await seen(sam, 'Mira Lind').waitFor();
  await reply(sam).fill('It needs');
  await sam.keyboard.type(' a new seal');
  await mira.getByText('Sam Parks is typing…').waitFor();
  expect(await axeFindings(mira, { every: true })).toEqual([]);
  await sam.goto(`${world.urls.root}/inbox`);
  await seen(mira, 'Sam Parks').waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
});

test('what an AI agent wrote has its name on the ticket, where it is marked, in lists, in the inbox and on the page of the requester', async () => {
  const agent = await world.service.saveAgent({ body: { name: 'Scout' } });
  const ticket = await newTicket('The kettle leaks', {
    assignedAIAgent: agent.id,
    assigneeId: (await person('mira')).id,
  });
  const post = (content: string, more: object) =>
    world.service.createTicketMessage({ body: { ticketId: ticket.id, content, ...more } });
  await post('Descale it first', { source: 'AGENT', authorId: null });
  const { page } = await signedInPage(browser, world);
  await show(page, ticket);
  const answer = page.locator('li[data-kind]', { hasText: 'Descale it first' });
  await answer.getByText('Scout', { exact: true }).waitFor();
  await answer.getByText('AI agent', { exact: true }).waitFor();
  expect(await page.getByText('Unknown person').count()).toBe(0);

  await page.setViewportSize({ width: 1680, height: 900 });
  await page.goto(`${world.urls.root}/views/all?sortBy=createdAt`);
  await page.getByRole('link', { name: /The kettle leaks.*Scout: Descale it first/ }).waitFor();
  await until('the inbox to be told', async () => {
    await page.goto(`${world.urls.root}/inbox`);
    await page.getByRole('main').locator('[aria-busy=false]').waitFor();
    return page.getByRole('link', { name: /The kettle leaks.*Scout replied: Descale it first/ }).isVisible();
  });
  const { page: ada } = await openDeskAs(browser, world, { email: DEMO.people.ada.email });
  await ada.locator(`[data-code="${ticket.code}"]`, { hasText: 'Scout replied' }).waitFor();
  await ada.goto(`${world.urls.root}/requests/${ticket.code}`);
  await ada.locator('li[data-kind]', { hasText: 'Descale it first' }).getByText('Scout').waitFor();
});

test('around a ticket stand its thread by the channel’s name, its requester with their other requests, and similar tickets', async () => {
  const solved = await newTicket('The plotter smears blue ink', { assigneeId: (await person('sam')).id });
  const { items: statuses } = await world.service.listStatuses({});
  const done = statuses.find(({ label }) => label === 'Done')?.id ?? '';
  await world.service.updateTicket({ params: { id: solved.id }, body: { data: { statusId: done } } });
  const ticket = await newTicket('The plotter smears blue ink again');
  const { page, problems } = await signedInPage(browser, world, { width: 1440 });
  await show(page, ticket);
  const about = page.getByRole('complementary', { name: 'About this ticket' });
  await about.getByRole('link', { name: DEMO.people.ada.email }).waitFor();
  const others = about.getByRole('list', { name: 'Other requests' });
  await others.getByRole('link', { name: new RegExp(`^.*${solved.code} `) }).waitFor();
  await about.getByText('solved by Sam Parks').waitFor();
  await about.getByRole('link', { name: /^\d+ other requests$/ }).click();
  await page.locator(`[data-code="${solved.code}"]`).waitFor();

  const { bot } = await world.chat.state();
  const { ts } = await world.chat.say('it-help', 'ada', `<@${bot}> My desk lamp flickers`);
  const inChat = await ticketAt(world.service, ts);
  await world.untilIdle();
  await show(page, inChat);
  await about.getByRole('link', { name: 'Thread in #it-help' }).waitFor();
  expect(await axeFindings(page, { every: true })).toEqual([]);
  expect(problems).toEqual([]);
});

test('the list is sorted by another field, and the other way round', async () => {
  const at = (hours: number) => new Date(world.clock.now().getTime() + hours * 3_600_000).toISOString();
  const email = 'pia@acme.example';
  const { id: requesterId } = await world.service.createUser({ body: { firstName: 'Pia', email } });
  const sooner = await newTicket('A shelf falls', { requesterId, dueAt: at(3) });
  const later = await newTicket('A shelf leans', { requesterId, dueAt: at(9) });
  const { page, problems } = await signedInPage(browser, world);
  await page.goto(`${world.urls.root}/views/all?requesterId=${requesterId}`);
  const codes = () =>
    page.evaluate<string[]>(`[...document.querySelectorAll('[data-code]')].map((row) => row.dataset.code)`);
  const isOrder = (...order: string[]) =>
    until(order.join(', '), async () => (await codes()).join() === order.join());
  const sort = async (name: string) => {
    await page.getByRole('button', { name: /^Sort: / }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };
  await isOrder(later.code, sooner.code);
  await sort('Due');
  await isOrder(sooner.code, later.code);
  await page.getByRole('button', { name: 'Sort: Due' }).click();
  await page.getByRole('menuitem', { name: 'Descending' }).waitFor();
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await page.getByRole('menuitem', { name: 'Descending' }).click();
  await isOrder(later.code, sooner.code);
  await sort('Created');
  await page.getByRole('button', { name: 'Sort: Created' }).click();
  await page.getByRole('menuitem', { name: 'Ascending' }).click();
  await isOrder(sooner.code, later.code);
  // The best matches of a search have an order of their own.
  await page.goto(`${world.urls.root}/views/all?search=shelf`);
  await page.getByText(/^The best/).waitFor();
  expect(await page.getByRole('button', { name: /^Sort/ }).isDisabled()).toBe(true);
  expect(problems).toEqual([]);
});

test('a double click on Send stores one reply; a session that ends while one types keeps the text', async () => {
  const ticket = await newTicket('The window is stuck');
  const { page } = await signedInPage(browser, world);
  await show(page, ticket);
  await reply(page).fill('Push from below');
  await page.getByRole('button', { name: 'Send', exact: true }).dblclick();
  await page.locator('li[data-kind]').filter({ hasText: 'Push from below' }).waitFor();
  const stored = async () =>
    (await world.service.listTicketMessages({ query: { ticketId: ticket.id } })).items.map(
      ({ content }) => content,
    );
  await until('the reply', async () => (await stored()).includes('Push from below'));
  await reply(page).fill('And tell me how it went');
  await page.context().clearCookies();
  await page.keyboard.press('End');
  // Says that one types, which shows that the session has ended: what is typed until then is kept.
  await page.keyboard.type('!');
  await page.getByRole('heading', { name: 'Sign in to the desk' }).waitFor();
  await page.goto(await signInLink(world));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: /^Account of/ }).waitFor();
  await show(page, ticket);
  await until('the text', async () => /^And tell me how it went!?$/.test(await reply(page).inputValue()));
  expect((await stored()).filter((content) => content === 'Push from below')).toHaveLength(1);
  expect((await stored()).join()).not.toContain('And tell me');
});

test('a double click on Create or Save makes one record', async () => {
  const { service, urls } = world;
  const { page, problems } = await signedInPage(browser, world);
  const posts: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() === 'POST' && /^\/desk\/api\/[^/]+$/.test(pathname)) posts.push(pathname);
  });
  const twice = (name: string, scope: Page | Locator = page) =>
    scope.getByRole('button', { name, exact: true }).dblclick();
  const dialog = page.getByRole('dialog');

  await page.goto(`${urls.root}/new`);
  await choose(page, 'Requester', /^Ada Reyes/);
  await page.getByRole('textbox', { name: 'Title' }).fill('The door squeaks twice');
  await twice('Create ticket');
  await page.getByRole('heading', { level: 1, name: 'The door squeaks twice' }).waitFor();

  await page.goto(`${urls.root}/settings/tags`);
  await page.getByRole('button', { name: 'New tag' }).click();
  await dialog.getByLabel('Name').fill('squeaks');
  await twice('Create tag', dialog);
  await page.getByRole('button', { name: 'Delete “squeaks”' }).waitFor();

  await page.goto(`${urls.root}/settings/request-types/new`);
  await page.getByLabel('Name').first().fill('Squeaking doors');
  await twice('Save');
  await page.getByRole('heading', { level: 1, name: 'Squeaking doors' }).waitFor();

  await page.goto(`${urls.root}/views/all?priority=URGENT`);
  await twice('Save view');
  await dialog.getByRole('textbox').fill('Squeaks');
  await twice('Save', dialog);
  await page.getByRole('link', { name: 'Squeaks' }).waitFor();
  await dialog.waitFor({ state: 'detached' });

  expect(posts.filter((path) => !path.endsWith('/drafts'))).toEqual(
    ['tickets', 'tags', 'request-types', 'views'].map((name) => `/desk/api/${name}`),
  );
  expect((await service.listTickets({ query: { search: 'squeaks twice' } })).totalCount).toBe(1);
  expect(problems).toEqual([]);
});

test('no dialog has an axe finding', async () => {
  const ticket = await newTicket('The lift stops');
  await world.service.createWebhook({ body: { name: 'Monitor', url: 'https://monitor.example/hook' } });
  const { items: statuses } = await world.service.listStatuses({});
  const { id: statusGroupId } = statuses.find(({ label }) => label === 'Waiting')?.statusGroup ?? { id: '' };
  await world.service.createStatus({ body: { label: 'Ordered', statusGroupId } });
  const { page } = await signedInPage(browser, world, { width: 1440 });
  const findings: Record<string, string[]> = {};
  const look = async (name: string, open: () => Promise<void>, fill?: () => Promise<void>) => {
    await open();
    await page.getByRole('dialog').last().waitFor();
    await fill?.();
    findings[name] = await axeFindings(page, { every: true });
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  const key = (keys: string) => () => page.keyboard.press(keys);
  const press = (name: string | RegExp) => () => page.getByRole('button', { name }).first().click();
  const section = async (name: string) => {
    await page.goto(`${world.urls.root}/settings/${name}`);
    await page.getByRole('navigation', { name: 'Settings' }).waitFor();
  };
  await show(page, ticket);
  await look('keyboard help', key('?'));
  await look('command bar', key('Control+k'));
  await look('snooze', key('h'));
  await look('merge', key('m'));
  await look('link', press('Link a ticket'));
  await look('due date', press(/^Due: /));
  for (const [name, button] of [
    ['canned-replies', 'New canned reply'],
    ['api-keys', 'New API key'],
    ['api-keys', /^Revoke “/],
    ['people', 'Add person'],
    ['webhooks', 'New webhook'],
    ['channels', 'Link channel'],
    ['queues', 'New queue'],
    ['statuses', 'New status'],
    ['tags', 'New tag'],
    ['business-hours', 'New business hours'],
  ] as const) {
    await section(name);
    await look(`${name}: ${String(button)}`, press(button));
  }
  // Who is invited and has an account already; and a name that is not the one to confirm.
  await section('people');
  await look('taken e-mail', press('Add person'), async () => {
    await page.getByLabel('First name').fill('Mira');
    await page.getByRole('textbox', { name: 'E-mail' }).fill(DEMO.people.mira.email);
    await page.getByRole('dialog').getByRole('button', { name: 'Add person' }).click();
    await page.getByText('Mira Lind already has this e-mail address').waitFor();
  });
  for (const [name, record, button] of [
    ['people', /^Sam Parks/, 'Deactivate'],
    ['request-types', /New device/, 'Remove this request type'],
    ['agents', 'Patch', 'Remove AI agent'],
    ['personalities', /^A calm colleague/, 'Remove personality'],
    ['knowledge', 'IT handbook', 'Remove knowledge base'],
    ['canned-replies', 'Solved', 'Delete canned reply'],
    ['business-hours', 'Office hours', 'Delete business hours'],
    ['webhooks', 'Monitor', 'Remove webhook'],
    ['tags', undefined, /^Delete “/],
    ['statuses', undefined, 'Remove “Ordered”'],
  ] as const) {
    await section(name);
    if (record) await page.getByRole('main').getByRole('link', { name: record }).click();
    await look(`${name}: delete`, press(button), () =>
      page.getByRole('dialog').getByRole('textbox').fill('Something else'),
    );
  }
  await page.goto(`${world.urls.root}/new`);
  await page.getByRole('heading', { name: 'New ticket' }).waitFor();
  findings['new ticket'] = await axeFindings(page, { every: true });
  expect(Object.entries(findings).filter(([, found]) => found.length > 0)).toEqual([]);
  expect(Object.keys(findings)).toHaveLength(28);
});
