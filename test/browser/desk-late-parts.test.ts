import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { until } from '../harness/until.ts';
import { sharedWorld } from '../harness/world.ts';
import { useBrowser } from './browser.ts';
import { moveTo, pressPair, tabTo } from './by-keys.ts';
import { demoRecords } from './demo-records.ts';
import { signedInPage } from './open-page.ts';

const browser = useBrowser();
const world = sharedWorld();
const { person, newTicket, read } = demoRecords(world);

/** Opens an address whose parts that are loaded later come only when they are let in. */
async function openSlowly(page: Page, path: string, part: RegExp): Promise<{ letIn: () => Promise<void> }> {
  const gate = Promise.withResolvers<undefined>();
  await page.route(part, async (route) => {
    await gate.promise;
    await route.continue();
  });
  await page.goto(`${world.urls.root}${path}`);
  return {
    letIn: async () => {
      gate.resolve(undefined);
      await page.unroute(part, undefined);
    },
  };
}

const field = (page: Page) => page.locator('[role=dialog] input:focus');
const value = (page: Page) => field(page).inputValue();

test('what is typed before a picker, a dialog or the command bar is loaded goes to its field, and runs no command', async () => {
  const ticket = await newTicket('A stapler jams');
  const { page, problems } = await signedInPage(browser, world);
  const path = `/tickets/${ticket.code}`;
  const shown = () => page.getByRole('heading', { level: 1, name: 'A stapler jams' }).waitFor();
  for (const [keys, part] of [
    ['Control+k', /\/command-bar-[^/]+\.js$/],
    ['s', /\/choices-[^/]+\.js$/],
    ['a', /\/panel-[^/]+\.js$/],
    ['m', /\/merge-[^/]+\.js$/],
    ['m', /\/choices-[^/]+\.js$/],
    ['m', /\/modal-[^/]+\.js$/],
  ] as const) {
    const { letIn } = await openSlowly(page, path, part);
    await shown();
    await page.keyboard.press(keys);
    // Of these letters, e edits the title, i takes the ticket, and h snoozes it.
    await page.keyboard.type('sei hx');
    await page.keyboard.press('Backspace');
    expect(await page.getByRole('textbox', { name: 'Title' }).count()).toBe(0);
    await letIn();
    await until(`${keys} to have what was typed`, async () => (await value(page)) === 'sei h', {
      seen: () => page.evaluate('document.activeElement?.outerHTML.slice(0, 300)'),
    });
    // What is typed from now on comes after it.
    await page.keyboard.type('!');
    expect(await value(page)).toBe('sei h!');
  }
  const now = await read(ticket.id);
  expect([now.assigneeId, now.snoozeUntil]).toEqual([null, null]);
  expect(problems).toEqual([]);
});

test('Enter chooses what was typed before the picker was loaded, Escape closes it; what was being written stays as it was', async () => {
  const ticket = await newTicket('A drawer sticks');
  const sam = await person('sam');
  const { page, problems } = await signedInPage(browser, world);
  const choices = /\/(choices|bulk)-[^/]+\.js$/;

  // In the list: the bar of actions is loaded as well.
  const list = await openSlowly(page, '/views/all?sortBy=createdAt', choices);
  await moveTo(page, ticket.code);
  await page.keyboard.press('a');
  await page.keyboard.type('Sam Parks');
  await page.keyboard.press('Enter');
  await list.letIn();
  await until('the assignee', async () => (await read(ticket.id)).assigneeId === sam.id);

  const escaped = await openSlowly(page, `/tickets/${ticket.code}`, choices);
  await page.getByRole('heading', { level: 1, name: 'A drawer sticks' }).waitFor();
  await page.keyboard.press('p');
  await page.keyboard.type('Urg');
  await page.keyboard.press('Escape');
  const came = page.waitForResponse(choices);
  await escaped.letIn();
  await came;
  await page.locator('[data-opening]').waitFor({ state: 'detached' });
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect((await read(ticket.id)).priority).toBe(ticket.priority);

  const bar = await openSlowly(page, `/tickets/${ticket.code}`, /\/command-bar-[^/]+\.js$/);
  const reply = page.getByRole('textbox', { name: /^Reply to/ });
  await reply.fill('Try the left one');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('snoozed');
  await bar.letIn();
  await until('the bar to have it', async () => (await value(page)) === 'snoozed');
  expect(await reply.inputValue()).toBe('Try the left one');
  await page.keyboard.press('Escape');

  // Who goes on writing instead is not kept from it.
  const left = await openSlowly(page, `/tickets/${ticket.code}`, choices);
  await page.getByRole('heading', { level: 1, name: 'A drawer sticks' }).waitFor();
  await page.keyboard.press('s');
  await page.keyboard.type('do');
  await reply.click();
  await page.keyboard.type(', please');
  expect(await reply.inputValue()).toBe('Try the left one, please');
  await left.letIn();
  await field(page).waitFor();
  expect(await value(page)).toBe('');
  expect(problems).toEqual([]);
});

