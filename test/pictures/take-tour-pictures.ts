import type { Client } from '../../src/client/index.ts';
import { DEMO } from '../../src/start/demo.ts';
import { picture, SANDBOX, withPrograms } from './picture-programs.ts';
import { until } from '../harness/until.ts';

/**
 * `node test/pictures/take-tour-pictures.ts` takes the pictures of docs/tour.md again; it needs an emoji
 * font.
 */
const CHANNEL = 'it-help';
const { ada, ben, mira } = DEMO.people;

await withPrograms(async ({ chat, service, browser }) => {
  const { bot } = await chat.state();
  const { ts } = await chat.say(CHANNEL, 'ada', `<@${bot}> My laptop does not start`);
  const ticket = await until(
    'the ticket',
    async () => (await service.listTickets({ query: { chatMessageTs: ts } })).items[0],
  );
  const [author] = (await service.listUsers({ query: { email: mira.email } })).items;
  await service.createTicketMessage({
    body: {
      ticketId: ticket.id,
      authorId: author?.id ?? null,
      content: 'Have you tried the *other* charger?\n\n- hold power for 10 s\n- then plug it in',
    },
  });
  await chat.say(CHANNEL, 'ada', 'It starts now, thank you!', ts);
  const link = await until('the link on the card', async () => {
    const thread = JSON.stringify(await chat.thread(CHANNEL, ts));
    return /http:[^"|>]*\/shared\/[^"|>]*/.exec(thread)?.[0];
  });
  await until('the reply', async () => {
    const { items } = await service.listTicketMessages({ query: { ticketId: ticket.id } });
    return items.length > 1;
  });

  await picture(browser, ben.id, 'form', async (page) => {
    await page.goto(SANDBOX);
    // A modal that was open before the page was loaded belongs to another client.
    await page.getByText('deskbridge is connected').waitFor();
    await chat.post('shortcut', { user: 'ben', callbackId: 'new_ticket' });
    await page.getByText('New ticket').first().waitFor();
    await page.getByRole('combobox', { name: 'What is it about?' }).click();
    await page.getByRole('option', { name: 'Broken device' }).click();
    await page.getByText('Something does not work any more.').waitFor();
  });
  await picture(browser, ada.id, 'home', async (page) => {
    await page.goto(SANDBOX);
    await page.getByRole('button', { name: 'deskbridge' }).first().click();
    await page.getByRole('tab', { name: 'Home' }).click();
    await page.getByText('My open requests').first().waitFor();
  });
  await askMira(service);
  await picture(browser, mira.id, 'direct', async (page) => {
    await page.goto(SANDBOX);
    await page.getByRole('button', { name: 'deskbridge' }).first().click();
    await page.getByRole('tab', { name: 'Messages' }).click();
    await page.getByText('The projector of room 4').last().waitFor();
    await page.getByRole('button', { name: 'Approve' }).last().waitFor();
  });
  await picture(browser, ada.id, 'ticket-page', async (page) => {
    await page.goto(link);
    await page.getByText('It starts now').waitFor();
  });
});

/** The bot's direct messages to Mira: questions to her, and changes of others on her ticket. */
async function askMira(service: Client): Promise<void> {
  const userOf = async (email: string) => (await service.listUsers({ query: { email } })).items[0]?.id ?? '';
  const [approver, requester] = [await userOf(mira.email), await userOf(ben.email)];
  await service.createTicket({
    body: { title: 'A second monitor for my desk', requesterId: requester, approverIds: [approver] },
  });
  const { id } = await service.createTicket({
    body: { title: 'The projector of room 4 flickers', requesterId: requester },
  });
  await service.updateTicket({ params: { id }, body: { data: { assigneeId: approver, priority: 'HIGH' } } });
}
