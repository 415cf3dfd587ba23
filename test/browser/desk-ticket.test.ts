import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { until } from '../harness/until.ts';
import { sharedWorld } from '../harness/world.ts';
import { axeFindings, type OpenPage, useBrowser } from './browser.ts';
import { closePicker, typeAndChoose } from './by-keys.ts';
import { demoRecords } from './demo-records.ts';
import { isAsWide, openDeskAs, signedInPage } from './open-page.ts';

const browser = useBrowser();
const world = sharedWorld();

const { person, queueOf, newTicket, read } = demoRecords(world);

/**
 * The page of a ticket as a user of the demo sees it; default its admin, Mira. `isLive`: without live events otherwise.
 */
async function openTicket(
  { code, title }: { code: string; title: string | null },
  { email, isLive = true, ...options }: OpenPage & { email?: string; isLive?: boolean } = {},
): Promise<{ page: Page; problems: string[] }> {
  const { page, problems } = await signedInPage(browser, world, { ...options, email });
  if (!isLive) await page.route('**/desk/live', (route) => route.abort());
  await page.goto(`${world.urls.root}/tickets/${code}`);
  await page.getByRole('heading', { level: 1, name: title ?? code }).waitFor();
  await page.getByRole('region', { name: 'Conversation' }).waitFor();
  return { page, problems };
}

/** For so long a reply can be undone, before it is sent. */
const UNDO_MS = 10_000;
const messagesOf = async (ticketId: string) =>
  (await world.service.listTicketMessages({ query: { ticketId, limit: 100 } })).items;
const message = (page: Page, text: string) => page.locator('li[data-kind]').filter({ hasText: text });

const TEXT_OF_REPLY = 'Have you **tried** the other cable?';
const replyField = (page: Page) => page.getByRole('textbox', { name: 'Reply to Ada Reyes' });

test('D16 a ticket opens at its newest message with the composer in view; a reply is shown at once and stored once even if the response is lost, and a failed one keeps its text with the reason', async () => {
  const ticket = await newTicket('The projector hums');
  const ada = await person('ada');
  for (let index = 1; index <= 25; index++)
    await world.service.createTicketMessage({
      body: {
        ticketId: ticket.id,
        authorId: ada.id,
        source: 'WEB',
        content: `Message ${index} :smile:\nwith a second line`,
      },
    });
  await world.service.createTicketMessage({
    body: {
      ticketId: ticket.id,
      authorId: ada.id,
      source: 'WEB',
      content: Array.from({ length: 40 }, (_, line) => `Line ${line + 1} of many`).join('\n'),
    },
  });
  const { page, problems } = await openTicket(ticket);
  await showNewestMessageAboveComposer(page);

  let posts = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/scheduled-replies')) posts++;
  });
  await keepTextOfFailedReply(page);
  await storeReplyOnceThoughResponseIsLost(page, ticket.id);
  expect(posts).toBe(2);
  await writeNote(page, ticket.id);
  expect(problems.filter((each) => !/ERR_FAILED/.test(each))).toEqual([]);
});

/** Long messages fold; line breaks and emoji are kept. Nothing typed at the desk is "in chat" (D9, D19). */
async function showNewestMessageAboveComposer(page: Page): Promise<void> {
  const bottomOf = async (text: string) => {
    const box = await page.getByText(text, { exact: true }).last().boundingBox();
    return box ? box.y + box.height : Infinity;
  };
  await message(page, 'Line 1 of many').waitFor();
  expect(await bottomOf('Send')).toBeLessThanOrEqual(800);
  const more = page.getByRole('button', { name: 'Show the whole message' });
  const edge = await replyField(page).boundingBox();
  expect(await more.boundingBox().then((box) => box && edge && box.y < edge.y && box.y > 0)).toBe(true);
  expect(await message(page, 'Message 25 ').innerText()).toMatch(/Message 25 😄\nwith a second line/);
  expect(await page.locator('li[data-kind]').getByText('in Slack').count()).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
}

async function keepTextOfFailedReply(page: Page): Promise<void> {
  await page.keyboard.press('r');
  await page.keyboard.type(TEXT_OF_REPLY);
  await page.route('**/desk/api/scheduled-replies', (route) =>
    route.request().method() === 'POST' ? route.abort() : route.fallback(),
  );
  await page.keyboard.press('Control+Enter');
  await page.getByRole('alert').getByText('Not sent: The desk cannot be reached.').waitFor();
  expect(await replyField(page).inputValue()).toBe(TEXT_OF_REPLY);
  expect(await message(page, 'other cable').count()).toBe(0);
  await page.unroute('**/desk/api/scheduled-replies');
}

