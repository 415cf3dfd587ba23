import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';

import { axeFindings, useBrowser } from './browser.ts';
import { signInLink } from '../harness/sign-in.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { sharedWorld, startWorld } from '../harness/world.ts';
import { openDesk } from '../desk/open-desk.ts';
import { startTestService } from '../service/harness.ts';
import { continueWithSandbox, isAsWide, openDeskAs } from './open-page.ts';
import { slackSettings } from '../harness/bridge-settings.ts';

const browser = useBrowser();
const CHANNEL = 'it-help';
const PHONE = { width: 360, height: 740 };

const findings = (page: Page) => axeFindings(page, { every: true });
const account = (page: Page) => page.getByRole('button', { name: /^Account of/ });
const signInPage = (page: Page) => page.getByRole('heading', { level: 1, name: 'Sign in to the desk' });
const row = (page: Page, title: string) =>
  page.getByLabel('Tickets', { exact: true }).getByRole('link', { name: title });

describe('the sign-in page', () => {
  const world = sharedWorld();

  test('has a button per provider, leads back to what was open, and shows nothing of the desk before', async () => {
    const { page, problems } = await browser.open(`${world.urls.root}/analytics`);
    await signInPage(page).waitFor();
    const links = page.getByRole('link', { name: /^Continue with/ });
    expect(await links.allInnerTexts()).toEqual(['Continue with Slack (sandbox)']);
    expect([
      await page.getByLabel('API key').count(),
      await page.getByRole('navigation', { name: 'Navigation' }).count(),
    ]).toEqual([0, 0]);
    expect(await findings(page)).toEqual([]);
    await continueWithSandbox(page, 'Sam Parks');
    await page.getByRole('heading', { level: 1, name: 'Analytics' }).waitFor();
    expect(problems).toEqual([]);
    // No script of the page can read the session.
    const kept = await page.evaluate<string>(
      'JSON.stringify([localStorage, sessionStorage, document.cookie])',
    );
    expect(kept).not.toContain('dbs_');
  });

  test('says in a sentence why a sign-in was refused, and how to sign in where there is no provider', async () => {
    const { page } = await browser.open(`${world.urls.root}/sign-in`, PHONE);
    await signInPage(page).waitFor();
    const alert = page.getByRole('alert');
    const texts: string[] = [];
    for (const reason of ['unknown', 'unverified', 'deactivated', 'expired', 'failed', 'limited']) {
      await page.goto(`${world.urls.root}/sign-in?reason=${reason}`);
      texts.push(await alert.innerText());
    }
    expect(texts[0]).toBe(
      'There is no account for you here. Ask an admin to add the e-mail address that you sign in with.',
    );
    expect(new Set(texts).size).toBe(6);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect([await isAsWide(page), await findings(page)]).toEqual([true, []]);
    await page.route('**/auth/providers', (route) => route.fulfill({ json: [] }));
    await page.reload();
    await page.getByText('deskbridge people sign-in-link you@example.com').waitFor();
    expect([await isAsWide(page), await findings(page)]).toEqual([true, []]);
  });

  test('of a service that does not know people asks for an API key, and says that nobody is checked', async () => {
    const { url, token } = await startTestService();
    const { page } = await browser.open((await openDesk(url)).url);
    await page.getByText('anyone with the key can use any name').waitFor();
    const submit = async (key: string) => {
      await page.getByLabel('API key').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    await submit('dbk_of_nobody_at_all');
    await page.getByText('This API key is not valid').waitFor();
    expect(await findings(page)).toEqual([]);
    await submit(token);
    await page.getByRole('heading', { level: 1, name: 'Who are you?' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Continue as the key’s own user' }).click();
    await page.getByRole('heading', { level: 1, name: 'Open' }).waitFor();
    const kept = await page.evaluate<string>(
      'JSON.stringify([localStorage, sessionStorage, document.cookie])',
    );
    expect(kept).not.toContain(token);
  });

  test('returns when the session is ended elsewhere; the account shows who one is and where one is signed in', async () => {
    const link = await browser.open(await signInLink(world), PHONE);
    await link.page.getByRole('heading', { level: 1, name: 'Sign in as Mira Lind' }).waitFor();
    expect([await isAsWide(link.page), await findings(link.page)]).toEqual([true, []]);
    const desk = await openDeskAs(browser, world, { ownSession: true });
    const other = await openDeskAs(browser, world, { ownSession: true });
    await account(desk.page).click();
    await desk.page.getByRole('menuitem', { name: 'Account' }).click();
    const main = desk.page.getByRole('main');
    await main.getByText('mira@acme.example').waitFor();
    await main.getByText('Admin · all queues').waitFor();
    const ends = main.getByRole('button', { name: /^End the session/ });
    await ends.first().waitFor();
    await main.getByText('This session', { exact: true }).waitFor();
    expect(await findings(desk.page)).toEqual([]);
    const before = await ends.count();
    await ends.first().click();
    await until('one session less', async () => (await ends.count()) === before - 1);
    await signInPage(other.page).waitFor();
    const third = await openDeskAs(browser, world, { ownSession: true });
    await desk.page.reload();
    await main.getByRole('button', { name: 'End all other sessions' }).click();
    await signInPage(third.page).waitFor();
    await ends.first().waitFor({ state: 'detached' });
    await main.getByRole('button', { name: 'Sign out' }).click();
    await signInPage(desk.page).waitFor();
  });
});

test('a new member of the Slack workspace signs in with Slack, becomes an agent of one queue, sees no private ticket of another, and is out once deactivated, at either replica', async () => {
  const world = await startWorld();
  const { chat, service, urls } = world;
  const replica = await startWorld(
    {
      DATABASE_URL: world.environment['DATABASE_URL'] ?? '',
      ...slackSettings(urls.sandbox),
    },
    ['start'],
  );
  world.skipComparison('two bridges share its work');
  const { items: queues } = await service.listQueues({});
  const queueOf = (name: string) => queues.find((queue) => queue.name === name)?.id ?? '';
  const secretOf = (name: string) =>
    service.createTicket({ body: { title: `A secret of ${name}`, queueId: queueOf(name), private: true } });
  const [ofIt, ofPeople] = [await secretOf('IT'), await secretOf('People')];

  // Until they are known, they are refused; a request in chat makes them a user.
  await chat.post('add-person', {
    name: 'noor',
    firstName: 'Noor',
    lastName: 'Haddad',
    email: 'noor@elsewhere.example',
  });
  const { page } = await browser.open(urls.root);
  await continueWithSandbox(page, 'Noor Haddad');
  await page.getByRole('alert').getByText('There is no account for you here').waitFor();
  await chat.post('join', { channel: CHANNEL, user: 'noor' });
  const { bot } = await chat.state();
  const { ts } = await chat.say(CHANNEL, 'noor', `<@${bot}> My badge does not work`);
  const own = await ticketAt(service, ts);
  await continueWithSandbox(page, 'Noor Haddad');

  // A requester: the own ticket, with a reply and nothing else.
  await page.getByRole('heading', { name: 'My requests' }).waitFor();
  await page.getByRole('link', { name: 'My badge does not work' }).click();
  const reply = page.getByRole('textbox', { name: /^(Reply|Write a reply)/ }).first();
  await reply.waitFor();
  expect(await page.getByRole('link', { name: /A secret/ }).count()).toBe(0);
  expect(await page.getByText('Internal note').count()).toBe(0);
  expect(await page.getByRole('link', { name: /^(Settings|Analytics|Inbox)/ }).count()).toBe(0);
  expect(await findings(page)).toEqual([]);
  await reply.fill('It blinks red');
  await page.keyboard.press('Control+Enter');
  await until('the reply', async () =>
    (await service.listTicketMessages({ query: { ticketId: own.id } })).items.some(
      ({ content, authorId }) => content === 'It blinks red' && authorId === own.requesterId,
    ),
  );

  // An admin makes them an agent of IT, at the other replica; their open page offers more at once.
  const person = { params: { id: own.requesterId ?? '' } };
  await replica.service.updateUser({ ...person, body: { role: 'agent', queueIds: [queueOf('IT')] } });
  await page.getByRole('link', { name: /^Inbox/ }).waitFor();
  await page.goto(`${urls.root}/views/open`);
  await row(page, 'A secret of IT').waitFor();
  expect(await row(page, 'A secret of People').count()).toBe(0);
  await page.goto(`${urls.root}/tickets/${ofPeople.code}`);
  await page.getByText(`There is no ${ofPeople.code} here`).waitFor();
  expect(await page.getByText('A secret of People').count()).toBe(0);
  await page.goto(`${urls.root}/tickets/${ofIt.code}`);
  await page.getByText('A secret of IT').first().waitFor();

  // Deactivated at one replica, out at both.
  const beside = (await openDeskAs(browser, replica, { email: 'noor@elsewhere.example' })).page;
  await row(beside, 'A secret of IT').waitFor();
  await service.updateUser({ ...person, body: { isDeactivated: true } });
  for (const each of [page, beside])
    await until('the sign-in page', async () => signInPage(each).isVisible());
  await page.goto(urls.root);
  await continueWithSandbox(page, 'Noor Haddad');
  await page.getByRole('alert').getByText('Your account is deactivated').waitFor();
});
