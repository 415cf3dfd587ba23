import { expect, test } from 'vitest';

import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startWorld } from '../harness/world.ts';
import { useBrowser } from './browser.ts';
import { isAsWide, openDeskAs } from './open-page.ts';

const browser = useBrowser();
const CHANNEL = 'it-help';

test('D14, D15, D18, D19, D26: a lost connection shows and goes again, long titles take one line, filters are read whole, only what came from chat says so, and wrong addresses say that they are', async () => {
  const world = await startWorld();
  const { chat, service, urls } = world;
  const { bot } = await chat.state();
  const { ts } = await chat.say(CHANNEL, 'ada', `<@${bot}> My laptop does not start`);
  const ticket = await ticketAt(service, ts);
  await chat.say(CHANNEL, 'ada', 'It beeps twice', ts);
  const long = `Long ${'and longer '.repeat(44)}`.trim();
  const { code } = await service.createTicket({ body: { title: long } });
  await world.untilIdle();
  const { page } = await openDeskAs(browser, world);
  const row = page.locator(`[data-code="${code}"]`);
  await row.waitFor();

  // D15: every row has the same two lines, at any width.
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    // The list is drawn anew for the width.
    const height = async () => (await row.boundingBox())?.height ?? Infinity;
    await expect.poll(height, { message: `at ${width}` }).toBeLessThanOrEqual(52);
    expect(await isAsWide(page)).toBe(true);
  }
  await page.setViewportSize({ width: 1280, height: 800 });

  // D18: a filter's chip is as wide as its text.
  await page.goto(`${urls.root}/views/all?openFilter=true`);
  const chip = page.getByRole('button', { name: /^Open: / });
  await chip.waitFor();
  const isWhole = `[...document.querySelectorAll('button')]
    .filter((it) => it.textContent.startsWith('Open: '))
    .every((it) => it.scrollWidth <= it.clientWidth)`;
  expect(await page.evaluate<boolean>(isWhole)).toBe(true);

  // D19: her message came from chat, the reply was typed here and is in chat, too.
  await page.goto(`${urls.root}/tickets/${ticket.code}`);
  await page.getByLabel('Reply to Ada Reyes').fill('Please bring it by');
  await page.keyboard.press('Control+Enter');
  const messageOf = (text: string) => page.getByRole('listitem').filter({ hasText: text });
  await messageOf('Please bring it by').waitFor();
  await until('the reply to be stored', async () => {
    const { items } = await service.listTicketMessages({ query: { ticketId: ticket.id } });
    return items.some(({ content }) => content === 'Please bring it by');
  });
  await world.untilIdle();
  await page.reload();
  expect(await messageOf('It beeps twice').innerText()).toContain('in Slack');
  expect(await messageOf('Please bring it by').innerText()).not.toContain('in Slack');

  // D14: a part of the page waits to be loaded while nothing can be reached.
  let refused = 0;
  const isPart = /\/around-[^/]+\.js$|:\d+\/$/;
  await page.route(isPart, (route) => (refused++, route.abort('connectionrefused')));
  await page.reload();
  await until('a part and the desk to be refused', () => Promise.resolve(refused > 2));
  expect(await page.getByText('Something went wrong on this page').count()).toBe(0);
  await page.unroute(isPart);
  await page.getByText('Similar tickets').waitFor();

  // D14: the bar is there while nothing can be reached, and what is typed stays.
  await page.getByLabel('Reply to Ada Reyes').fill('Any news');
  await world.stop();
  const bar = page.getByText(/^Not connected since/);
  await bar.waitFor();
  await world.restart();
  await bar.waitFor({ state: 'detached' });
  expect(await page.getByLabel('Reply to Ada Reyes').inputValue()).toBe('Any news');

  // D26: an address of no page, and a ticket that does not exist.
  const answer = await page.goto(`${urls.root}/nonsense`);
  expect(answer?.status()).toBe(404);
  await page.getByText('We couldn’t find that page').waitFor();
  await page.goto(`${urls.root}/tickets/IT-99999`);
  await page.getByText('There is no IT-99999 here').waitFor();
});