/** The service has stored it, and the page never hears of it. */
async function storeReplyOnceThoughResponseIsLost(page: Page, ticketId: string): Promise<void> {
  const lost = Promise.withResolvers();
  await page.route('**/desk/api/scheduled-replies', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    await route.fetch();
    await route.abort();
    lost.resolve(undefined);
    return undefined;
  });
  await page.keyboard.press('Control+Enter');
  await message(page, 'Have you tried the other cable?').locator('strong', { hasText: 'tried' }).waitFor();
  await lost.promise;
  await page.unroute('**/desk/api/scheduled-replies');
  await until('an empty field', async () => (await replyField(page).inputValue()) === '');
  expect(await page.getByRole('alert').count()).toBe(0);
  await until('one reply', async () => (await message(page, 'other cable').count()) === 1);
  world.clock.pass(UNDO_MS);
  const stored = async () =>
    (await messagesOf(ticketId)).filter(({ content }) => content.includes('cable')).length;
  await until('the reply', async () => (await stored()) > 0);
  expect(await stored()).toBe(1);
}

/** A note looks different before it is typed, and is one; it mentions people and has emoji. */
async function writeNote(page: Page, ticketId: string): Promise<void> {
  await page.keyboard.press('Escape');
  await page.keyboard.press('n');
  const note = page.getByRole('textbox', { name: 'Internal note' });
  await note.waitFor();
  await page.keyboard.type('Ask @sa');
  await page.getByRole('option', { name: 'Sam Parks' }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.keyboard.type('about :tad');
  await page.keyboard.press('Enter');
  // Enter may come before the emoji are loaded; it is picked then.
  await until('the emoji', async () => !(await note.inputValue()).endsWith(':tad'));
  expect(await note.inputValue()).toBe('Ask @Sam Parks about 🎉');
  // The button offers them before a letter is typed.
  await page.getByRole('button', { name: 'Emoji', exact: true }).click();
  await page.getByRole('option', { name: ':thumbsup:' }).waitFor();
  await page.keyboard.press('Enter');
  expect(await note.inputValue()).toBe('Ask @Sam Parks about 🎉 👍');
  await page.keyboard.press('Control+Enter');
  await message(page, 'Ask @Sam Parks about').waitFor();
  const sam = await person('sam');
  await until('the mention', async () =>
    (await messagesOf(ticketId)).some(
      ({ content, private: isNote }) => isNote && content === `Ask [@Sam Parks](user:${sam.id}) about 🎉 👍`,
    ),
  );
  expect(await message(page, 'Ask @Sam Parks about').getAttribute('data-kind')).toBe('note');
}

test('a draft survives a reload and a new browser, a canned reply fills in its variables, and Send and close closes the ticket', async () => {
  const ticket = await newTicket('The badge does not open');
  await world.service.createCannedReply({
    body: {
      title: 'Badge reset',
      shortcut: 'badge-reset',
      isShared: true,
      content:
        'Hi {{requester.first_name}}, about {{ticket.reference}}: hold it longer. {{agent.first_name}}',
    },
  });
  const { page } = await openTicket(ticket);
  const field = page.getByRole('textbox', { name: 'Reply to Ada Reyes' });
  const snooze = page.getByRole('button', { name: 'Snooze' });
  await snooze.first().waitFor();
  await page.keyboard.press('r');
  await page.keyboard.type('Not quite ');
  const stored = page.waitForResponse(
    (response) => response.url().endsWith('/draft') && response.request().method() === 'PUT',
  );
  await page.keyboard.type('done');
  expect((await stored).ok()).toBe(true);
  await page.reload();
  await field.waitFor();
  expect(await field.inputValue()).toBe('Not quite done');
  await page.evaluate('localStorage.clear()');
  await page.reload();
  await until('the draft of the service', async () => (await field.inputValue()) === 'Not quite done');

  await field.fill('');
  await page.keyboard.type('/badge');
  await page.getByRole('option', { name: 'Badge reset' }).waitFor();
  await page.keyboard.press('Enter');
  const text = `Hi Ada, about ${ticket.code}: hold it longer. Mira`;
  await until('the reply with its variables', async () => (await field.inputValue()) === text);
  // However slow the machine is, the ten seconds are not over when the page of the ticket is there again.
  world.clock.stop();
  await page.keyboard.press('Control+Shift+Enter');
  // It makes way for the next one of the list.
  const title = page.getByRole('heading', { level: 1, name: 'The badge does not open' });
  await title.waitFor({ state: 'detached' });
  await page.goto(`${world.urls.root}/tickets/${ticket.code}`);
  await message(page, text).waitFor();
  // It closes with the reply, which can be undone until then.
  expect((await read(ticket.id)).status.statusGroup.label).toBe('Open');
  world.clock.resume();
  world.clock.pass(UNDO_MS);
  await until('a closed ticket', async () => (await read(ticket.id)).status.statusGroup.label === 'Closed');
  await page.getByText(/Mira Lind changed the status from .* to Closed/).waitFor();
  // The service would keep no snooze of it.
  await until('no way to put it aside', async () => (await snooze.count()) === 0);
  expect(await page.evaluate(`fetch('/desk/api/tickets/${ticket.id}/draft').then((it) => it.json())`)).toBe(
    null,
  );
});

test('a draft that reached the service after a page was made stands on that page; one that was emptied elsewhere does not', async () => {
  const ticket = await newTicket('The lock sticks');
  const { page } = await openTicket(ticket);
  const field = page.getByRole('textbox', { name: 'Reply to Ada Reyes' });
  const address = page.url();
  // As the server made it before anything was typed.
  let former: string | undefined;
  await page.route(address, async (route) => {
    const response = await route.fetch();
    former = await response.text();
    await route.fulfill({ response });
  });
  await page.reload();
  await page.unroute(address);
  const stored = () =>
    page.waitForResponse(
      (response) => response.url().endsWith('/draft') && response.request().method() === 'PUT',
    );
  const isStored = stored();
  await field.fill('Turn it twice');
  await isStored;
  await until('the browser to know', async () =>
    (await page.evaluate<string>('JSON.stringify(localStorage)')).includes('\\"isStored\\":true'),
  );
  await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body: former ?? '' }));
  const answer = Promise.withResolvers<undefined>();
  await page.route('**/draft', async (route) => {
    if (route.request().method() === 'GET') await answer.promise;
    await route.continue();
  });
  await page.reload();
  await field.waitFor();
  expect(await field.inputValue()).toBe('Turn it twice');
  const typed = stored();
  await field.press('End');
  await page.keyboard.type(', please');
  answer.resolve(undefined);
  await typed;
  await page.unroute('**/draft');
  expect(await field.inputValue()).toBe('Turn it twice, please');
  await page.unroute(address);

  // On another device.
  await page.evaluate(`fetch('/desk/api/tickets/${ticket.id}/draft', { method: 'DELETE' })`);
  await page.reload();
  await until('an empty field', async () => (await field.inputValue()) === '');
});