test('keys for choices that are still being loaded move among them and choose, and none is lost once one has the focus', async () => {
  const ticket = await newTicket('A hinge squeaks');
  const { page, problems } = await signedInPage(browser, world);
  const { letIn } = await openSlowly(page, `/tickets/${ticket.code}`, /\/date-chooser-[^/]+\.js$/);
  await page.getByRole('heading', { level: 1, name: 'A hinge squeaks' }).waitFor();
  const choices = page.getByRole('list', { name: 'Quick choices' }).getByRole('button');
  const focused = (at: number) => choices.nth(at).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('h');
  await page.locator('[data-opening]').waitFor({ state: 'attached' });
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await letIn();
  await focused(1);

  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  // In the moment in which one gets the focus.
  const again = await openSlowly(page, `/tickets/${ticket.code}`, /\/date-chooser-[^/]+\.js$/);
  await page.getByRole('heading', { level: 1, name: 'A hinge squeaks' }).waitFor();
  await page.keyboard.press('h');
  await page.locator('[data-opening]').waitFor({ state: 'attached' });
  await again.letIn();
  await focused(0);
  await page.keyboard.press('ArrowDown');
  await focused(1);
  expect((await read(ticket.id)).snoozeUntil).toBeNull();
  await page.keyboard.press('Enter');
  await until('the snooze', async () => (await read(ticket.id)).snoozeUntil !== null);

  // Enter as well; a letter that stands for a command runs none.
  const chosen = await newTicket('A window rattles');
  const whole = await openSlowly(page, `/tickets/${chosen.code}`, /\/date-chooser-[^/]+\.js$/);
  await page.getByRole('heading', { level: 1, name: 'A window rattles' }).waitFor();
  await page.keyboard.press('h');
  await page.locator('[data-opening]').waitFor({ state: 'attached' });
  for (const key of ['i', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  await whole.letIn();
  await until('the other snooze', async () => (await read(chosen.id)).snoozeUntil !== null);
  expect((await read(chosen.id)).assigneeId).toBe(chosen.assigneeId);
  expect(problems).toEqual([]);
});

test('the focus is kept though what had it has gone before the code for that is loaded', async () => {
  const ticket = await newTicket('A blind is stuck');
  const { page, problems } = await signedInPage(browser, world);
  const { letIn } = await openSlowly(page, '/views/all?sortBy=createdAt', /\/kept-focus-[^/]+\.js$/);
  await moveTo(page, ticket.code);
  await page.keyboard.press('Enter');
  const heading = page.getByRole('heading', { level: 1, name: 'A blind is stuck' });
  await heading.waitFor();
  const isLost = 'document.activeElement === document.body';
  await until('its row to be gone', () => page.evaluate<boolean>(isLost));
  await letIn();
  await heading.and(page.locator(':focus')).waitFor();
  expect(problems).toEqual([]);
});

test('Escape for something that is being loaded does not close what the next key opens', async () => {
  const ticket = await newTicket('A shelf sags');
  const { page, problems } = await signedInPage(browser, world);
  const { letIn } = await openSlowly(page, `/tickets/${ticket.code}`, /\/edit-title-[^/]+\.js$/);
  await page.getByRole('heading', { level: 1, name: 'A shelf sags' }).waitFor();
  // The command bar is loaded already.
  const bar = page.getByRole('dialog', { name: 'Search and commands' });
  await page.keyboard.press('Control+k');
  await field(page).waitFor();
  await page.keyboard.press('Escape');
  await bar.waitFor({ state: 'detached' });

  await page.keyboard.press('e');
  await page.locator('[data-opening]').waitFor({ state: 'attached' });
  await page.keyboard.press('Escape');
  // A slow machine: no frame is drawn between what is loaded and the next key.
  await page.evaluate(`(() => {
    const draw = window.requestAnimationFrame;
    const waiting = [];
    window.requestAnimationFrame = (callback) => waiting.push(callback);
    window.drawAgain = () => {
      window.requestAnimationFrame = draw;
      for (const callback of waiting) draw(callback);
    };
  })()`);
  await letIn();
  await page.locator('[data-opening]').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await bar.waitFor();
  await page.evaluate('window.drawAgain()');
  await field(page).waitFor();
  // More frames than a kept key waits for.
  await page.evaluate(`new Promise((done) => {
    let frames = 20;
    const next = () => (--frames ? requestAnimationFrame(next) : done());
    next();
  })`);
  await page.keyboard.type('snoozed');
  expect(await value(page)).toBe('snoozed');
  expect(problems).toEqual([]);
});

test('a key that is pressed before a ticket is loaded runs its command once it is, and what is typed after it is not lost', async () => {
  const ticket = await newTicket('A lamp flickers');
  const { page, problems } = await signedInPage(browser, world);
  const record = new RegExp(`/desk/api/tickets/${ticket.code}(\\?|$)`);
  for (const [keys, typed] of [
    ['r', 'It is fixed, sei'],
    ['n', 'Ask Sam first'],
  ] as const) {
    const { letIn } = await openSlowly(page, '/views/all?sortBy=createdAt', record);
    await page.locator(`[data-code="${ticket.code}"] a`).click();
    await page.locator('[aria-busy]').getByRole('heading', { name: 'A lamp flickers' }).waitFor();
    await page.keyboard.press(keys);
    await page.keyboard.type(typed);
    await letIn();
    const field = page.locator('textarea:focus');
    await until('the field to have it', async () => (await field.inputValue()).endsWith(typed));
    await field.fill('');
  }
  // Keys that move are not the ticket's.
  const { letIn } = await openSlowly(page, '/views/all?sortBy=createdAt', record);
  await page.locator(`[data-code="${ticket.code}"] a`).click();
  await page.locator('[aria-busy]').getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL('**/views/all*');
  await letIn();
  const now = await read(ticket.id);
  expect([now.assigneeId, now.snoozeUntil]).toEqual([null, null]);
  expect(problems).toEqual([]);
});

test('a key for selected tickets opens its picker while the bar of actions is still being loaded', async () => {
  const ticket = await newTicket('A kettle whistles');
  const { page, problems } = await signedInPage(browser, world);
  const { letIn } = await openSlowly(page, '/views/all?sortBy=createdAt', /\/bulk-[^/]+\.js$/);
  await moveTo(page, ticket.code);
  await page.keyboard.press('x');
  await page.locator(`[data-code="${ticket.code}"][data-selected]`).waitFor();
  await page.keyboard.press('p');
  await page.keyboard.type('Urgent');
  await page.keyboard.press('Enter');
  await letIn();
  await until('the priority', async () => (await read(ticket.id)).priority === 'URGENT');
  expect(problems).toEqual([]);
});

test('what is typed before the form for a new ticket is loaded is its title, and runs no command', async () => {
  const ticket = await newTicket('A tap drips');
  const { page, problems } = await signedInPage(browser, world);
  const { letIn } = await openSlowly(page, `/tickets/${ticket.code}`, /\/new-ticket-[^/]+\.js$/);
  await page.getByRole('heading', { level: 1, name: 'A tap drips' }).waitFor();
  await page.keyboard.press('c');
  // Of these letters, g and o together go to the open tickets.
  await page.keyboard.type('go');
  await letIn();
  const title = page.getByRole('textbox', { name: 'Title' });
  await until('the title to have it', async () => (await title.inputValue()) === 'go');
  await page.keyboard.type(' on');
  expect([await title.inputValue(), new URL(page.url()).pathname]).toEqual(['go on', '/new']);
  expect(problems).toEqual([]);
});

test('what is typed after a Tab before the form for a new ticket is loaded is not put into its title', async () => {
  const ticket = await newTicket('A printer jams');
  const { page, problems } = await signedInPage(browser, world);
  const { letIn } = await openSlowly(page, `/tickets/${ticket.code}`, /\/new-ticket-[^/]+\.js$/);
  await page.getByRole('heading', { level: 1, name: 'A printer jams' }).waitFor();
  await page.keyboard.press('c');
  await page.keyboard.type('Printer');
  await page.keyboard.press('Tab');
  await page.keyboard.type('is jammed');
  await letIn();
  const title = page.getByRole('textbox', { name: 'Title' });
  await until('the title to have it', async () => (await title.inputValue()) === 'Printer');
  await page.keyboard.type('!');
  expect(await title.inputValue()).toBe('Printer!');
  expect(problems).toEqual([]);
});

test('a part that comes by itself holds no keys: with a drafted reply one can write before it is shown', async () => {
  const ticket = await newTicket('A pipe knocks');
  await world.service.createReplyDraft({
    params: { id: ticket.id },
    body: { content: 'Bleed the radiator' },
  });
  const { page, problems } = await signedInPage(browser, world);
  const part = /\/reply-drafts-[^/]+\.js$/;
  const asked = page.waitForRequest(part);
  const { letIn } = await openSlowly(page, `/tickets/${ticket.code}`, part);
  await asked;
  await page.getByRole('textbox', { name: /^Reply to/ }).waitFor();
  await page.keyboard.press('r');
  await page.keyboard.type('Hello');
  expect(await page.getByRole('textbox', { name: /^Reply to/ }).inputValue()).toBe('Hello');
  await letIn();
  await page.getByText('Bleed the radiator').waitFor();
  expect(await page.getByRole('textbox', { name: /^Reply to/ }).inputValue()).toBe('Hello');
  expect(problems).toEqual([]);
});

test('a step that is pressed before the inbox, or the rows of another view, are there is taken among them', async () => {
  const mira = await person('mira');
  const ticket = await newTicket('A lid rattles', { assigneeId: mira.id });
  await world.service.createTicketMessage({
    body: { ticketId: ticket.id, authorId: (await person('ada')).id, content: 'Does it rattle?' },
  });
  const { page, problems } = await signedInPage(browser, world);
  const list = await openSlowly(
    page,
    '/views/all?sortBy=createdAt',
    /\/desk\/api\/tickets\?.*snoozedFilter=true/,
  );
  await page.locator(`[data-code="${ticket.code}"]`).waitFor();
  const snoozed = await newTicket('A snoozed lid', { snoozeUntil: '2126-01-01T09:00:00Z' });
  await pressPair(page, 'g', 's');
  await page.getByRole('heading', { level: 1, name: 'Snoozed' }).waitFor();
  await page.keyboard.press('j');
  expect(await page.locator('[data-current]').count()).toBe(0);
  await list.letIn();
  await page.locator(`[data-current][data-code="${snoozed.code}"] a:focus`).waitFor();

  const part = /\/inbox-[^/]+\.js$/;
  const inbox = await openSlowly(page, '/views/all', part);
  await page.locator('[data-code]').first().waitFor();
  const asked = page.waitForRequest(part);
  await pressPair(page, 'g', 'i');
  await asked;
  // The address changes before the page does: as long as the list is there, a step is taken in it.
  await page.getByRole('heading', { level: 1, name: 'All tickets' }).waitFor({ state: 'detached' });
  await page.keyboard.press('j');
  // It goes on from the row.
  await page.keyboard.press('Enter');
  await inbox.letIn();
  await page.getByRole('heading', { level: 1, name: 'A lid rattles' }).waitFor();
  expect(problems).toEqual([]);
});

test('keys that go to what a search finds, and open it, wait for the search and are not taken in the former list', async () => {
  const found = await newTicket('A quokka is in the lobby');
  const later = await newTicket('A later one');
  const { page, problems } = await signedInPage(browser, world);
  const { letIn } = await openSlowly(page, '/views/all?sortBy=createdAt', /\/desk\/api\/semantic/);
  await page.locator(`[data-code="${later.code}"]`).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('quokka');
  for (const key of ['ArrowDown', 'Enter']) await page.keyboard.press(key);
  await page.waitForURL(/search=quokka/);
  await letIn();
  await page.getByRole('heading', { level: 1, name: 'A quokka is in the lobby' }).waitFor();
  await page.waitForURL(`**/tickets/${found.code}?*`);
  expect(problems).toEqual([]);
});

test('the focus goes on to the heading when its element disappears long after the key', async () => {
  const ticket = await newTicket('A shutter bangs');
  await world.service.createReplyDraft({ params: { id: ticket.id }, body: { content: 'Close it' } });
  const { page, problems } = await signedInPage(browser, world);
  await page.clock.install();
  const { letIn } = await openSlowly(page, `/tickets/${ticket.code}`, /\/desk\/api\/reply-drafts\//);
  await page.getByText('Close it').waitFor();
  await tabTo(page, 'Delete draft', { atMost: 200 });
  const asked = page.waitForRequest((request) => request.method() === 'DELETE');
  await page.keyboard.press('Enter');
  await asked;
  await page.clock.fastForward(60_000);
  await letIn();
  await page.getByText('Close it').waitFor({ state: 'detached' });
  await page.locator('h1:focus').waitFor();
  expect(problems).toEqual([]);
});

/** Presses a key by a script in the moment in which the first element is drawn. */
const pressAtOnce = (page: Page, selector: string, key: object) =>
  page.addInitScript(`{
    const observer = new MutationObserver(() => {
      if (!document.querySelector(${JSON.stringify(selector)})) return;
      observer.disconnect();
      const options = { bubbles: true, cancelable: true, ...${JSON.stringify(key)} };
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', options));
    });
    observer.observe(document, { childList: true, subtree: true });
  }`);

test.each([
  ['the navigation', '/views/all', 'nav a[href]', { key: 'k', ctrlKey: true }, '[role=dialog] input:focus'],
  ['a list', '/views/all', '[data-code]', { key: 'j' }, '[data-code][data-current] a:focus'],
  ['a wide list', '/views/all', '[data-wide] [data-code]', { key: 'j' }, '[data-code][data-current] a:focus'],
  ['a ticket', '/tickets/CODE', 'textarea[aria-label^="Reply to"]', { key: 'r' }, 'textarea:focus'],
])(
  'a key that is pressed in the moment in which %s is drawn has its effect',
  async (_, path, drawn, key, effect) => {
    const { code } = await newTicket('A bell rings');
    const { page, problems } = await signedInPage(browser, world, {
      width: drawn.includes('wide') ? 1440 : 1000,
    });
    await pressAtOnce(page, drawn, key);
    await page.goto(`${world.urls.root}${path.replace('CODE', code)}`);
    await page.locator(effect).waitFor();
    expect(problems).toEqual([]);
  },
);
