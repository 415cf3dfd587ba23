import type { Browser } from 'playwright-core';

import type { Client } from '../../src/client/index.ts';
import { DEMO } from '../../src/start/demo.ts';
import type { Chat, SeenMessage } from '../harness/chat.ts';
import { putTogether, SANDBOX, SMALL, type Taken, withPrograms } from './picture-programs.ts';
import { until } from '../harness/until.ts';

/**
 * `node test/pictures/take-card-pictures.ts` takes the picture of docs/admin.md again; it needs an emoji
 * font.
 */
const [REQUESTS, TRIAGE] = ['it-help', 'it-triage'];
const { ada, sam } = DEMO.people;

await withPrograms(async ({ chat, service, browser }) => {
  const { title, id } = await openTicket(chat, service);
  const card = await until('the team\u2019s card', async () => cardIn(chat, TRIAGE, id));
  await cardIn(chat, REQUESTS, id);
  const press = (user: string, actionId: string) =>
    chat.post('interact', { user, channel: card.channel, messageTs: card.ts, action: actionId });
  const pictures = [await look(browser, ada.id, REQUESTS, title, 'it-help, when it was opened')];
  await press('mira', 'card_assign_me');
  await chat.say(TRIAGE, 'mira', 'The port is worn out, I order a new board', card.ts);
  const statuses = (await service.listStatuses({ query: {} })).items;
  const progress = statuses.find(({ label }) => label === 'In Progress')?.id ?? '';
  await service.updateTicket({
    params: { id },
    body: { data: { statusId: progress, priority: 'HIGH', dueAt: '2027-01-08T16:00:00.000Z' } },
  });
  await press('mira', 'card_reply');
  const isAnswered = async (channel: string) =>
    JSON.stringify((await cardIn(chat, channel, id))?.blocks).includes('is answering');
  await until('who answers on the card', async () => (await isAnswered(TRIAGE)) && isAnswered(REQUESTS));
  pictures.push(await look(browser, sam.id, TRIAGE, title, 'it-triage, while Mira answers'));
  pictures.push(await look(browser, ada.id, REQUESTS, title, 'it-help, at the same moment'));
  await putTogether(browser, 'cards', pictures);
});

async function openTicket(chat: Chat, service: Client): Promise<{ id: string; title: string }> {
  const { bot } = await chat.state();
  const title = 'My laptop does not charge';
  const { ts } = await chat.say(REQUESTS, 'ada', `<@${bot}> ${title}`);
  const { id } = await until(
    'the ticket',
    async () => (await service.listTickets({ query: { chatMessageTs: ts } })).items[0],
  );
  await until('its card', async () => cardIn(chat, REQUESTS, id));
  return { id, title };
}

async function cardIn(chat: Chat, channel: string, ticket: string): Promise<SeenMessage | undefined> {
  return (await chat.messages(channel)).findLast(
    ({ metadata }) => metadata?.event_payload['card'] === ticket,
  );
}

/** A user's view on a phone: the thread of a ticket, or the channel whose first message is its card. */
async function look(
  on: Browser,
  user: string,
  channel: string,
  title: string,
  caption: string,
): Promise<Taken> {
  const context = await on.newContext({ viewport: SMALL });
  const page = await context.newPage();
  await page.addInitScript((me) => localStorage.setItem('sandbox-me', me), user);
  await page.goto(`${SANDBOX}#${channel}`);
  await page.getByText(title).last().waitFor();
  await page
    .getByRole('button', { name: /^\d+ repl/ })
    .last()
    .click();
  const thread = page.getByRole('complementary', { name: 'Thread' });
  await thread.getByText(title).last().waitFor();
  // Moves the pointer off all messages.
  await page.mouse.move(1, 1);
  const picture = await page.screenshot();
  await context.close();
  return { caption, picture };
}
