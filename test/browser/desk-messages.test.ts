import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { sharedWorld } from '../harness/world.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { choose, command, dialogClosed, tabTo } from './by-keys.ts';
import { demoRecords } from './demo-records.ts';
import { isAsWide, signedInPage } from './open-page.ts';

const browser = useBrowser();
const world = sharedWorld();
const { person, newTicket } = demoRecords(world);

async function show(
  page: Page,
  { code, title }: { code: string; title: string | null },
  fragment = '',
): Promise<void> {
  await page.goto(`${world.urls.root}/tickets/${code}${fragment}`);
  await page.getByRole('heading', { level: 1, name: title ?? code }).waitFor();
  const conversation = page.getByRole('region', { name: 'Conversation' });
  await conversation.waitFor();
  // Whether others have replied meanwhile, counts from what is shown when one begins to write.
  await conversation.getByLabel(/^Loading/).waitFor({ state: 'detached' });
}

/** For so long a reply can be undone, before it is sent. */
const UNDO_MS = 10_000;
const reply = (page: Page) => page.getByRole('textbox', { name: 'Reply to Ada Reyes' });
const message = (page: Page, text: string) => page.locator('li[data-kind]').filter({ hasText: text });
const messagesOf = async (ticketId: string) =>
  (await world.service.listTicketMessages({ query: { ticketId, limit: 100 } })).items;

/** Writes to a ticket as somebody of the demo. */
async function write(ticketId: string, who: 'ada' | 'mira' | 'sam', content: string, more: object = {}) {
  const { id: authorId } = await person(who);
  return world.service.createTicketMessage({ body: { ticketId, authorId, content, source: 'WEB', ...more } });
}

/** Opens the menu of a message with the mouse, which shows its button. */
async function openMenu(page: Page, text: string): Promise<void> {
  await message(page, text).hover();
  await message(page, text)
    .getByRole('button', { name: /^Actions on the message of / })
    .click();
  await page.getByRole('menu', { name: 'Actions on this message' }).waitFor();
}
const entry = (page: Page, name: string) => page.getByRole('menuitem', { name });

test('with the mouse, an agent edits, reacts to and deletes their own message and changes nothing of others; an admin does, and the history says so', async () => {
  const ticket = await newTicket('The blinds are stuck');
  await write(ticket.id, 'ada', 'They are stuck half way');
  const own = await write(ticket.id, 'sam', 'Pull **twice** on teh cord');
  const { page, problems } = await signedInPage(browser, world, { email: DEMO.people.sam.email });
  await show(page, ticket);
  await openMenu(page, 'They are stuck half way');
  expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['React…', 'Quote', 'Copy link']);
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await entry(page, 'React').click();
  await page.locator('[role=dialog] input:focus').waitFor();
  await page.keyboard.type('eyes');
  await page.getByRole('option', { name: ':eyes:' }).waitFor();
  await page.keyboard.press('Enter');
  await message(page, 'They are stuck half way').getByText('👀').first().waitFor();
  const { id: sam } = await person('sam');
  const reactions = async () =>
    (await messagesOf(ticket.id)).flatMap((each) =>
      each.reactions.map(({ emoji, authorId }) => [emoji, authorId]),
    );
  expect(await reactions()).toEqual([['eyes', sam]]);

  await openMenu(page, 'teh cord');
  await entry(page, 'Edit').click();
  const field = page.getByRole('textbox', { name: 'Message', exact: true });
  expect(await field.inputValue()).toBe('Pull **twice** on teh cord');
  await field.fill('Pull **twice** on the cord');
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await message(page, 'Pull twice on the cord').getByText('edited').waitFor();
  const read = (id: string) => world.service.readTicketMessage({ params: { id } });
  expect((await read(own.id)).content).toBe('Pull **twice** on the cord');

  await openMenu(page, 'the cord');
  await entry(page, 'Delete').click();
  const dialog = page.getByRole('dialog', { name: 'Delete this message?' });
  await dialog.getByText('Nobody can read it any more').waitFor();
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('This message was deleted.').waitFor();
  expect((await read(own.id)).deleted).toBe(true);
  expect(problems).toEqual([]);

  const { page: mira } = await signedInPage(browser, world);
  await show(mira, ticket);
  await openMenu(mira, 'They are stuck half way');
  await entry(mira, 'Edit').click();
  const text = mira.getByRole('textbox', { name: 'Message', exact: true });
  await text.fill('They are stuck at the top');
  await text.press('Control+Enter');
  await message(mira, 'stuck at the top').waitFor();
  await mira.getByText('Mira Lind changed a message of Ada Reyes').waitFor();
});

