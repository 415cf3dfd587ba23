import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { signInLink } from '../harness/sign-in.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { sharedWorld, startWorld } from '../harness/world.ts';
import { openDesk } from '../desk/open-desk.ts';
import { startTestService } from '../service/harness.ts';
import { continueWithSandbox, isAsWide, openDeskAs } from './open-page.ts';

const browser = useBrowser();
const CHANNEL = 'it-help';
const PHONE = { width: 360, height: 740 };

const findings = (page: Page) => axeFindings(page, { every: true });
const account = (page: Page) => page.getByRole('button', { name: /^Account of/ });
const signInPage = (page: Page) => page.getByRole('heading', { level: 1, name: 'Sign in to the desk' });
const row = (page: Page, title: string) => page.locator('.row', { hasText: title });

describe('the sign-in page', () => {
  const world = sharedWorld();

  test('has a button per provider, leads back to what was open, and shows nothing of the desk before', async () => {
    const { page, problems } = await browser.open(`${world.urls.root}/#/analytics`);
    await signInPage(page).waitFor();
    const links = page.getByRole('link', { name: /^Continue with/ });
    expect(await links.allInnerTexts()).toEqual(['Continue with Slack (sandbox)']);
    expect([await page.getByLabel('API key').count(), await page.locator('.top').count()]).toEqual([0, 0]);
    expect(await findings(page)).toEqual([]);
    await continueWithSandbox(page, 'Sam Parks');
    await page.getByRole('heading', { level: 1, name: 'Analytics' }).waitFor();
    expect(problems).toEqual([]);

    // While it is not known who is there, the page is empty: neither the sign-in nor the desk is seen.
    const answer = Promise.withResolvers<undefined>();
    await page.route('**/desk/session', async (route) => {
      await answer.promise;
      await route.continue();
    });
    await page.reload();
    expect((await page.locator('#app').innerText()).trim()).toBe('');
    answer.resolve(undefined);
    await account(page).waitFor();
  });

  test('says in a sentence why a sign-in was refused, and how to sign in where there is no provider', async () => {
    const { page } = await browser.open(world.urls.root, PHONE);
    await signInPage(page).waitFor();
    const alert = page.getByRole('alert');
    const texts: string[] = [];
    for (const reason of ['unknown', 'unverified', 'deactivated', 'expired', 'failed', 'limited']) {
      await page.goto(`${world.urls.root}/#sign-in?reason=${reason}`);
      await until('another sentence', async () => (await alert.innerText()) !== texts.at(-1));
      texts.push(await alert.innerText());
    }
    expect(texts[0]).toBe(
      'There is no account for you here. Ask an admin to add you with the e-mail you sign in with.',
    );
    expect(new Set(texts).size).toBe(6);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect([await isAsWide(page), await findings(page)]).toEqual([true, []]);
    // A reload asks again, and does not repeat what was refused.
    await page.reload();
    await signInPage(page).waitFor();
    expect(await alert.count()).toBe(0);

    await page.route('**/auth/providers', (route) => route.fulfill({ json: [] }));
    await page.reload();
    await page.getByText('deskbridge people sign-in-link you@example.com').waitFor();
    expect([await isAsWide(page), await findings(page)]).toEqual([true, []]);
  });

  test('of a service that does not know people asks for an API key, and says that nobody is checked', async () => {
    const { url, token } = await startTestService();
    const { page } = await browser.open((await openDesk(url)).url);
    await page.getByText('everyone with a key is who they say they are').waitFor();
    const submit = async (key: string) => {
      await page.getByLabel('API key').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    await submit('dbk_of_nobody_at_all');
    await page.locator('.refusal', { hasText: 'This API key is not valid' }).waitFor();
    expect(await findings(page)).toEqual([]);
    // An answer from before the choice arrives after it.
    const chosen = Promise.withResolvers<undefined>();
    const asked = Promise.withResolvers<undefined>();
    let isHeld = false;
    await page.route('**/desk/session', async (route) => {
      if (isHeld || route.request().method() !== 'GET') return route.continue();
      isHeld = true;
      const response = await route.fetch();
      asked.resolve(undefined);
      await chosen.promise;
      return route.fulfill({ response });
    });
    await submit(token);
    const who = page.getByRole('dialog', { name: 'Who are you?' });
    await who.waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await asked.promise;
    await page.getByRole('button', { name: 'Continue as the key’s own user' }).click();
    await who.waitFor({ state: 'detached' });
    const late = page.waitForResponse((response) => response.url().endsWith('/desk/session'));
    chosen.resolve(undefined);
    await (await late).finished();
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    expect(await who.count()).toBe(0);
    const kept = await page.evaluate<string>(
      'JSON.stringify([localStorage, sessionStorage, document.cookie])',
    );
    expect(kept).not.toContain(token);
  });

  test('returns when the session is ended elsewhere; the account shows who one is and where one is signed in', async () => {
    const link = await browser.open(await signInLink(world), PHONE);
    await link.page.getByText('You sign in as Mira Lind').waitFor();
    expect([await isAsWide(link.page), await findings(link.page)]).toEqual([true, []]);
    const desk = await openDeskAs(browser, world);
    const other = await openDeskAs(browser, world);
    await account(desk.page).click();
    const menu = desk.page.getByRole('dialog', { name: 'Account' });
    expect(await menu.innerText()).toMatch(/Mira Lind\nmira@acme\.example\nAdmin/);
    expect(await findings(desk.page)).toEqual([]);
    await menu.getByRole('link', { name: 'Sessions' }).click();
    const sessions = desk.page.locator('.list-rows > li');
    await sessions.nth(1).waitFor();
    expect(await sessions.allInnerTexts()).toEqual([
      expect.stringMatching(/^Chrome on Linux ?This session/),
      expect.stringMatching(/^Chrome on Linux\s+Last used .* · 127\.0\.0\.1/),
    ]);
    expect(await findings(desk.page)).toEqual([]);
    await sessions
      .nth(1)
      .getByRole('button', { name: /^End the session/ })
      .click();
    await sessions.nth(1).waitFor({ state: 'detached' });
    await other.page.getByText('Your session has ended').waitFor();
    expect(await other.page.locator('.row').count()).toBe(0);
    const third = await openDeskAs(browser, world);
    await desk.page.reload();
    await desk.page.getByRole('button', { name: 'End all other sessions' }).click();
    await third.page.getByText('Your session has ended').waitFor();
    await sessions.nth(1).waitFor({ state: 'detached' });
    await account(desk.page).click();
    await menu.getByRole('button', { name: 'Sign out' }).click();
    await signInPage(desk.page).waitFor();
    expect(await desk.page.getByText('Your session has ended').count()).toBe(0);
  });
});

test('a new member of the Slack workspace signs in with Slack, becomes an agent of one queue, sees no private ticket of another, and is out within a second of being deactivated, at either replica', async () => {
  const world = await startWorld();
  const { chat, service, urls } = world;
  const replica = await startWorld(
    {
      DATABASE_URL: world.environment['DATABASE_URL'] ?? '',
      SLACK_API_URL: `${urls.sandbox}/api`,
      SLACK_BOT_TOKEN: DEMO.app.botToken,
      SLACK_APP_TOKEN: DEMO.app.appToken,
    },
    ['start'],
  );
  world.skipComparison('two bridges share its jobs');
  const { items: queues } = await service.listQueues({});
  const queueOf = (name: string) => queues.find((queue) => queue.name === name)?.id ?? '';
  const secretOf = (name: string) =>
    service.createTicket({ body: { title: `A secret of ${name}`, queueId: queueOf(name), private: true } });
  const [ofIt, ofPeople] = [await secretOf('IT'), await secretOf('People')];

  // Until they are known, they are refused; a request in chat makes them a user.
  await chat.post('add-person', {
    ...{ name: 'noor', firstName: 'Noor', lastName: 'Haddad', email: 'noor@elsewhere.example' },
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
  await row(page, 'My badge does not work').click();
  await page.getByLabel('Reply', { exact: true }).waitFor();
  expect(await page.locator('.row').count()).toBe(1);
  for (const hidden of ['Internal note', 'Assignee'])
    expect(await page.getByLabel(hidden).count(), hidden).toBe(0);
  expect(await page.getByRole('link', { name: /^(Settings|Analytics)$/ }).count()).toBe(0);
  expect(await findings(page)).toEqual([]);
  await page.getByLabel('Reply', { exact: true }).fill('It blinks red');
  await page.getByRole('button', { name: 'Send reply' }).click();
  await page.locator('.message', { hasText: 'It blinks red' }).waitFor();
  const { items: said } = await service.listTicketMessages({ query: { ticketId: own.id } });
  expect(said.find(({ content }) => content === 'It blinks red')?.authorId).toBe(own.requesterId);

  // An admin makes them an agent of IT, at the other replica; their open page offers more at once.
  const admin = (await openDeskAs(browser, world)).page;
  await admin.goto(`${replica.urls.root}/#/settings/people/${own.requesterId ?? ''}`);
  await admin.getByLabel('Agent', { exact: false }).check();
  await admin.getByLabel('Only these').check();
  await admin.getByRole('group', { name: 'Queues of this agent' }).getByLabel('IT').check();
  expect(await findings(admin)).toEqual([]);
  await admin.getByRole('button', { name: 'Save access' }).click();
  await admin.getByRole('button', { name: 'Save access' }).waitFor({ state: 'detached' });
  await page.getByLabel('Internal note').waitFor();
  await page.getByRole('link', { name: 'Open', exact: true }).click();
  await row(page, 'A secret of IT').waitFor();
  expect(await row(page, 'A secret of People').count()).toBe(0);
  await page.goto(`${urls.root}/#/tickets/${ofPeople.code}`);
  await page.locator('main .refusal').waitFor();
  // What they may no longer see goes from the open page, too.
  await page.goto(`${urls.root}/#/tickets/${ofIt.code}`);
  await page.getByRole('heading', { level: 1, name: 'A secret of IT' }).waitFor();
  await service.updateUser({
    params: { id: own.requesterId ?? '' },
    body: { queueIds: [queueOf('People')] },
  });
  await page.locator('main .refusal').waitFor();
  expect(await page.getByText('A secret of IT').count()).toBe(0);
  await service.updateUser({ params: { id: own.requesterId ?? '' }, body: { queueIds: [queueOf('IT')] } });
  await page.getByRole('heading', { level: 1, name: 'A secret of IT' }).waitFor();
  expect(await page.getByText('A secret of People').count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Settings' }).count()).toBe(0);

  // Deactivated at one replica, out at both.
  const beside = (await openDeskAs(browser, replica, { email: 'noor@elsewhere.example' })).page;
  await row(beside, 'A secret of IT').waitFor();
  admin.once('dialog', (dialog) => void dialog.accept());
  const deactivated = admin.waitForResponse((response) => response.request().method() === 'PUT');
  await admin.getByRole('button', { name: 'Deactivate' }).click();
  await deactivated;
  for (const each of [page, beside])
    await until('the sign-in page', async () => signInPage(each).isVisible(), { withinMs: 1_000 });
  await admin.getByText('This person cannot sign in').waitFor();
  await page.goto(urls.root);
  await continueWithSandbox(page, 'Noor Haddad');
  await page.getByRole('alert').getByText('Your account is deactivated').waitFor();
}, 120_000);
