import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { until } from '../harness/until.ts';
import { sharedWorld } from '../harness/world.ts';
import { useBrowser } from './browser.ts';
import { demoRecords } from './demo-records.ts';
import { openDeskAs } from './open-page.ts';

const browser = useBrowser();
const world = sharedWorld();
const { person, newTicket } = demoRecords(world);

const reply = async (ticketId: string, by: keyof typeof DEMO.people, content: string) =>
  world.service.createTicketMessage({ body: { ticketId, authorId: (await person(by)).id, content } });

/** Presses a row and lets go only after others have changed the list, and the page has drawn what it read since then. */
async function pressSlowly(
  page: Page,
  row: string,
  change: () => Promise<{ answer: RegExp; has: string }>,
): Promise<void> {
  const box = await page.locator(row).boundingBox();
  if (!box) throw new Error(`no ${row}`);
  const answers: { url: string; text: Promise<string> }[] = [];
  page.on('response', (response) => {
    answers.push({ url: response.url(), text: response.text().catch(() => '') });
  });
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  const { answer, has } = await change();
  await until(`an answer with ${has}`, async () => {
    const texts = answers.filter(({ url }) => answer.test(url)).map(({ text }) => text);
    return (await Promise.all(texts)).some((text) => text.includes(has));
  });
  await page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(resolve))))',
  );
  await page.mouse.up();
}

test.each([
  ['the list', 1000],
  ['the list with columns', 1440],
])('%s stays as it is while a row is pressed, and shows what others changed after that', async (_, width) => {
  const pressed = await newTicket(`A pressed row at ${width}`);
  const { page, problems } = await openDeskAs(browser, world, { width });
  await page.goto(`${world.urls.root}/views/all?sortBy=createdAt`);
  const row = `[data-code="${pressed.code}"]`;
  await page.locator(row).waitFor();
  let above = '';
  await pressSlowly(page, row, async () => {
    const { code } = await newTicket(`Above it at ${width}`);
    above = code;
    return { answer: /\/desk\/api\/tickets\?/, has: code };
  });
  await page.waitForURL(`**/tickets/${pressed.code}?*`);
  await page.locator(`[data-code="${above}"]`).waitFor();
  expect(problems).toEqual([]);
});

test('the inbox stays as it is while a row is pressed', async () => {
  const mira = await person('mira');
  const [pressed, other] = [
    await newTicket('A pressed notification', { assigneeId: mira.id }),
    await newTicket('Another one', { assigneeId: mira.id }),
  ];
  await reply(pressed.id, 'ada', 'Is it you?');
  const { page, problems } = await openDeskAs(browser, world);
  await page.goto(`${world.urls.root}/inbox`);
  await page.getByText('Ada Reyes replied: Is it you?').waitFor();
  await pressSlowly(page, `li:has-text("Is it you?")`, async () => {
    await reply(other.id, 'ada', 'Or is it you?');
    return { answer: /\/desk\/api\/notifications\?/, has: 'Or is it you?' };
  });
  await page.waitForURL(`**/tickets/${pressed.code}?*`);
  await page.getByText('Ada Reyes replied: Or is it you?').waitFor();
  expect(problems).toEqual([]);
});

test('the list of a person who asks stays as it is while a row is pressed', async () => {
  const [other, pressed] = [await newTicket('One that moves up'), await newTicket('A pressed request')];
  const { page, problems } = await openDeskAs(browser, world, { email: DEMO.people.ada.email });
  const row = `[data-code="${pressed.code}"]`;
  await page.locator(row).waitFor();
  await page.locator(`[data-code="${other.code}"]`).waitFor();
  await pressSlowly(page, row, async () => {
    const { id } = await reply(other.id, 'mira', 'It is on its way');
    return { answer: /\/desk\/api\/tickets\?/, has: id };
  });
  await page.waitForURL(`**/requests/${pressed.code}`);
  expect(problems).toEqual([]);
});