test('with the keyboard alone, a message is quoted, edited and left as it was; an internal note is quoted in a note', async () => {
  const ticket = await newTicket('The scanner beeps');
  await write(ticket.id, 'ada', 'It beeps\n\nall day');
  const note = await write(ticket.id, 'mira', 'Known fault', { private: true });
  const { page, problems } = await signedInPage(browser, world);
  await show(page, ticket);
  await tabTo(page, 'Actions on the message of Ada Reyes', { atMost: 400 });
  await page.keyboard.press('Enter');
  await page.locator('[role=menuitem][data-focused]', { hasText: 'React' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await until('the quote', async () => (await reply(page).inputValue()) === '> It beeps\n>\n> all day\n\n');
  await page.keyboard.type('Still?');
  expect(await reply(page).inputValue()).toBe('> It beeps\n>\n> all day\n\nStill?');

  const button = page.locator(`[id="${note.id}"]`).getByRole('button', { name: /^Actions on/ });
  await button.focus();
  await page.keyboard.press('Enter');
  await page.locator('[role=menuitem][data-focused]').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const own = page.getByRole('textbox', { name: 'Internal note' });
  await until('the other quote', async () => (await own.inputValue()).endsWith('\n\n> Known fault\n\n'));
  await own.fill('');

  await button.focus();
  await page.keyboard.press('Enter');
  await page.locator('[role=menuitem][data-focused]').waitFor();
  for (const entry of ['Quote', 'Copy link', 'Edit']) {
    await page.keyboard.press('ArrowDown');
    await page.locator('[role=menuitem][data-focused]', { hasText: entry }).waitFor();
  }
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Message', exact: true }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type('x');
  await page.keyboard.press('Escape');
  await button.and(page.locator(':focus')).waitFor();
  expect((await messagesOf(ticket.id)).find(({ id }) => id === note.id)?.content).toBe('Known fault');
  expect(problems).toEqual([]);
});

test('arrow keys choose between a reply and an internal note, and one writes on in the field', async () => {
  const ticket = await newTicket('The blinds hum');
  const { page, problems } = await signedInPage(browser, world);
  await show(page, ticket);
  const note = page.getByRole('textbox', { name: 'Internal note' });
  for (const [from, key, field] of [
    ['Reply', 'ArrowRight', note],
    ['Internal note', 'ArrowLeft', reply(page)],
    ['Reply', 'ArrowDown', note],
    ['Internal note', 'ArrowUp', reply(page)],
  ] as const) {
    await page.getByRole('radio', { name: from, checked: true }).focus();
    await page.keyboard.press(key);
    await field.and(page.locator(':focus')).waitFor();
  }
  expect(problems).toEqual([]);
});

test('the link to a message opens its ticket there, however far up it is, and marks it', async () => {
  const ticket = await newTicket('The lobby is cold');
  const first = await write(ticket.id, 'ada', 'It is cold since Monday');
  for (let index = 1; index <= 65; index++) await write(ticket.id, 'mira', `Reply ${index}`);
  const { page, problems } = await signedInPage(browser, world);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await show(page, ticket);
  await page.getByRole('button', { name: /^Show \d+ earlier messages$/ }).click();
  await openMenu(page, 'cold since Monday');
  await entry(page, 'Copy link').click();
  await page.getByText('The link to the message is copied.').waitFor();
  const link = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(link).toBe(`${world.urls.root}/tickets/${ticket.code}#${first.id}`);

  const { page: sam } = await signedInPage(browser, world, { email: DEMO.people.sam.email });
  await show(sam, ticket, `#${first.id}`);
  const marked = sam.locator('li[aria-current]', { hasText: 'cold since Monday' });
  await marked.waitFor();
  await until('the message in view', async () => {
    const box = await marked.boundingBox();
    return box !== null && box.y > 0 && box.y < 800;
  });
  expect(await sam.locator('li[aria-current]').count()).toBe(1);
  expect(problems).toEqual([]);
});

test('a search opens a ticket that it found in a message at this message, whole and marked; one found by its title at its end', async () => {
  const filler = Array.from({ length: 30 }, (_, line) => `Line ${line} of the log`).join('\n');
  const inMessage = await newTicket('The lift is slow');
  await write(inMessage.id, 'ada', `${filler}\nand then zorbulate`);
  for (let index = 1; index <= 20; index++) await write(inMessage.id, 'mira', `Reply ${index}`);
  const byTitle = await newTicket('The zorbulator is loud');
  const { page, problems } = await signedInPage(browser, world);
  const link = (code: string) => page.locator(`[data-code=${code}] a`);
  const isInView = async (text: string) => {
    const box = await message(page, text).getByText(text).boundingBox();
    return box !== null && box.y > 0 && box.y < 800;
  };
  await page.goto(`${world.urls.root}/views/all?search=zorbulate`);
  await link(inMessage.code).click();
  await page.getByRole('heading', { level: 1, name: 'The lift is slow' }).waitFor();
  await page.locator('li[aria-current]', { hasText: 'and then zorbulate' }).waitFor();
  await until('the words in view', () => isInView('and then zorbulate'));

  await link(byTitle.code).click();
  await page.getByRole('heading', { level: 1, name: 'The zorbulator is loud' }).waitFor();
  expect([new URL(page.url()).hash, await page.locator('li[aria-current]').count()]).toEqual(['', 0]);
  // By keys as by the mouse; what has the words in its title stands first.
  await page.keyboard.press('j');
  await page.locator('li[aria-current]', { hasText: 'and then zorbulate' }).waitFor();
  expect(problems).toEqual([]);
});

test('a message from Slack is edited there, and its menu says so; on a phone the button is there without pointing', async () => {
  const { bot } = await world.chat.state();
  const { ts } = await world.chat.say('it-help', 'ada', `<@${bot}> My chair squeaks`);
  const ticket = await ticketAt(world.service, ts);
  await world.chat.say('it-help', 'mira', 'Which chair is it?', ts);
  await world.untilIdle();
  const { page, problems } = await signedInPage(browser, world, { width: 390, height: 844 });
  await show(page, ticket);
  await openMenu(page, 'Which chair is it?');
  const edit = page.getByRole('menuitem', { name: 'Edit it in Slack' });
  expect(await edit.getAttribute('aria-disabled')).toBe('true');
  await page.getByText('only its author can change it there').waitFor();
  expect(await axeFindings(page, { every: true })).toEqual([]);
  expect(await isAsWide(page)).toBe(true);
  await entry(page, 'Delete').click();
  await page.getByText('In Slack it stays').waitFor();
  expect(problems).toEqual([]);
});

test('Send and next opens the next ticket of the list that is open, and says at its end that there is none', async () => {
  const { id: requesterId } = await world.service.createUser({
    body: { firstName: 'Nell', email: 'nell@acme.example' },
  });
  const [older, newer] = [
    await newTicket('The gate is open', { requesterId }),
    await newTicket('The gate is shut', { requesterId }),
  ];
  const { page, problems } = await signedInPage(browser, world);
  await page.goto(
    `${world.urls.root}/tickets/${newer.code}?view=all&requesterId=${requesterId}&sortBy=createdAt`,
  );
  const field = page.getByRole('textbox', { name: 'Reply to Nell' });
  const sendAndNext = async () => {
    await page.getByRole('button', { name: 'Other ways to send' }).click();
    await page.getByRole('menuitem', { name: 'Send and next ticket' }).click();
  };
  await page.locator(`[data-code="${older.code}"]`).waitFor();
  await field.fill('It is fixed');
  await sendAndNext();
  await page.getByRole('heading', { level: 1, name: 'The gate is open' }).waitFor();
  const isSent = (ticketId: string, content: string) => {
    world.clock.pass(UNDO_MS);
    return until(content, async () => (await messagesOf(ticketId)).some((each) => each.content === content));
  };
  await isSent(newer.id, 'It is fixed');
  expect(new URL(page.url()).searchParams.get('requesterId')).toBe(requesterId);
  // By keys: nothing of the former ticket has the focus.
  await page.keyboard.press('r');
  await page.keyboard.type('This one too');
  await sendAndNext();
  await page.getByText('That was the last ticket of this list.').waitFor();
  await isSent(older.id, 'This one too');
  expect(await page.getByRole('heading', { level: 1 }).last().innerText()).toBe('The gate is open');
  expect(problems).toEqual([]);
});

test('a reply over one that another agent sent meanwhile is asked about once, with that reply; notes and answers to the requester are not', async () => {
  const ticket = await newTicket('The bin is full');
  const { page, problems } = await signedInPage(browser, world);
  await show(page, ticket);
  const contents = async () => (await messagesOf(ticket.id)).map(({ content }) => content);
  await reply(page).fill('I empty it now');
  // What the requester adds is what one answers; a note is no reply.
  await write(ticket.id, 'ada', 'And it smells');
  await write(ticket.id, 'sam', 'Which bin?', { private: true });
  await write(ticket.id, 'sam', 'On its way');
  await page.keyboard.press('Control+Enter');
  const dialog = page.getByRole('dialog', { name: 'Sam Parks replied meanwhile' });
  await dialog.getByText('On its way').waitFor();
  expect(await dialog.getByRole('listitem').count()).toBe(1);
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await reply(page).and(page.locator(':focus')).waitFor();
  expect(await reply(page).inputValue()).toBe('I empty it now');
  expect(await contents()).not.toContain('I empty it now');
  // They know of it now. However slow the machine is, the ten seconds are not over when it is looked for.
  world.clock.stop();
  await page.keyboard.press('Control+Enter');
  await page.locator('li[data-scheduled]', { hasText: 'I empty it now' }).waitFor();
  expect(await dialog.count()).toBe(0);
  world.clock.resume();
  world.clock.pass(UNDO_MS);
  await until('the reply', async () => (await contents()).includes('I empty it now'));

  await reply(page).fill('It is empty');
  await write(ticket.id, 'sam', 'Done');
  await page.keyboard.press('Control+Enter');
  world.clock.stop();
  await dialog.getByRole('button', { name: 'Send anyway' }).click();
  await page.locator('li[data-scheduled]', { hasText: 'It is empty' }).waitFor();
  world.clock.resume();
  world.clock.pass(UNDO_MS);
  await until('the other reply', async () => (await contents()).includes('It is empty'));
  expect(await reply(page).inputValue()).toBe('');

  await page.keyboard.press('Escape');
  await page.keyboard.press('n');
  const note = page.getByRole('textbox', { name: 'Internal note' });
  await note.fill('Ask the cleaners');
  await write(ticket.id, 'sam', 'Closing this');
  await page.keyboard.press('Control+Enter');
  await until('the note', async () => (await contents()).includes('Ask the cleaners'));
  expect(await dialog.count()).toBe(0);
  expect(problems).toEqual([]);
});

test('who has sent their reply types no more, for others too', async () => {
  const ticket = await newTicket('The heater ticks');
  const { page: mira } = await signedInPage(browser, world);
  await show(mira, ticket);
  const { page: sam } = await signedInPage(browser, world, { email: DEMO.people.sam.email });
  await show(sam, ticket);
  await reply(sam).fill('I look');
  await sam.keyboard.type(' at it');
  const typing = mira.getByText('Sam Parks is typing…');
  await typing.waitFor();
  await sam.keyboard.press('Control+Enter');
  await typing.waitFor({ state: 'detached' });
  const { people } = await world.service.readPresence({ params: { id: ticket.id } });
  expect(people.map(({ state }) => state)).not.toContain('typing');
  await message(mira, 'I look at it').waitFor();
});

test('a reply can be undone for ten seconds, below the messages and by z, on another page too; sent twice it goes out at once', async () => {
  // However slow the machine is. In the tests after this one time passes only as they say.
  world.clock.stop();
  const ticket = await newTicket('The clock is late');
  const other = await newTicket('The clock is early');
  const { page, problems } = await signedInPage(browser, world);
  await show(page, ticket);
  const waiting = page.locator('li[data-scheduled]');
  const isEmpty = async () => (await messagesOf(ticket.id)).length === 0;
  await reply(page).fill('It runs **again**');
  await page.keyboard.press('Control+Enter');
  await waiting.getByText(/^Sending in \d+ s$/).waitFor();
  expect(await reply(page).inputValue()).toBe('');
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await reply(page).fill('Anything else?');
  await waiting.getByRole('button', { name: 'Undo' }).click();
  await waiting.waitFor({ state: 'detached' });
  expect(await reply(page).inputValue()).toBe('It runs **again**\n\nAnything else?');

  // From another ticket it is the draft of its own again.
  await reply(page).press('Control+Enter');
  await waiting.waitFor();
  // The offer stays as long as the pointer is over it, however slow the page is.
  await page.getByText('Sending in 10 seconds').first().hover();
  await page.keyboard.press('Escape');
  // Before the ticket is found, and after.
  await command(page, other.code);
  await page.getByRole('heading', { level: 1, name: 'The clock is early' }).waitFor();
  await page.getByText('Sending in 10 seconds').first().waitFor();
  const undone = page.waitForResponse(
    (response) => response.request().method() === 'DELETE' && response.url().includes('/scheduled-replies/'),
  );
  await page.keyboard.press('z');
  expect((await undone).status()).toBe(200);
  expect(await isEmpty()).toBe(true);
  await show(page, ticket);
  await until('the draft', async () => (await reply(page).inputValue()).startsWith('It runs **again**'));

  await reply(page).press('Control+Enter');
  await reply(page).press('Control+Enter');
  await until('the reply', async () => !(await isEmpty()));
  await waiting.waitFor({ state: 'detached' });
  expect(await message(page, 'It runs again').count()).toBe(1);
  expect(problems).toEqual([]);
});

test('z undoes what was done last, though the service has not answered yet, and not what was done before it', async () => {
  world.clock.stop();
  const ticket = await newTicket('The clock strikes');
  const priority = async () => (await world.service.readTicket({ params: { id: ticket.id } })).priority;
  const { page, problems } = await signedInPage(browser, world);
  await show(page, ticket);
  const hold = async (method: string, path: RegExp) => {
    const gate = Promise.withResolvers<undefined>();
    await page.route(path, async (route) => {
      if (route.request().method() === method) await gate.promise;
      await route.continue();
    });
    return () => gate.resolve(undefined);
  };
  await choose(page, 'p', 'High');
  // The offer stays as long as the pointer is over it, however slow the page is.
  await page.getByRole('button', { name: 'Undo' }).hover();

  const letReplyGo = await hold('POST', /\/desk\/api\/scheduled-replies/);
  await reply(page).fill('It strikes thirteen');
  await page.keyboard.press('Control+Enter');
  await until('it to leave the field', async () => (await reply(page).inputValue()) === '');
  await page.keyboard.press('Escape');
  await page.keyboard.press('z');
  letReplyGo();
  await until('its text', async () => (await reply(page).inputValue()) === 'It strikes thirteen');
  expect([await messagesOf(ticket.id), await priority()]).toEqual([[], 'HIGH']);
  await reply(page).fill('');
  await page.keyboard.press('Escape');

  const written: unknown[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT' && request.url().endsWith(`/desk/api/tickets/${ticket.id}`))
      written.push((request.postDataJSON() as { data: { priority: string } }).data.priority);
  });
  const letChangeGo = await hold('PUT', /\/desk\/api\/tickets\/[^/]+$/);
  await choose(page, 'p', 'Urgent');
  await until('the change to be written', async () => written.length === 1);
  await dialogClosed(page);
  await page.keyboard.press('z');
  letChangeGo();
  await until('it to be undone', async () => written.length === 2);
  expect(written).toEqual(['URGENT', 'HIGH']);
  await until('the priority', async () => (await priority()) === 'HIGH');
  expect(problems).toEqual([]);
});

test('a reply is sent later: until then it can be changed, sent and deleted, and what speaks against it holds it back', async () => {
  const ticket = await newTicket('The flag is torn');
  const { page, problems } = await signedInPage(browser, world);
  await show(page, ticket);
  const waiting = page.locator('li[data-scheduled]');
  const schedule = async (text: string) => {
    await reply(page).fill(text);
    await page.getByRole('button', { name: 'Other ways to send' }).click();
    await page.getByRole('menuitem', { name: 'Send later' }).click();
    await page
      .getByRole('list', { name: 'Quick choices' })
      .getByRole('button', { name: /^Tomorrow/ })
      .click();
    await waiting.filter({ hasText: text }).waitFor();
  };
  await schedule('Not this one');
  await waiting.getByRole('button', { name: 'Delete' }).click();
  await waiting.waitFor({ state: 'detached' });
  await schedule('A new one comes');
  await waiting.getByText(/^Scheduled for /).waitFor();
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await waiting.getByRole('button', { name: 'Edit' }).click();
  const field = page.getByRole('textbox', { name: 'Message', exact: true });
  await field.fill('A new one comes on Monday');
  await field.press('Control+Enter');
  await waiting.getByText('A new one comes on Monday').waitFor();

  // Others of the team see it too.
  const { page: sam } = await signedInPage(browser, world, { email: DEMO.people.sam.email });
  await show(sam, ticket);
  const theirs = sam.locator('li[data-scheduled]');
  await theirs.getByText('A new one comes on Monday').waitFor();
  expect(await theirs.getByRole('button').count()).toBe(0);
  expect(await messagesOf(ticket.id)).toEqual([]);

  await write(ticket.id, 'ada', 'Never mind');
  world.clock.pass(3 * 24 * 60 * 60_000);
  await page.getByText('Not sent: the requester replied meanwhile.').waitFor();
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await waiting.getByRole('button', { name: 'Send anyway' }).click();
  await waiting.waitFor({ state: 'detached' });
  await message(page, 'A new one comes on Monday').waitFor();

  expect((await messagesOf(ticket.id)).map(({ content }) => content).toSorted()).toEqual([
    'A new one comes on Monday',
    'Never mind',
  ]);
  expect(problems).toEqual([]);
});