test('the preview of a text shows what the stored text shows, however easily its Markdown is misread', async () => {
  const content = [
    '**標籤：**正文 and _日本語_です, un**believ**able 2*3*4 snake_case_name',
    'https://git.example/pkg/__init__.py (see https://en.wiki.example/Rust_(lang)). www.x.example',
    '[bank.example](https://evil.example) <https://acme.example|here> [x](javascript:alert(1)) <b>bold</b> &amp;',
    '`code **x** <y>` ``a ` b`` \\*no\\* :tada: 10:30:45',
    '- [ ] open\n- [x] done\n  1. nested',
    '```js\nif (a < b) c *d* e\n```',
    '> quoted\n> > twice',
    '| a | b |\n| - | - |\n| **c** | [d](https://x.example/d) |',
    '# Heading\n\n---',
  ].join('\n\n');
  const ticket = await newTicket('Texts of every kind', { description: content });
  const { page, problems } = await openTicket(ticket);
  await page.getByRole('textbox', { name: 'Reply to Ada Reyes' }).fill(content);
  await page.getByRole('button', { name: 'Preview' }).click();
  const preview = page.getByRole('region', { name: 'Preview' }).locator('> div');
  await preview.locator('table').waitFor();
  const previewed = await preview.innerHTML();
  const stored = page.locator('[data-kind="asked"] p').first().locator('xpath=..');
  expect(previewed).toBe(await stored.innerHTML());
  expect(problems).toEqual([]);
});

