import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { continueWithSandbox } from './open-page.ts';
import { until } from '../harness/until.ts';
import { startProcess } from '../harness/world.ts';

const browser = useBrowser();
const CHANNEL = 'it-help';
const { mira } = DEMO.people;
const MIRA = `${mira.firstName} ${mira.lastName}`;

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });
const open = (page: Page, code: string) => page.locator(`.row[data-code="${code}"]`);

const account = (page: Page) => page.getByRole('button', { name: `Account of ${MIRA}` });

test('an agent signs in, replies in the thread, adds an internal note, and opens a ticket, all by keyboard', async () => {
  const world = await startProcess();
  const { chat, service, urls } = world;
  // The parts of the banner.
  expect(world.log.find(({ msg }) => msg === 'ready')).toMatchObject({ desk: urls.root });
  const { bot } = await chat.state();
  const root = await chat.say(CHANNEL, 'ada', `<@${bot}> My laptop does not start`);
  const ticket = await until(
    'the ticket',
    async () => (await service.listTickets({ query: { chatMessageTs: root.ts } })).items[0],
  );
  await world.untilIdle();
  // The page behind the card's link links to the desk.
  const inThread = JSON.stringify(await chat.thread(CHANNEL, root.ts));
  const [link = ''] = /http[^"|>\s]+\/shared\/[^"|>\s]+\?k=[\w.-]+/.exec(inThread) ?? [];
  expect(await (await fetch(link)).text()).toContain(`href="${urls.root}/#/tickets/${ticket.code}"`);
  const { page, problems } = await browser.open(urls.root);

  // No script of the page can read the session.
  await continueWithSandbox(page, MIRA);
  await account(page).waitFor();
  const kept = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage, document.cookie])');
  expect(kept).not.toContain('dbs_');

  // The list: by keyboard, filtered, searched, saved as a view.
  await heading(page, 'Tickets').waitFor();
  await open(page, ticket.code).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press('/');
  await page.keyboard.type('laptop does not start');
  // Tickets with all of the words come first; tickets with some may follow, and the others are gone.
  const rows = page.locator('.row');
  await until(
    'the ticket first, and few others',
    async () => (await rows.count()) <= 5 && (await rows.first().innerText()).includes(ticket.code),
  );
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.getByText('Filters').click();
  await page.getByLabel('Priority').selectOption('URGENT');
  await open(page, ticket.code).waitFor({ state: 'detached' });
  await page.getByLabel('Save this view as').fill('Burning');
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByRole('link', { name: 'Open', exact: true }).click();
  await open(page, ticket.code).waitFor();
  await page.getByRole('link', { name: 'Burning' }).click();
  await open(page, ticket.code).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Open', exact: true }).click();
  await open(page, ticket.code).waitFor();

  // The newest ticket is first: j selects it, Enter opens it, r starts a reply.
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await heading(page, 'My laptop does not start').waitFor();
  await page.getByLabel('Reply to Ada Reyes').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press('r');
  await page.keyboard.type('Have you tried the other charger?');
  await page.keyboard.press('Control+Enter');
  await page.locator('.message[data-kind="answered"]', { hasText: 'other charger' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('n');
  await page.keyboard.type('Her model was recalled');
  await page.keyboard.press('Control+Enter');
  await page.locator('.message[data-kind="note"]', { hasText: 'recalled' }).waitFor();
  const answer = await until('the reply in the thread', async () =>
    (await chat.thread(CHANNEL, root.ts)).find(({ text }) => text.includes('other charger')),
  );
  expect(answer.username).toContain(MIRA);
  const [inChat] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('link', { name: 'Open the thread' }).click(),
  ]);
  await inChat.getByRole('complementary', { name: 'Thread' }).getByText('other charger').waitFor();
  await inChat.close();
  await world.untilIdle();
  expect(JSON.stringify(await chat.messages(CHANNEL))).not.toContain('recalled');

  // Messages from chat appear live; a reply that could not be sent stays.
  await chat.say(CHANNEL, 'ada', 'It starts now', root.ts);
  await page.locator('.message[data-kind="asked"]', { hasText: 'It starts now' }).waitFor();
  const sending = '**/desk/api/ticket-messages';
  await page.route(sending, (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  );
  await page.getByLabel('Reply to Ada Reyes').fill('Glad to hear it');
  await page.getByRole('button', { name: 'Send reply' }).click();
  await page.locator('.refusal', { hasText: 'The desk cannot be reached' }).waitFor();
  expect(await page.getByLabel('Reply to Ada Reyes').inputValue()).toBe('Glad to hear it');
  await page.unroute(sending);
  await page.getByRole('button', { name: 'Send reply' }).click();
  await page.locator('.message', { hasText: 'Glad to hear it' }).waitFor();

  await page.getByRole('button', { name: 'Take it' }).click();
  await page.getByLabel('Status').last().selectOption({ label: 'Done' });
  await until('the ticket is done', async () => {
    const { status, assigneeId } = await service.readTicket({ params: { id: ticket.id } });
    return status.label === 'Done' && assigneeId !== null;
  });
  await page.locator('.ticket .status', { hasText: 'Done' }).waitFor();
  expect(problems.filter((each) => !/401|ERR_FAILED/.test(each))).toEqual([]);

  // In another queue the ticket has another reference, which then is in the page's address.
  await page.getByLabel('Queue').last().selectOption({ label: 'People' });
  await page.waitForURL(/#\/tickets\/PPL-\d+$/);

  // A new ticket by form, with the questions of its request type.
  await page.locator('h1').last().focus();
  await page.keyboard.press('c');
  await heading(page, 'New ticket').waitFor();
  await page.getByLabel('What is it about?').selectOption({ label: 'Broken device' });
  await page.getByLabel('Title').fill('The lamp of room 4');
  expect(await axeFindings(page)).toEqual([]);
  for (const field of await page.locator('fieldset select[required]').all())
    await field.selectOption({ index: 1 });
  for (const field of await page.locator('fieldset :is(input, textarea)[required]').all())
    await field.fill('4');
  await page.getByRole('button', { name: 'Create ticket' }).click();
  await heading(page, 'The lamp of room 4').waitFor();
  const [made] = (await service.listTickets({ query: { search: 'The lamp of room 4' } })).items;
  expect(made).toMatchObject({ source: 'WEB', requestType: { name: 'Broken device' } });

  // A new API key is shown once, works, and stops working when it is revoked.
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'API keys' }).click();
  await heading(page, 'API keys').waitFor();
  await page.getByLabel('Name of a new key').fill('Reports');
  await page.getByRole('button', { name: 'Create key' }).click();
  const key = (await page.locator('.made code').textContent()) ?? '';
  const statusOf = async () =>
    (await fetch(`${urls.api}/tickets?limit=1`, { headers: { 'x-service-api-token': key } })).status;
  expect(await statusOf()).toBe(200);
  expect(await axeFindings(page)).toEqual([]);
  page.once('dialog', (dialog) => void dialog.accept());
  await page.getByRole('button', { name: 'Revoke Reports' }).click();
  await page.getByRole('button', { name: 'Revoke Reports' }).waitFor({ state: 'detached' });
  expect(await statusOf()).toBe(401);

  // On a phone in dark mode: one pane at a time, as wide as the screen.
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  const isAsWide = () => page.evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth');
  expect(await isAsWide()).toBe(true);
  await page.getByRole('link', { name: '← Tickets' }).click();
  await heading(page, 'Tickets').waitFor();
  expect([await isAsWide(), await axeFindings(page)]).toEqual([true, []]);
  await open(page, made?.code ?? '').click();
  await page.getByLabel('Internal note').waitFor();
  expect([await open(page, made?.code ?? '').isVisible(), await isAsWide(), await axeFindings(page)]).toEqual(
    [false, true, []],
  );

  await account(page).click();
  expect([await isAsWide(), await axeFindings(page)]).toEqual([true, []]);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('link', { name: /^Continue with/ }).waitFor();
  expect((await page.context().cookies()).filter(({ name }) => name === 'deskbridge_session')).toEqual([]);
}, 120_000);
