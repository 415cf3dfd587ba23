import { readFileSync } from 'node:fs';

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { until } from '../harness/until.ts';
import { sharedWorld } from '../harness/world.ts';
import { useBrowser } from './browser.ts';
import {
  choose,
  closePicker,
  command,
  dialogClosed,
  moveTo,
  pressPair,
  tabTo,
  typeAndChoose,
} from './by-keys.ts';
import { demoRecords } from './demo-records.ts';
import { signedInPage } from './open-page.ts';

const browser = useBrowser();
const world = sharedWorld();
const { person, newTicket, queueOf, read } = demoRecords(world);

type Ticket = Awaited<ReturnType<typeof newTicket>>;

interface Job {
  page: Page;
  /** The ticket that the job is about: the upper one of the two in the list. */
  ticket: Ticket;
  other: Ticket;
  press: (...keys: string[]) => Promise<void>;
  /** Presses two keys, of which the second follows at once. */
  pair: (first: string, second: string) => Promise<void>;
  type: (text: string) => Promise<void>;
  /** Opens the ticket from the list. */
  open: () => Promise<void>;
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const rowOf = (page: Page, code: string) => page.locator(`[data-code="${code}"]`);
const withFocus = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).and(page.locator(':focus')).waitFor();
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const messagesOf = async ({ id }: Ticket) =>
  (await world.service.listTicketMessages({ query: { ticketId: id, limit: 100 } })).items;
const hasMessage = (ticket: Ticket, content: string, isPrivate = false) =>
  until(`the message “${content}”`, async () =>
    (await messagesOf(ticket)).some((each) => each.content === content && each.private === isPrivate),
  );
const viewNamed = async (name: string) =>
  (await world.service.listViews({})).items.find((view) => view.name === name);
const write = async ({ id }: Ticket, who: 'ada' | 'mira', content: string) =>
  world.service.createTicketMessage({
    body: { ticketId: id, authorId: (await person(who)).id, content, source: 'WEB' },
  });

/** Moves down a menu to an entry and chooses it. */
async function chooseEntry({ page, press }: Job, name: string | RegExp): Promise<void> {
  const focused = page.locator('[role=menuitem][data-focused]');
  await focused.waitFor();
  for (let presses = 0; presses < 20; presses++) {
    const text = await focused.innerText();
    if (typeof name === 'string' ? text.startsWith(name) : name.test(text)) {
      await press('Enter');
      await page.getByRole('menu').waitFor({ state: 'detached' });
      return;
    }
    await press('ArrowDown');
  }
  throw new Error(`the menu has no ${String(name)}`);
}

/** Opens the menu of a button that Tab leads to, and chooses from it. */
async function fromMenu(job: Job, button: string | RegExp, entry: string | RegExp): Promise<void> {
  await tabTo(job.page, button, { atMost: 200 });
  await job.press('Enter');
  await chooseEntry(job, entry);
}

const saved = (name: string) =>
  world.service.createView({ body: { name, isShared: true, filters: { priority: 'HIGH' } } });

