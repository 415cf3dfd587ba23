import type { Browser, Page } from 'playwright-core';

import type { Client } from '../../src/client/index.ts';
import { DEMO } from '../../src/start/demo.ts';
import { continueWithSandbox } from '../browser/open-page.ts';
import type { Chat } from '../harness/chat.ts';
import { until } from '../harness/until.ts';
import { putTogether, ROOT, SANDBOX, SMALL, type Taken, withPrograms } from './picture-programs.ts';

/** `node test/pictures/take-files.ts` takes the picture of files in docs/tour.md again. */
const CHANNEL = 'it-help';
const { ada, mira } = DEMO.people;
const TITLE = 'The time sheet does not open';

await withPrograms(async ({ chat, service, browser }) => {
  const { id, code, root } = await openTicket(chat, service);
  await upload(root, await drawn(browser, '#b3261e', 'Error 502', 'sheets.acme.example did not respond.'));
  await until('the screenshot on the ticket', async () => (await filesOf(service, id)).length === 1);
  const taken: Taken[] = [{ caption: 'A screenshot in Slack', picture: await inChat(browser, root) }];

  const context = await browser.newContext({ viewport: SMALL });
  const page = await context.newPage();
  await page.goto(ROOT);
  await continueWithSandbox(page, `${mira.firstName} ${mira.lastName}`);
  await page.locator('[data-code]').first().waitFor();
  await page.goto(`${ROOT}/tickets/${code}`);
  await loaded(page, 1);
  taken.push({ caption: 'On the ticket, at the desk', picture: await page.screenshot() });

  const answer = await drawn(browser, '#1e7d4f', 'Time sheet', 'Week 47: 38 hours');
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'fixed.png', mimeType: 'image/png', buffer: answer });
  const isDrawn = `document.querySelector('[aria-label="Attached files"] img')?.naturalWidth > 0`;
  await until('its preview', () => page.evaluate<boolean>(isDrawn));
  const field = page.getByRole('textbox', { name: 'Reply to Ada Reyes' });
  await field.fill('Fixed. It looks like this again:');
  taken.push({ caption: 'A picture for the reply', picture: await page.screenshot() });
  await field.press('Control+Enter');
  await until(
    'the picture in chat',
    async () =>
      (await chat.thread(CHANNEL, root)).some(({ files = [] }) => files.length > 0) &&
      (await filesOf(service, id)).length === 2,
  );
  await context.close();
  taken.push({ caption: 'And back in Slack', picture: await inChat(browser, root, 2) });
  await putTogether(browser, 'files', taken);
});

async function openTicket(chat: Chat, service: Client): Promise<{ id: string; code: string; root: string }> {
  const { bot } = await chat.state();
  const { ts } = await chat.say(CHANNEL, 'ada', `<@${bot}> ${TITLE}`);
  const ticket = await until(
    'the ticket',
    async () => (await service.listTickets({ query: { chatMessageTs: ts } })).items[0],
  );
  return { ...ticket, root: ts };
}

async function filesOf(service: Client, ticketId: string) {
  const { items } = await service.listTicketMessages({ query: { ticketId } });
  return items.flatMap(({ files = [] }) => files);
}

/** A picture of a page, as somebody would take it. */
async function drawn(on: Browser, colour: string, title: string, words: string): Promise<Buffer> {
  const page = await on.newPage({ viewport: { width: 640, height: 360 } });
  await page.setContent(`<body style="margin: 0; font: 22px sans-serif; background: #f4f4f6; color: #333">
    <div style="background: ${colour}; color: #fff; padding: 18px 28px; font-size: 30px">${title}</div>
    <p style="padding: 12px 28px">${words}</p>`);
  const picture = await page.screenshot();
  await page.close();
  return picture;
}

async function upload(root: string, picture: Buffer): Promise<void> {
  const state = (await (await fetch(`${SANDBOX}/_control/state`)).json()) as {
    channels: { id: string; name: string }[];
  };
  const form = new FormData();
  form.append('channel', state.channels.find(({ name }) => name === CHANNEL)?.id ?? '');
  for (const [name, value] of [
    ['thread_ts', root],
    ['user', 'ada'],
    ['text', 'This is what I see'],
  ] as const)
    form.append(name, value);
  form.append('files', new Blob([new Uint8Array(picture)]), 'screenshot.png');
  const answer = await fetch(`${SANDBOX}/_control/upload`, { method: 'POST', body: form });
  if (!answer.ok) throw new Error(`the upload was answered with ${answer.status}: ${await answer.text()}`);
}

/** Ada's view of the thread on a phone, once it shows as many pictures. */
async function inChat(on: Browser, root: string, pictures = 1): Promise<Buffer> {
  const context = await on.newContext({ viewport: SMALL });
  const page = await context.newPage();
  await page.addInitScript((me) => localStorage.setItem('sandbox-me', me), ada.id);
  await page.goto(`${SANDBOX}#${CHANNEL}`);
  const message = page.locator(`[data-ts="${root}"]`).first();
  await message.getByRole('button', { name: /^\d+ repl/ }).click();
  await loaded(page, pictures);
  await page.mouse.move(1, 1);
  const picture = await page.screenshot();
  await context.close();
  return picture;
}

/** Waits until pictures of files are drawn. */
async function loaded(page: Page, count: number): Promise<void> {
  await until('the pictures', () =>
    page.evaluate<boolean>(
      `[...document.querySelectorAll('img')].filter((it) => it.complete && it.naturalWidth >= 200).length >= ${count}`,
    ),
  );
  await page.evaluate(
    `[...document.querySelectorAll('img')].filter((it) => it.naturalWidth >= 200).at(-1)?.scrollIntoView({ block: 'center' })`,
  );
}
