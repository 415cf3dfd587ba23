import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { type LocalWorld, startWorld, type World } from '../harness/world.ts';
import { useBrowser } from './browser.ts';
import {
  dialogClosed,
  choose,
  closePicker,
  command,
  moveTo,
  pressPair,
  tabTo,
  typeAndChoose,
} from './by-keys.ts';

const browser = useBrowser();
const CHANNEL = 'it-help';
const REQUESTS = [
  'The VPN drops at noon',
  'The VPN drops at my desk',
  'Again: the VPN drops at noon',
  'A charger for room 4',
  'A screen for room 5',
  'A key for room 6',
  'A lamp for room 7',
  'A chair for room 8',
  'A plant for room 9',
  'A clock for room 10',
];

const rowOf = (page: Page, code: string) => page.locator(`[data-code="${code}"]`);
/** The heading of a page that is there; a ticket that is on its way has its title already, and no commands yet. */
const title = (page: Page, text: string) =>
  page
    .getByRole('heading', { level: 1, name: text, exact: true })
    .and(page.locator(':not([aria-busy="true"] > main *)'));

interface Asked {
  id: string;
  code: string;
  ts: string;
  text: string;
}

/** An agent at the desk, with ten tickets of Ada's. */
interface Hour {
  page: Page;
  world: LocalWorld;
  read: (id: string) => ReturnType<World['service']['readTicket']>;
}

test('an agent’s first hour needs no mouse: sign in, triage ten tickets, answer three with a canned reply, merge two, snooze one, close five', async () => {
  const world = await startWorld();
  const tag = await world.service.createTag({ body: { name: 'network' } });
  await world.service.createCannedReply({
    body: {
      title: 'Restart the client',
      shortcut: 'restart-client',
      isShared: true,
      content:
        'Hi {{requester.first_name}}, please restart the client ({{ticket.reference}}). {{agent.first_name}}',
    },
  });
  const tickets = await askAll(world);
  const [first, second, doubled, later, , ...closed] = tickets;
  if (!first || !second || !doubled || !later) throw new Error('too few requests');

  const { page, problems } = await browser.open(world.urls.root);
  const hour: Hour = { page, world, read: (id) => world.service.readTicket({ params: { id } }) };
  await signIn(page);
  await triage(hour, tickets, tag.id);
  await answerWithCannedReply(hour, [first, second, doubled]);
  await merge(hour, doubled, first);
  await snooze(hour, later, first);
  await closeTogether(hour, closed, first);
  // Signed out, and tickets without a draft.
  expect(problems.filter((each) => !/40[14]/.test(each))).toEqual([]);
});

async function askAll(world: World): Promise<Asked[]> {
  const { bot } = await world.chat.state();
  const asked: Asked[] = [];
  for (const text of REQUESTS) {
    const { ts } = await world.chat.say(CHANNEL, 'ada', `<@${bot}> ${text}`);
    const { id, code } = await ticketAt(world.service, ts);
    asked.push({ id, code, ts, text });
  }
  await world.untilIdle();
  return asked;
}

async function signIn(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Continue with Slack' }).waitFor();
  await tabTo(page, /^Continue with Slack/);
  await page.keyboard.press('Enter');
  await page.getByLabel('Who you are').waitFor();
  await tabTo(page, /^Who you are/);
  await page.keyboard.type('Mira');
  await tabTo(page, 'Allow');
  await page.keyboard.press('Enter');
  await title(page, 'Open').waitFor();
}

/** The unassigned ones, from the newest: each leaves the list as it gets its assignee, and the next one opens. */
async function triage({ page, world, read }: Hour, tickets: readonly Asked[], tagId: string): Promise<void> {
  const { items: mira } = await world.service.listUsers({ query: { email: 'mira@acme.example' } });
  await pressPair(page, 'g', 'u');
  await title(page, 'Unassigned').waitFor();
  const newest = tickets.toReversed();
  await moveTo(page, newest[0]?.code ?? '');
  await page.keyboard.press('Enter');
  for (const [at, ticket] of newest.entries()) {
    await title(page, ticket.text).waitFor();
    const isNetwork = ticket.text.includes('VPN');
    await choose(page, 's', 'Wait', 'Waiting');
    await choose(page, 'p', isNetwork ? 'High' : 'Low');
    if (isNetwork) {
      await choose(page, 'l', 'network');
      await closePicker(page);
    }
    // By its key, by the picker, and by the command bar.
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    if (at % 3 === 0) await page.keyboard.press('i');
    else if (at % 3 === 1) await choose(page, 'a', 'Mira Lind');
    else await command(page, 'Assign to me');
    await until(`the triage of ${ticket.code}`, async () => {
      const now = await read(ticket.id);
      return (
        now.assigneeId === mira[0]?.id &&
        now.status.label === 'Waiting' &&
        now.priority === (isNetwork ? 'HIGH' : 'LOW') &&
        now.tags.some(({ id }) => id === tagId) === isNetwork
      );
    });
    if (at === newest.length - 1) continue;
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await rowOf(page, ticket.code).waitFor({ state: 'detached' });
    await page.keyboard.press('j');
  }
}

