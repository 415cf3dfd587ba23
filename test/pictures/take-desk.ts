import type { Page } from 'playwright-core';

import type { Client } from '../../src/client/index.ts';
import { DEMO } from '../../src/start/demo.ts';
import type { Chat } from '../harness/chat.ts';
import { deskPicture, ROOT, signIn, withPrograms } from './picture-programs.ts';
import { until } from '../harness/until.ts';

/** `node test/pictures/take-desk.ts` takes the pictures of docs/desk.md again. */
const CHANNEL = 'it-help';
const { mira } = DEMO.people;

await withPrograms(async ({ chat, service, browser }) => {
  const code = await talk(chat, service);
  // The demo's tickets are found by meaning once they are indexed.
  await until('the index', async () => {
    const { items } = await service.semanticSearch({ query: { query: 'laptop charge' } });
    return items.length > 3;
  });
  for (const [name, colorScheme, width, height] of [
    ['desk', 'light', 1440, 900],
    ['desk-dark', 'dark', 1440, 900],
    ['desk-phone', 'light', 390, 780],
  ] as const) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme });
    const page = await context.newPage();
    await signIn(page, `${mira.firstName} ${mira.lastName}`);
    await page.goto(`${ROOT}/views/open`);
    await page.locator(`[data-code=${code}]`).waitFor();
    await deskPicture(page, `${name}-list`);
    await page.goto(`${ROOT}/tickets/${code}`);
    await page.locator('li', { hasText: 'recall' }).waitFor();
    // Once it is looked at, what stands around it is there too.
    if (width > 1260) await page.getByRole('region', { name: 'Similar tickets' }).waitFor();
    await deskPicture(page, `${name}-ticket`);
    if (name === 'desk') {
      await settings(page);
      await form(page);
      await analytics(page);
    }
    await context.close();
  }
});

async function settings(page: Page): Promise<void> {
  await page.goto(`${ROOT}/settings/queues`);
  await page.getByRole('table').getByRole('link', { name: 'People' }).click();
  await page.getByRole('tab', { name: 'Intake & forms' }).click();
  await page.getByText('Payslip question').waitFor();
  await deskPicture(page, 'desk-settings');
}

async function analytics(page: Page): Promise<void> {
  await page.goto(`${ROOT}/analytics`);
  await page.getByRole('heading', { level: 1, name: 'Analytics' }).waitFor();
  await page
    .getByRole('radio', { name: 'Last 30 days' })
    .or(page.getByRole('button', { name: 'Last 30 days' }))
    .click();
  await deskPicture(page, 'desk-analytics');
}

async function form(page: Page): Promise<void> {
  await page.goto(`${ROOT}/settings/request-types`);
  await page.getByRole('link', { name: /New device/ }).click();
  await page.getByText('Needed by').first().waitFor();
  await deskPicture(page, 'desk-form');
}

/** A conversation in chat with an answer and a note. Resolves to its ticket's reference. */
async function talk(chat: Chat, service: Client): Promise<string> {
  const { bot } = await chat.state();
  const root = await chat.say(CHANNEL, 'ada', `<@${bot}> My laptop does not charge`);
  const { id, code } = await until(
    'the ticket',
    async () => (await service.listTickets({ query: { chatMessageTs: root.ts } })).items[0],
  );
  const { items } = await service.listUsers({ query: { email: mira.email } });
  const authorId = items[0]?.id ?? '';
  const write = (content: string, isNote = false) =>
    service.createTicketMessage({ body: { ticketId: id, authorId, content, private: isNote } });
  await write(
    'Two things to look at:\n\n1. is the **light** beside the port on?\n2. what does `powercfg /batteryreport` say?',
  );
  await until('the answer in the thread', async () =>
    (await chat.thread(CHANNEL, root.ts)).some(({ text }) => text.includes('Two things')),
  );
  await chat.say(CHANNEL, 'ada', 'The light is off, with *both* chargers.', root.ts);
  await until('the reply', async () => {
    const messages = await service.listTicketMessages({ query: { ticketId: id } });
    return messages.items.some(({ content }) => content.includes('both'));
  });
  await write('Her model is under recall; room 7 has three to swap.', true);
  return code;
}