test('an editor that stays open while another user writes refuses to overwrite it, and says who wrote what', async () => {
  const field = await world.service.createCustomField({
    body: { label: 'Seats', key: 'seats', type: 'NUMBER' },
  });
  const form = await world.service.saveRequestType({
    body: {
      name: 'A room',
      formEnabled: true,
      published: true,
      customFields: [{ customFieldId: field.id, order: 0 }],
    },
  });
  const sam = await person('sam');
  const ticket = await newTicket('A room', { requestTypeId: form.id, description: 'For ten' });
  const { page } = await openTicket(ticket, { width: 1440 });
  const bySam = (data: object) =>
    world.service.updateTicket({ params: { id: ticket.id }, body: { data, actorId: sam.id } });

  await page.keyboard.press('e');
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.fill('A room for Mira');
  await bySam({ title: 'A room for Sam' });
  // The page knows of the other title before it saves its own.
  await page.getByText('Sam Parks changed the title to “A room for Sam”').first().waitFor();
  await title.press('Enter');
  await page.getByText('A room for Sam”. Check the ticket and try again.').waitFor();
  expect([await title.inputValue(), (await read(ticket.id)).title]).toEqual([
    'A room for Mira',
    'A room for Sam',
  ]);
  // Told of it, they may replace it.
  await title.press('Enter');
  await until('the title', async () => (await read(ticket.id)).title === 'A room for Mira');

  await page.getByRole('button', { name: 'Edit description' }).first().click();
  const description = page.getByRole('textbox', { name: 'Description' });
  await description.fill('For ten of us');
  await bySam({ description: 'For twelve' });
  await page.getByText('Sam Parks changed the description').first().waitFor();
  await description.press('Control+Enter');
  await page.getByText('Sam Parks changed the description. Check the ticket and try again.').waitFor();
  // Both texts are there to compare.
  await page.getByRole('status').filter({ hasText: 'It now says:' }).getByText('For twelve').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect([await description.inputValue(), (await read(ticket.id)).description]).toEqual([
    'For ten of us',
    'For twelve',
  ]);
  await description.press('Escape');

  const about = page.getByRole('complementary', { name: 'About this ticket' });
  await about.getByRole('button', { name: /^Seats: / }).click();
  const seats = page.getByRole('textbox', { name: 'Seats' });
  await seats.fill('1,000');
  await bySam({ customFields: { seats: 12 } });
  await page.getByText('Sam Parks changed Seats').first().waitFor();
  await seats.press('Enter');
  await page.getByText('Sam Parks changed “Seats”. Check the ticket and try again.').waitFor();
  expect((await read(ticket.id)).customFields['seats']).toBe(12);
  await seats.press('Enter');
  await until('the number', async () => (await read(ticket.id)).customFields['seats'] === 1000);
});

test('what is typed reaches the service though the page is closed at once, or had no connection', async () => {
  const ticket = await newTicket('The lift is slow');
  const { page } = await openTicket(ticket);
  const field = page.getByRole('textbox', { name: 'Reply to Ada Reyes' });
  const { page: other } = await openDeskAs(browser, world);
  const stored = () =>
    other.evaluate<{ content: string } | null>(
      `fetch('/desk/api/tickets/${ticket.id}/draft').then((it) => it.json())`,
    );
  await field.fill('On my way');
  await page.goto('about:blank');
  await until('the draft', async () => (await stored())?.content === 'On my way');

  await page.goBack();
  await field.waitFor();
  await until('the text', async () => (await field.inputValue()) === 'On my way');
  await page.route('**/draft', (route) => route.abort());
  const failed = page.waitForEvent('requestfailed', (request) => request.method() === 'PUT');
  await field.fill('On my way up');
  await failed;
  expect((await stored())?.content).toBe('On my way');
  await page.unroute('**/draft');
  await page.reload();
  await until('the rest of it', async () => (await stored())?.content === 'On my way up');
  expect(await field.inputValue()).toBe('On my way up');
});

test('the keys of an input method take and drop words, and neither save, send, pick nor close', async () => {
  const ticket = await newTicket('The door sticks');
  const { page } = await openTicket(ticket, { width: 1440 });
  /** A key as an input method sends it; Safari’s Enter comes after the word is composed, with its code alone. */
  const press = (key: string, how: object) =>
    page.evaluate(
      `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', ${JSON.stringify({ key, bubbles: true, cancelable: true, ...how })}))`,
    );
  const ways = [{ isComposing: true }, { keyCode: 229 }];
  await page.keyboard.press('e');
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.fill('ドアが');
  for (const way of ways) for (const key of ['Enter', 'Escape']) await press(key, way);
  expect(await title.inputValue()).toBe('ドアが');
  await title.press('Escape');
  await page.keyboard.press('a');
  await page.getByRole('dialog', { name: 'Assignee' }).waitFor();
  for (const way of ways) await press('Enter', way);
  await page.getByRole('dialog', { name: 'Assignee' }).waitFor();
  await page.keyboard.press('Escape');
  const reply = page.getByRole('textbox', { name: 'Reply to Ada Reyes' });
  await reply.fill('すぐに');
  for (const way of ways) await press('Enter', { ...way, ctrlKey: true });
  expect(await reply.inputValue()).toBe('すぐに');
  const { title: kept, assigneeId } = await read(ticket.id);
  expect([kept, assigneeId, await messagesOf(ticket.id)]).toEqual(['The door sticks', null, []]);
});