/** The daily work of an agent: what is done, by keys alone, and what is true then. */
const JOBS: Record<string, (job: Job) => Promise<void>> = {
  'assign a ticket': async ({ page, ticket }) => {
    await moveTo(page, ticket.code);
    await choose(page, 'a', 'Sam Parks');
    const sam = await person('sam');
    await until('the assignee', async () => (await read(ticket.id)).assigneeId === sam.id);
  },
  'reply and go on with the next ticket': async (job) => {
    const { page, ticket, other, press, type, open } = job;
    await open();
    await press('r');
    await type('Try the other cable');
    await fromMenu(job, 'Other ways to send', 'Send and next ticket');
    await heading(page, other.title ?? '').waitFor();
    await hasMessage(ticket, 'Try the other cable');
  },
  'write an internal note': async ({ ticket, press, type, open }) => {
    await open();
    await press('n');
    await type('Ask the vendor');
    await press('Control+Enter');
    await hasMessage(ticket, 'Ask the vendor', true);
  },
  'merge a ticket into another one': async ({ page, ticket, other, press, open }) => {
    await open();
    await press('m');
    await typeAndChoose(page, other.code);
    // The next Enter confirms what the first one chose.
    await withFocus(page, `Merge into ${other.code}`);
    await press('Enter');
    await heading(page, other.title ?? '').waitFor();
    await until('the merge', async () => (await read(ticket.id)).mergedIntoId === other.id);
  },
  'snooze a ticket, and go on with the next one': async ({ page, ticket, other, press, open }) => {
    await open();
    await press('h');
    await page.getByRole('list', { name: 'Quick choices' }).locator('button:focus').waitFor();
    await press('Enter');
    await heading(page, other.title ?? '').waitFor();
    await until('the snooze', async () => (await read(ticket.id)).snoozeUntil !== null);
  },
  'close a ticket, and go on with the next one; undo it': async ({ page, ticket, other, press, open }) => {
    await open();
    await choose(page, 's', 'Closed');
    await heading(page, other.title ?? '').waitFor();
    const status = async () => (await read(ticket.id)).status.statusGroup.label;
    await until('it is closed', async () => (await status()) === 'Closed');
    await page.getByText(`${ticket.code}: Status: Closed`).waitFor();
    await press('z');
    await until('it is open', async () => (await status()) === 'Open');
  },
  'close a ticket in the list, and go on with the row below': async ({ page, ticket, other, press }) => {
    await moveTo(page, ticket.code);
    await choose(page, 's', 'Closed');
    await until('it is closed', async () => (await read(ticket.id)).status.statusGroup.label === 'Closed');
    await press('j');
    await rowOf(page, other.code).and(page.locator('[data-current]')).waitFor();
  },
  'reopen a closed ticket': async ({ page, ticket, open }) => {
    const { items } = await world.service.listStatuses({});
    const closed = items.find(({ statusGroup }) => statusGroup.label === 'Closed');
    await world.service.updateTicket({
      params: { id: ticket.id },
      body: { data: { statusId: closed?.id ?? '' } },
    });
    await rowOf(page, ticket.code).getByText('Closed').first().waitFor();
    await open();
    await choose(page, 's', 'Open');
    await until('it is open', async () => (await read(ticket.id)).status.statusGroup.label === 'Open');
  },
  'find a ticket by its words': async ({ page, ticket, press, type }) => {
    await press('/');
    await type(ticket.title ?? '');
    await page.waitForURL(/search=/);
    await rowOf(page, ticket.code).waitFor();
    await press('ArrowDown');
    await page.locator(`[data-code="${ticket.code}"] a:focus`).waitFor();
    await press('Enter');
    await heading(page, ticket.title ?? '').waitFor();
  },
  'find a message by its words, and go to it': async (job) => {
    const { page, ticket, press, type } = job;
    await write(ticket, 'ada', 'The zirconium fuse is blown');
    for (let index = 0; index < 12; index++) await write(ticket, 'mira', `Reply ${index}\n\n…\n\n…`);
    await press('/');
    await type('zirconium');
    await page.waitForURL(/search=/);
    await rowOf(page, ticket.code).getByText('zirconium').waitFor();
    await press('ArrowDown', 'Enter');
    await heading(page, ticket.title ?? '').waitFor();
    await tabTo(page, 'Actions on the message of Ada Reyes', { atMost: 200 });
    const found = page.locator('li[data-kind]', { hasText: 'zirconium' });
    await until('the message in view', async () => {
      const box = await found.boundingBox();
      return box !== null && box.y > 0 && box.y + box.height < 900;
    });
  },
  'make a view of a filtered list, and share it': async ({ page, press, pair, type }) => {
    await pair('g', 'o');
    await heading(page, 'Open').waitFor();
    await tabTo(page, 'Filter');
    await press('Enter');
    await typeAndChoose(page, 'Priority');
    await page.getByRole('option', { name: 'Urgent' }).waitFor();
    await typeAndChoose(page, 'Urgent');
    await page.waitForURL(/priority=URGENT/);
    await closePicker(page);
    await tabTo(page, 'Save view');
    await press('Enter');
    await field(page, 'Name').and(page.locator(':focus')).waitFor();
    await type('Made by keys');
    await tabTo(page, /^Share with all agents/);
    await press('Space');
    await tabTo(page, 'Save');
    await press('Enter');
    await heading(page, 'Made by keys').waitFor();
    const view = await until('the view', () => viewNamed('Made by keys'));
    expect([view.filters['priority'], view.isShared]).toEqual(['URGENT', true]);
  },
  'edit the name and a filter of a view': async (job) => {
    const { page, press, type } = job;
    const { id } = await saved('To be edited');
    await page.reload();
    await page.locator('[data-code]').first().waitFor();
    await command(page, 'To be edited');
    await heading(page, 'To be edited').waitFor();
    await fromMenu(job, 'Actions of the view To be edited', 'Edit…');
    await field(page, 'Name').and(page.locator(':focus')).waitFor();
    await press('Control+a');
    await type('Edited by keys');
    await press('Enter');
    await heading(page, 'Edited by keys').waitFor();
    await tabTo(page, /^Priority: High$/);
    await press('Enter');
    await typeAndChoose(page, 'Low');
    await page.getByRole('button', { name: 'Priority: High or Low' }).waitFor();
    await closePicker(page);
    await tabTo(page, 'Save changes');
    await press('Enter');
    await until(
      'the filter',
      async () => (await viewNamed('Edited by keys'))?.filters['priority'] === 'HIGH,LOW',
    );
    expect((await viewNamed('Edited by keys'))?.id).toBe(id);
  },
  'pin, order and delete a view': async (job) => {
    const { page } = job;
    await saved('Before it');
    await saved('To be moved');
    await page.reload();
    const links = async () =>
      (await page.getByRole('navigation', { name: 'Navigation' }).getByRole('link').allInnerTexts()).map(
        (text) => text.split('\n')[0] ?? '',
      );
    const isBefore = (one: string, other: string) =>
      until(`${one} before ${other}`, async () => {
        const names = await links();
        return names.indexOf(one) < names.indexOf(other) && names.includes(one);
      });
    await isBefore('Before it', 'To be moved');
    const menu = 'Actions of the view To be moved';
    await fromMenu(job, menu, 'Move up');
    await isBefore('To be moved', 'Before it');
    await fromMenu(job, menu, 'Pin to top');
    await page.getByRole('heading', { name: 'Pinned' }).waitFor();
    await fromMenu(job, menu, 'Delete view');
    await until('it is gone', async () => (await viewNamed('To be moved')) === undefined);
  },
  'group the list, and choose its columns': async ({ page, ticket, press }) => {
    await tabTo(page, 'Display');
    await press('Enter');
    await page.getByRole('dialog', { name: 'Display' }).waitFor();
    await tabTo(page, 'Status');
    await press('Enter');
    await tabTo(page, 'Age');
    await press('Space', 'Escape');
    await page.getByRole('dialog', { name: 'Display' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Open\s*2$/ }).waitFor();
    await page.getByRole('group', { name: 'Columns' }).getByText('Title').waitFor();
    const age = page.getByRole('group', { name: 'Columns' }).getByText('Age', { exact: true });
    await age.waitFor({ state: 'detached' });
    await moveTo(page, ticket.code);
  },
  'save the list as CSV': async ({ page, ticket }) => {
    const download = page.waitForEvent('download');
    await command(page, 'CSV', 'Download this list as CSV');
    expect(readFileSync(await (await download).path(), 'utf8')).toContain(ticket.code);
  },
  'move a ticket to another queue': async ({ page, ticket, press, open }) => {
    await open();
    await command(page, 'queue', 'Queue…');
    await typeAndChoose(page, 'People');
    await page.getByRole('dialog', { name: `Move ${ticket.code} to People?` }).waitFor();
    await tabTo(page, 'Move');
    await press('Enter');
    const id = await queueOf('PPL');
    await until('the other queue', async () => (await read(ticket.id)).queueId === id);
    await dialogClosed(page);
  },
  'tag a ticket': async ({ page, ticket, open }) => {
    const tag = await world.service.createTag({ body: { name: 'by-keys' } });
    await page.reload();
    await open();
    await choose(page, 'l', 'by-keys');
    await closePicker(page);
    await until('the tag', async () => (await read(ticket.id)).tags.some(({ id }) => id === tag.id));
  },
  'schedule a reply, and delete it': async (job) => {
    const { page, ticket, press, type, open } = job;
    await open();
    await press('r');
    await type('It comes tomorrow');
    await fromMenu(job, 'Other ways to send', 'Send later');
    await page.getByRole('list', { name: 'Quick choices' }).locator('button:focus').waitFor();
    await press('Enter');
    const waiting = page.locator('li[data-scheduled]', { hasText: 'It comes tomorrow' });
    await waiting.getByText(/^Scheduled for /).waitFor();
    expect(await messagesOf(ticket)).toEqual([]);
    await press('Escape');
    await tabTo(page, 'Delete', { atMost: 400 });
    await press('Enter');
    await waiting.waitFor({ state: 'detached' });
  },
  'undo a send': async ({ page, ticket, press, type, open }) => {
    await open();
    await press('r');
    await type('Sent too early');
    // However slow the machine is, the ten seconds are not over yet.
    world.clock.stop();
    await press('Control+Enter');
    await page.locator('li[data-scheduled]', { hasText: 'Sent too early' }).waitFor();
    await press('Escape', 'z');
    const reply = page.getByRole('textbox', { name: /^Reply to/ });
    await until('the text is back', async () => (await reply.inputValue()) === 'Sent too early');
    expect(await messagesOf(ticket)).toEqual([]);
    world.clock.resume();
    await press('r', 'Control+a', 'Delete');
  },
  'quote a message, and edit one’s own': async (job) => {
    const { page, ticket, press, type, open } = job;
    const own = await write(ticket, 'mira', 'It is teh fuse');
    await open();
    const menu = 'Actions on the message of Mira Lind';
    await fromMenu({ ...job }, menu, 'Quote');
    const reply = page.getByRole('textbox', { name: /^Reply to/ });
    await until('the quote', async () => (await reply.inputValue()).startsWith('> It is teh fuse'));
    await press('Control+a', 'Delete', 'Escape');
    await fromMenu(job, menu, 'Edit');
    await field(page, 'Message').and(page.locator(':focus')).waitFor();
    await press('Control+a');
    await type('It is the fuse');
    await press('Control+Enter');
    await until('the edit', async () =>
      (await messagesOf(ticket)).some(({ id, content }) => id === own.id && content === 'It is the fuse'),
    );
  },
  'open a new ticket for somebody': async ({ page, press, type }) => {
    await press('c');
    await heading(page, 'New ticket').waitFor();
    await page.getByRole('textbox', { name: 'Title' }).and(page.locator(':focus')).waitFor();
    await type('A badge by keys');
    const requester = page.getByRole('button', { name: /^Requester/ }).and(page.locator(':focus'));
    for (let presses = 0; presses < 5 && (await requester.count()) === 0; presses++) await press('Shift+Tab');
    await press('Enter');
    await typeAndChoose(page, 'Ben Okafor');
    await dialogClosed(page);
    await tabTo(page, /^Title/);
    await press('Control+Enter');
    await heading(page, 'A badge by keys').waitFor();
    const ben = await person('ben');
    const { items } = await world.service.listTickets({
      query: { requesterId: ben.id, sortBy: 'createdAt', limit: 1 },
    });
    expect(items[0]?.title).toBe('A badge by keys');
  },
  'work through the inbox': async ({ page, ticket, other, press, pair, type }) => {
    const [mira, sam] = [await person('mira'), await person('sam')];
    for (const { id } of [other, ticket])
      await world.service.updateTicket({
        params: { id },
        body: { data: { assigneeId: mira.id }, actorId: sam.id },
      });
    await pair('g', 'i');
    await heading(page, 'Inbox').waitFor();
    await page.getByRole('listitem').filter({ hasText: ticket.code }).waitFor();
    await press('j', 'Enter');
    await heading(page, ticket.title ?? '').waitFor();
    await press('j');
    await heading(page, other.title ?? '').waitFor();
    await press('r');
    await type('On it');
    await press('Control+Enter');
    await hasMessage(other, 'On it');
    await press('Escape', 'Escape');
    await page.waitForURL(/\/inbox$/);
  },
  'look through tickets beside the list, and go back to it': async ({ page, ticket, other, press, open }) => {
    await open();
    await press('j');
    await heading(page, other.title ?? '').waitFor();
    await press('k');
    await heading(page, ticket.title ?? '').waitFor();
    await press('Escape');
    await heading(page, ticket.title ?? '').waitFor({ state: 'detached' });
    await page.locator(`[data-code="${ticket.code}"] a:focus`).waitFor();
  },
  'run an action of the open ticket from the palette': async ({ page, ticket, open }) => {
    await open();
    await command(page, 'prio', 'Priority…');
    await typeAndChoose(page, 'High');
    await until('the priority', async () => (await read(ticket.id)).priority === 'HIGH');
  },
  'select several and close them': async ({ page, ticket, other, press }) => {
    await moveTo(page, ticket.code);
    await press('x', 'j', 'x');
    await page.getByText('2 selected').waitFor();
    await choose(page, 's', 'Closed');
    for (const { id } of [ticket, other])
      await until('it is closed', async () => (await read(id)).status.statusGroup.label === 'Closed');
  },
};