/** The reply is filled in, and in the thread once. */
async function answerWithCannedReply({ page, world }: Hour, tickets: readonly Asked[]): Promise<void> {
  const replyTo = ({ code }: Asked) => `Hi Ada, please restart the client (${code}). Mira`;
  for (const ticket of tickets) {
    await command(page, ticket.code);
    await title(page, ticket.text).waitFor();
    await page.keyboard.press('r');
    const composer = page.getByLabel('Reply to Ada Reyes');
    await page.keyboard.type('/restart');
    await page.getByRole('option', { name: 'Restart the client' }).waitFor();
    await page.keyboard.press('Enter');
    await until('the reply to be filled in', async () => (await composer.inputValue()) === replyTo(ticket));
    await page.keyboard.press('Control+Enter');
    await page
      .getByRole('listitem')
      .filter({ hasText: replyTo(ticket) })
      .waitFor();
    expect(await composer.inputValue()).toBe('');
    await page.keyboard.press('Escape');
  }
  const repliesTo = async ({ ts }: Asked) =>
    (await world.chat.thread(CHANNEL, ts)).filter(({ text }) => text.includes('please restart the client'));
  // The page shows a reply before the service has it.
  for (const ticket of tickets)
    await until(`the reply to ${ticket.code} in chat`, async () => (await repliesTo(ticket)).length > 0);
  await world.untilIdle();
  for (const ticket of tickets)
    expect((await repliesTo(ticket)).map(({ text, username }) => [text, username])).toEqual([
      [replyTo(ticket), expect.stringContaining('Mira Lind')],
    ]);
}

/** The ticket that is open is merged into the other one, which opens. */
async function merge({ page, read }: Hour, doubled: Asked, first: Asked): Promise<void> {
  await title(page, doubled.text).waitFor();
  await page.keyboard.press('m');
  await typeAndChoose(page, first.code);
  await page
    .getByRole('button', { name: `Merge into ${first.code}` })
    .and(page.locator(':focus'))
    .waitFor();
  await page.keyboard.press('Enter');
  await title(page, first.text).waitFor();
  await until('the merge', async () => (await read(doubled.id)).mergedIntoId === first.id);
  expect((await read(doubled.id)).status.statusGroup.label).toBe('Closed');
}

/** It leaves the open tickets, and is among the snoozed ones. */
async function snooze({ page, world, read }: Hour, later: Asked, another: Asked): Promise<void> {
  await command(page, later.code);
  await title(page, later.text).waitFor();
  await dialogClosed(page);
  await page.keyboard.press('h');
  const choices = page.getByRole('list', { name: 'Quick choices' }).getByRole('button');
  const isFocused = (at: number) => choices.nth(at).and(page.locator(':focus')).waitFor();
  await isFocused(0);
  await page.keyboard.press('ArrowDown');
  await isFocused(1);
  await page.keyboard.press('Enter');
  const { snoozeUntil } = await until('the snooze', async () => {
    const now = await read(later.id);
    return now.snoozeUntil !== null && now;
  });
  expect(new Date(snoozeUntil ?? 0).getTime()).toBeGreaterThan(world.clock.now().getTime());
  await pressPair(page, 'g', 'o');
  await title(page, 'Open').waitFor();
  await rowOf(page, another.code).waitFor();
  await rowOf(page, later.code).waitFor({ state: 'detached' });
  await pressPair(page, 'g', 's');
  await title(page, 'Snoozed').waitFor();
  await rowOf(page, later.code).waitFor();
}

/** The selected tickets are closed at once; one that was not selected stays as it is. */
async function closeTogether({ page, read }: Hour, closed: readonly Asked[], another: Asked): Promise<void> {
  await pressPair(page, 'g', 'm');
  await title(page, 'Mine').waitFor();
  for (const { code } of closed.toReversed()) {
    await moveTo(page, code);
    await page.keyboard.press('x');
    await page.locator(`[data-code="${code}"][data-selected]`).waitFor();
  }
  await page.getByText(`${closed.length} selected`).waitFor();
  await choose(page, 's', 'Closed');
  await until('the selected ones to be closed', async () => {
    const now = await Promise.all(closed.map(({ id }) => read(id)));
    return now.every(({ status }) => status.label === 'Closed');
  });
  for (const { code } of closed) await rowOf(page, code).waitFor({ state: 'detached' });
  await rowOf(page, another.code).waitFor();
  expect((await read(another.id)).status.label).toBe('Waiting');
}