/** A page of a ticket whose fields are changed. */
interface Fields {
  page: Page;
  id: string;
  code: string;
  about: Locator;
  /** The button of a field, with its value. */
  value: (label: string) => Locator;
  /** Waits until the stored ticket is so. */
  is: (what: string, check: (record: Awaited<ReturnType<typeof read>>) => boolean) => Promise<unknown>;
}

test('fields read as text and change by keys; D21 a field that another user changed is not overwritten, and the page says who changed it to what', async () => {
  const field = await world.service.createCustomField({
    body: {
      label: 'Building',
      key: 'building',
      type: 'SELECT',
      options: [{ value: 'Oslo' }, { value: 'Lagos' }],
    },
  });
  const form = await world.service.saveRequestType({
    body: {
      name: 'A thing in a building',
      formEnabled: true,
      published: true,
      customFields: [{ customFieldId: field.id, order: 0 }],
    },
  });
  const mira = await person('mira');
  await world.service.createTag({ body: { name: 'lamps' } });
  const ticket = await newTicket('A lamp is dark', {
    requestTypeId: form.id,
    approverIds: [mira.id],
    priority: 'MEDIUM',
  });
  const { page } = await openTicket(ticket, { isLive: false, width: 1440 });
  const about = page.getByRole('complementary', { name: 'About this ticket' });
  const fields: Fields = {
    page,
    id: ticket.id,
    code: ticket.code,
    about,
    value: (label) => about.getByRole('button', { name: new RegExp(`^${label}: `) }),
    is: (what, check) =>
      until(what, async () => check(await read(ticket.id)), { seen: () => read(ticket.id) }),
  };
  await changePriorityAndUndo(fields);
  await keepPriorityOfAnotherUser(fields);
  await assignAlthoughPriorityWasChanged(fields, mira.id);
  await tagAndSnooze(fields);
  await pickDueDateAndCustomField(fields);
  await editTitle(fields);
  await decline(fields);
  await mergeAndUndo(fields);
});