test.each(Object.keys(JOBS))('without a mouse: %s; the focus is never lost', async (name) => {
  // However slow the machine is: a reply waits for as long as the job says.
  const { id: requesterId } = await world.service.createUser({
    body: { firstName: 'Uma', email: `${name.replaceAll(/\W/g, '-')}@acme.example` },
  });
  const other = await newTicket(`The second about ${name}`, { requesterId });
  const ticket = await newTicket(`The first about ${name}`, { requesterId });
  const { page, problems } = await signedInPage(browser, world, { width: 1440, height: 900 });
  await page.goto(`${world.urls.root}/views/all?requesterId=${requesterId}&sortBy=createdAt`);
  await rowOf(page, ticket.code).waitFor();
  const isKept = `document.activeElement !== document.body && document.activeElement.checkVisibility()`;
  const keepsFocus = (after: string) =>
    until(`the focus to be somewhere after ${after}`, () => page.evaluate<boolean>(isKept));
  const press = async (...keys: string[]) => {
    for (const key of keys) {
      await keepsFocus(`what came before ${key}`);
      await page.keyboard.press(key);
    }
  };
  const open = async () => {
    await moveTo(page, ticket.code);
    await page.keyboard.press('Enter');
    await heading(page, ticket.title ?? '').waitFor();
    await page.getByRole('region', { name: 'Conversation' }).waitFor();
    await keepsFocus('opening the ticket');
  };
  // The first stop of the Tab key: a page that has just been loaded has no focus yet.
  await page.keyboard.press('Tab');
  await JOBS[name]?.({
    page,
    ticket,
    other,
    press,
    pair: async (first, second) => {
      await keepsFocus(`what came before ${first}`);
      await pressPair(page, first, second);
    },
    type: (text) => page.keyboard.type(text),
    open,
  });
  await keepsFocus(name);
  expect(problems.filter((each) => !each.includes('404'))).toEqual([]);
});
