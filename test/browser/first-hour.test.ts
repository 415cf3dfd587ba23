import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startWorld } from '../harness/world.ts';
import { useBrowser } from './browser.ts';
import { dialogClosed, choose, closePicker, command, moveTo, tabTo, typeAndChoose } from './by-keys.ts';

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

test('an agent’s first hour needs no mouse: sign in, triage ten tickets, answer three with a canned reply, merge two, snooze one, close five', async () => {
  const world = await startWorld();
  const { chat, service, urls } = world;
  const { bot } = await chat.state();
  const tag = await service.createTag({ body: { name: 'network' } });
  await service.createCannedReply({
    body: {
      title: 'Restart the client',
      shortcut: 'restart-client',
      isShared: true,
      content:
        'Hi {{requester.first_name}}, please restart the client ({{ticket.reference}}). {{agent.first_name}}',
    },
  });
  const tickets = [];
  for (const text of REQUESTS) {
    const { ts } = await chat.say(CHANNEL, 'ada', `<@${bot}> ${text}`);
    tickets.push({ ...(await ticketAt(service, ts)), ts, text });
  }
  await world.untilIdle();
  const [answered, closed] = [tickets.slice(0, 3), tickets.slice(5)];
  const [first, , doubled] = answered as [(typeof tickets)[0], (typeof tickets)[0], (typeof tickets)[0]];
  const later = tickets[3] as (typeof tickets)[0];
  const read = (id: string) => service.readTicket({ params: { id } });
  const { items: people } = await service.listUsers({ query: { limit: 50 } });
  const idOf = (name: string) => people.find(({ firstName }) => firstName === name)?.id ?? '';

  // Sign in with chat.
  const { page, problems } = await browser.open(urls.root);
  await page.getByRole('link', { name: 'Continue with Slack' }).waitFor();
  await tabTo(page, /^Continue with Slack/);
  await page.keyboard.press('Enter');
  await page.getByLabel('Who you are').waitFor();
  await tabTo(page, /^Who you are/);
  await page.keyboard.type('Mira');
  await tabTo(page, 'Allow');
  await page.keyboard.press('Enter');
  await title(page, 'Open').waitFor();

  // Triage: the unassigned ones, from the newest; each leaves the list as it gets its assignee.
  await page.keyboard.press('g');
  await page.keyboard.press('u');
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
        now.assigneeId === idOf('Mira') &&
        now.status.label === 'Waiting' &&
        now.priority === (isNetwork ? 'HIGH' : 'LOW') &&
        now.tags.some(({ id }) => id === tag.id) === isNetwork
      );
    });
    const next = newest[at + 1];
    if (next) {
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await rowOf(page, ticket.code).waitFor({ state: 'detached' });
      await page.keyboard.press('j');
    }
  }

  // Three get the canned reply, filled in; it is in their threads once.
  for (const ticket of answered) {
    await command(page, ticket.code, `Open ${ticket.code}`);
    await title(page, ticket.text).waitFor();
    await page.keyboard.press('r');
    const composer = page.getByLabel('Reply to Ada Reyes');
    await page.keyboard.type('/restart');
    await page.getByRole('option', { name: 'Restart the client' }).waitFor();
    await page.keyboard.press('Enter');
    const text = `Hi Ada, please restart the client (${ticket.code}). Mira`;
    await until('the reply to be filled in', async () => (await composer.inputValue()) === text);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('listitem').filter({ hasText: text }).waitFor();
    expect(await composer.inputValue()).toBe('');
    await page.keyboard.press('Escape');
  }
  // The page shows a reply before the service has it.
  const repliesTo = async ({ ts }: { ts: string }) =>
    (await chat.thread(CHANNEL, ts)).filter(({ text }) => text.includes('please restart the client'));
  for (const ticket of answered)
    await until(`the reply to ${ticket.code} in chat`, async () => (await repliesTo(ticket)).length > 0);
  await world.untilIdle();
  for (const ticket of answered) {
    const inThread = await repliesTo(ticket);
    expect(inThread.map(({ text, username }) => [text, username])).toEqual([
      [`Hi Ada, please restart the client (${ticket.code}). Mira`, expect.stringContaining('Mira Lind')],
    ]);
  }

  // Two are the same: one is merged into the other.
  await title(page, doubled.text).waitFor();
  await page.keyboard.press('m');
  await typeAndChoose(page, first.code);
  await tabTo(page, `Merge into ${first.code}`);
  await page.keyboard.press('Enter');
  await title(page, first.text).waitFor();
  await until('the merge', async () => (await read(doubled.id)).mergedIntoId === first.id);
  expect((await read(doubled.id)).status.statusGroup.label).toBe('Closed');

  // One is put aside: it leaves the open tickets, and waits among the snoozed ones.
  await command(page, later.code, `Open ${later.code}`);
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
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  await title(page, 'Open').waitFor();
  await rowOf(page, first.code).waitFor();
  await rowOf(page, later.code).waitFor({ state: 'detached' });
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await title(page, 'Snoozed').waitFor();
  await rowOf(page, later.code).waitFor();

  // Five are closed at once.
  await page.keyboard.press('g');
  await page.keyboard.press('m');
  await title(page, 'Mine').waitFor();
  for (const { code } of closed.toReversed()) {
    await moveTo(page, code);
    await page.keyboard.press('x');
    await page.locator(`[data-code="${code}"][data-selected]`).waitFor();
  }
  await page.getByText('5 selected').waitFor();
  await choose(page, 's', 'Closed');
  await until('the five to be closed', async () => {
    const now = await Promise.all(closed.map(({ id }) => read(id)));
    return now.every(({ status }) => status.label === 'Closed');
  });
  for (const { code } of closed) await rowOf(page, code).waitFor({ state: 'detached' });
  // What was not selected stays.
  await rowOf(page, first.code).waitFor();
  expect((await read(first.id)).status.label).toBe('Waiting');
  // Signed out, and tickets without a draft.
  expect(problems.filter((each) => !/40[14]/.test(each))).toEqual([]);
});