async function changePriorityAndUndo({ page, value, is }: Fields): Promise<void> {
  await page.keyboard.press('p');
  await page.getByRole('dialog', { name: 'Priority' }).waitFor();
  await page.keyboard.type('urg');
  await page.getByRole('option', { name: 'Urgent' }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await is('the priority', ({ priority }) => priority === 'URGENT');
  await value('Priority').getByText('Urgent').waitFor();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await page.keyboard.press('z');
  await is('the priority of before', ({ priority }) => priority === 'MEDIUM');
}

const changePriorityAsSam = async (id: string, priority: 'LOW' | 'HIGH') =>
  world.service.updateTicket({
    params: { id },
    body: { data: { priority }, actorId: (await person('sam')).id },
  });

async function keepPriorityOfAnotherUser({ page, id, value }: Fields): Promise<void> {
  await until('the former priority', async () => (await value('Priority').innerText()).includes('Medium'));
  await changePriorityAsSam(id, 'LOW');
  await page.keyboard.press('p');
  await page.keyboard.type('high');
  await page.keyboard.press('Enter');
  await page.getByText(/Sam Parks changed the priority to .*low/i).waitFor();
  await value('Priority').getByText('Low').waitFor();
  expect((await read(id)).priority).toBe('LOW');
}

/** A field that another user changed does not keep one from changing another. */
async function assignAlthoughPriorityWasChanged({ page, id, is }: Fields, personId: string): Promise<void> {
  await changePriorityAsSam(id, 'HIGH');
  await page.keyboard.press('i');
  await is('the assignee', ({ assigneeId }) => assigneeId === personId);
}

async function tagAndSnooze({ page, is }: Fields): Promise<void> {
  await page.keyboard.press('l');
  await page.keyboard.type('lamps');
  await page.getByRole('option', { name: 'lamps' }).waitFor();
  await page.keyboard.press('Enter');
  await is('the tag', ({ tags }) => tags.some(({ name }) => name === 'lamps'));
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('h');
  await page.locator('button:focus', { hasText: 'In three hours' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('h');
  await page.getByRole('button', { name: /^Tomorrow/ }).click();
  await is('a snooze', ({ snoozeUntil }) => snoozeUntil !== null);
}

async function pickDueDateAndCustomField({ page, code, value, is }: Fields): Promise<void> {
  // A snoozed ticket makes way for the next one of the list.
  await page.goto(`${world.urls.root}/tickets/${code}`);
  await value('Due').click();
  await page.getByRole('button', { name: 'Pick a date and time' }).click();
  await page.getByRole('textbox', { name: 'Time' }).fill('16:30');
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Set', exact: true }).click();
  await is('a due date', ({ dueAt }) => dueAt !== null && new Date(dueAt).getMinutes() === 30);
  await value('Building').click();
  await page.getByRole('option', { name: 'Lagos' }).click();
  await is('a custom field', ({ customFields }) => customFields['building'] === 'Lagos');
}

/** D15 A long title takes two lines, and is edited in place. */
async function editTitle({ page, is }: Fields): Promise<void> {
  await page.keyboard.press('e');
  await page.getByRole('textbox', { name: 'Title' }).fill('A lamp '.repeat(60).trim());
  await page.keyboard.press('Enter');
  await is('the title', ({ title }) => title?.startsWith('A lamp A lamp') === true);
  const heading = await page.getByRole('heading', { level: 1 }).last().boundingBox();
  expect(heading?.height).toBeLessThan(60);
}

async function decline({ page, about }: Fields): Promise<void> {
  await about.getByRole('button', { name: 'Decline…' }).click();
  await page.getByRole('textbox', { name: 'Reason' }).fill('There are lamps enough');
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Decline', exact: true }).click();
  await about.getByText('Declined by Mira Lind').waitFor();
  await about.getByText('There are lamps enough').waitFor();
  expect(await axeFindings(page)).toEqual([]);
}

test('the menu of statuses says each once: a group has a heading where it has more than its own name to say', async () => {
  const { items } = await world.service.listStatuses({});
  const waiting = items.find(({ label }) => label === 'Waiting');
  const more = await world.service.createStatus({
    body: { label: 'With the vendor', statusGroupId: waiting?.statusGroup.id ?? '' },
  });
  const ticket = await newTicket('A pump is with the vendor');
  const { page } = await openTicket(ticket, { isLive: false, width: 1440 });
  await page.keyboard.press('s');
  const list = page.getByRole('dialog', { name: 'Status' }).getByRole('listbox');
  await list.getByRole('option', { name: 'With the vendor' }).waitFor();
  const said = (await list.innerText()).split('\n').map((line) => line.trim());
  expect(said.filter(Boolean).toSorted()).toEqual(
    ['Closed', 'Done', 'In Progress', 'Open', 'Waiting', 'Waiting', 'With the vendor'].toSorted(),
  );
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await world.service.deleteStatus({ params: { id: more.id } });
});

/** The other ticket is opened; undone with one key, the ticket is open again, and shown. */
async function mergeAndUndo({ page, code, is }: Fields): Promise<void> {
  const other = await newTicket('All lamps are dark');
  await page.keyboard.press('m');
  await page.getByPlaceholder('Reference or words').fill(other.code);
  await page.getByRole('option', { name: new RegExp(other.code) }).click();
  await page.getByRole('button', { name: `Merge into ${other.code}` }).click();
  await page.getByRole('heading', { level: 1, name: 'All lamps are dark' }).waitFor();
  await is('a merged ticket', ({ mergedIntoId }) => mergedIntoId === other.id);
  // Of what can be undone, the latest is.
  await page.getByText(`Merged ${code} into ${other.code}`).waitFor();
  await page.keyboard.press('z');
  await page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'All lamps are dark' }).waitFor();
  await is('a ticket of its own again', ({ mergedIntoId }) => !mergedIntoId);
}

test('what was merged into a ticket is read in its conversation, in place and in turn, by each as they may read it', async () => {
  const [ada, mira] = [await person('ada'), await person('mira')];
  const write = (ticketId: string, authorId: string, content: string, isNote = false) =>
    world.service.createTicketMessage({ body: { ticketId, authorId, content, private: isNote } });
  const merge = (from: string, into: string) =>
    world.service.mergeTicket({ params: { id: from }, body: { intoId: into, userId: mira.id } });
  const target = await newTicket('The kettle is cold');
  const middle = await newTicket('No tea in the kitchen');
  const first = await newTicket('The plug of the kettle sparks');
  await write(middle.id, ada.id, 'Still **no tea**');
  await write(middle.id, mira.id, 'Ask the electrician', true);
  await write(first.id, ada.id, 'It smells, too');
  await merge(first.id, middle.id);
  await merge(middle.id, target.id);
  const { id: pia } = await world.service.createUser({
    body: { firstName: 'Pia', email: 'pia@example.com' },
  });
  const queueIds = [(await queueOf('PPL')) ?? ''];
  await world.service.updateUser({ params: { id: pia }, body: { role: 'agent', queueIds } });

  for (const [email, width, notes] of [
    [undefined, 1440, 1],
    ['pia@example.com', 390, 0],
  ] as const) {
    const { page, problems } = await openTicket(target, {
      width,
      height: 844,
      ...(email && { email }),
      ...(width < 400 && { colorScheme: 'dark' }),
    });
    const thread = page.getByRole('region', { name: 'Conversation', exact: true });
    const merged = page.getByRole('region', { name: `Conversation of ${middle.code}` });
    const nested = merged.getByRole('region', { name: `Conversation of ${first.code}` });
    const open = page.getByRole('button', { name: `Show the conversation of ${middle.code}` });
    await open.waitFor();
    expect(await thread.getByText('no tea').count()).toBe(0);
    await open.press('Enter');
    await merged.getByText('No tea in the kitchen, it says').waitFor();
    await merged.getByText('Still no tea').waitFor();
    expect(await merged.getByText('Ask the electrician').count()).toBe(notes);
    await merged.getByRole('button', { name: `Show the conversation of ${first.code}` }).click();
    await nested.getByText('It smells, too').waitFor();
    // Nothing of it is changed from here.
    expect(await merged.getByRole('button', { name: 'Edit description' }).count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    expect(await isAsWide(page)).toBe(true);
    expect(problems).toEqual([]);
    if (email) continue;
    await page.getByRole('button', { name: `Hide the conversation of ${middle.code}` }).click();
    await merged.waitFor({ state: 'detached' });
    // A merge that was undone is only a line of the history.
    await world.service.updateTicket({
      params: { id: middle.id },
      body: { data: { statusId: middle.statusId } },
    });
    await open.waitFor({ state: 'detached' });
    await thread.getByText(`undid the merge of ${middle.code}`).waitFor();
    await merge(middle.id, target.id);
    await open.waitFor();
  }
});

test('D21 of two people who change the followers at the same time neither removes whom the other added, and the page says so', async () => {
  const [mira, sam, ticket] = [await person('mira'), await person('sam'), await newTicket('A tap drips')];
  const { page } = await openTicket(ticket, { isLive: false, width: 1440 });
  const followers = page.getByRole('button', { name: /^Followers: / });
  const says = (text: RegExp) => page.getByText(text).waitFor();
  const stored = async () => (await read(ticket.id)).followers.map(({ id }) => id).toSorted();
  const addMira = async () => {
    await followers.click();
    await typeAndChoose(page, 'Mira Lind');
  };
  await followers.waitFor();
  await world.service.updateTicket({
    params: { id: ticket.id },
    body: { data: { followers: [{ id: sam.id }] }, actorId: sam.id },
  });
  await addMira();
  await says(/Another user changed the followers/);
  expect(await stored()).toEqual([sam.id]);
  await closePicker(page);
  // Now that the page shows the other one, the change adds to it.
  await followers.getByText('Sam Parks').waitFor();
  await addMira();
  await says(/Follower added: Mira Lind/);
  await until('both', async () => (await stored()).length === 2, { seen: stored });
  expect(await stored()).toEqual([mira.id, sam.id].toSorted());
});

test('a change of the details says what was set: who was added or removed, the new title, the answer to a question', async () => {
  const field = await world.service.createCustomField({
    body: { key: 'floor', label: 'Floor', type: 'TEXT' },
  });
  const ticket = await newTicket('A door squeaks', { customFields: { [field.key]: '1' } });
  const { page, problems } = await openTicket(ticket, { width: 1440 });
  const about = page.getByRole('complementary', { name: 'About this ticket' });
  const says = (text: string) => page.getByRole('alertdialog').getByText(text, { exact: true }).waitFor();
  for (const label of ['Approver', 'Follower'])
    for (const what of ['added', 'removed']) {
      await about.getByRole('button', { name: new RegExp(`^${label}s: `) }).click();
      await typeAndChoose(page, 'Sam Parks');
      await says(`${label} ${what}: Sam Parks`);
      await closePicker(page);
    }
  await page.keyboard.press('e');
  await page.getByRole('textbox', { name: 'Title' }).fill('Two doors squeak');
  await page.keyboard.press('Enter');
  await says('Renamed to “Two doors squeak”');
  await about.getByRole('button', { name: 'Floor: 1' }).click();
  await page.getByRole('textbox', { name: 'Floor' }).fill('2');
  await page.keyboard.press('Enter');
  await says('Floor: 2');
  expect(problems).toEqual([]);
});

test('a removed link comes back with Undo, and a text stands in the direction of its script', async () => {
  const ticket = await newTicket('الشاشة لا تعمل');
  const other = await newTicket('No screen works');
  const id = { params: { id: other.id } };
  await world.service.linkTicket({ ...id, body: { ticketId: ticket.id, kind: 'blocks' } });
  const { page, problems } = await openTicket(ticket, { width: 1440 });
  const directionOf = (selector: string) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).direction`);
  expect(await directionOf('main h1')).toBe('rtl');
  const linksOf = async () => (await read(ticket.id)).links.map((link) => [link.kind, link.direction]);
  await page.getByRole('button', { name: `Remove the link to ${other.code}` }).click();
  await until('no link', async () => (await linksOf()).length === 0);
  await page.getByText(`Link with ${other.code} removed`).waitFor();
  await page.keyboard.press('z');
  await until('the link of before', async () => (await linksOf()).length === 1);
  expect(await linksOf()).toEqual([['blocks', 'in']]);
  await page.getByRole('complementary').getByText('Blocked by').waitFor();
  expect(problems).toEqual([]);
});

test('who types and presses Enter gets what was typed: in a list that stays as it is, and however late the service answers', async () => {
  const zed = await world.service.createUser({ body: { firstName: 'Zed', email: 'zed@example.com' } });
  const ticket = await newTicket('The zebra lamp', { requesterId: zed.id });
  const only = await newTicket('The zebra crossing', { requesterId: zed.id });
  const other = await newTicket('A quagga in the lobby');
  const { page, problems } = await openTicket(ticket);
  const dialog = page.getByRole('dialog');
  const field = page.locator('[role=dialog] input:focus');
  const marked = page.locator('[role=dialog] [role=option][data-focused]');
  /** Answers to searches wait for it. */
  let gate = Promise.withResolvers<undefined>();
  const open = async (key: string) => {
    await page.keyboard.press(key);
    await field.waitFor();
    await page.getByRole('option').first().waitFor();
  };
  const close = async () => {
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
  };

  // The list has this one ticket before something is typed, and after it.
  for (const typed of [only.code, 'crossing', 'zebra']) {
    await open('m');
    await page.keyboard.type(typed);
    await marked.filter({ hasText: only.code }).waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: `Merge into ${only.code}` }).waitFor();
    await close();
  }

  await page.route(/desk\/api\/(tickets|users)\?.*search=./, async (route) => {
    await gate.promise;
    await route.continue();
  });
  const askedFor = (words: string) =>
    page.waitForRequest((request) => new URL(request.url()).searchParams.get('search') === words);
  /** Another one is marked, and Enter comes before the answer. */
  const typeAhead = async (words: string) => {
    gate = Promise.withResolvers<undefined>();
    await page.keyboard.press('ArrowDown');
    await marked.waitFor();
    const asked = askedFor(words);
    await page.keyboard.type(words);
    await page.keyboard.press('Enter');
    await asked;
  };
  await open('m');
  await typeAhead('quagga');
  expect(await dialog.getByRole('button', { name: 'Merge', exact: true }).isDisabled()).toBe(true);
  gate.resolve(undefined);
  await dialog.getByRole('button', { name: `Merge into ${other.code}` }).waitFor();
  await close();

  // Another key takes the Enter back: nothing is chosen, and the first one is marked when it comes.
  await open('m');
  await typeAhead('lobb');
  await page.keyboard.type('y');
  gate.resolve(undefined);
  await marked.filter({ hasText: other.code }).waitFor();
  expect(await dialog.getByRole('button', { name: 'Merge', exact: true }).isDisabled()).toBe(true);
  await close();

  // People are found the same way.
  const sam = await person('sam');
  await open('a');
  await typeAhead('Sam Parks');
  expect((await read(ticket.id)).assigneeId).toBeNull();
  gate.resolve(undefined);
  await until('the assignee', async () => (await read(ticket.id)).assigneeId === sam.id);

  // So are tickets by the command bar.
  await dialog.waitFor({ state: 'detached' });
  await open('Control+k');
  await typeAhead('quagga lobby');
  gate.resolve(undefined);
  await page.getByRole('heading', { level: 1, name: 'A quagga in the lobby' }).waitFor();
  expect(problems).toEqual([]);
});

test('a ticket says who changed or removed its author', async () => {
  const [ada, sam] = [await person('ada'), await person('sam')];
  const ticket = await newTicket('A screen', { requesterId: ada.id, authorId: ada.id });
  for (const authorId of [sam.id, null])
    await world.service.updateTicket({
      params: { id: ticket.id },
      body: { data: { authorId }, actorId: sam.id },
    });
  const { page } = await openTicket(ticket);
  await page.getByText(/^Sam Parks changed the author from Ada .* to Sam Parks/).waitFor();
  await page.getByText(/^Sam Parks removed the author Sam Parks/).waitFor();
});
