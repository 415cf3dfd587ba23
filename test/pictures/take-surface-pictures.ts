import { DEMO } from '../../src/start/demo.ts';
import { cardIn, PHONE, picture, SANDBOX, withPrograms } from './picture-programs.ts';
import { until } from '../harness/until.ts';

/**
 * `node test/pictures/take-surface-pictures.ts` takes the pictures of commands, buttons and surveys again; it
 * needs an emoji font.
 */
const CHANNEL = 'it-help';
const BOT = '@deskbridge';
const { ada, mira } = DEMO.people;

await withPrograms(async ({ chat, service, browser }) => {
  const { bot } = await chat.state();
  const { ts } = await chat.say(CHANNEL, 'ada', `<@${bot}> The VPN drops every few minutes`);
  const ticket = await until(
    'the ticket',
    async () => (await service.listTickets({ query: { chatMessageTs: ts } })).items[0],
  );
  const { id, code, queueId } = ticket;
  await service.updateQueue({ params: { id: queueId ?? '' }, body: { settings: { enableCSAT: true } } });
  await until('the card', async () => (await chat.thread(CHANNEL, ts)).length > 0);

  // The first search waits for the model.
  await service.semanticSearch({ query: { query: 'lost phone', limit: 1 } });
  await picture(browser, mira.id, 'commands', async (page) => {
    await page.goto(SANDBOX);
    await chat.command(CHANNEL, 'mira', 'search lost phone');
    await page.getByText('for “lost phone”').last().waitFor();
  });
  const triage = await until('the team’s card', async () =>
    (await chat.messages('it-triage', 'mira')).find(({ text }) => text.includes(code)),
  );
  await chat.say('it-triage', 'mira', 'Three others on floor 2 as well: the access point?', triage.ts);
  await chat.command('it-triage', 'mira', `assign ${code} me`);
  await until('the assignee on the card', async () => {
    const shown = JSON.stringify((await cardIn(chat, 'it-triage', id))?.blocks);
    return !shown.includes('unassigned') && shown.includes('Similar tickets');
  });
  await picture(
    browser,
    mira.id,
    'triage-phone',
    async (page) => {
      await page.goto(`${SANDBOX}/#it-triage/${triage.ts}`);
      await page.getByText('Three others on floor 2').last().waitFor();
      await page.getByText('Only the team reads this thread').last().waitFor();
    },
    { ...PHONE, height: 960 },
  );
  const { items: statuses } = await service.listStatuses({ query: {} });
  const done = statuses.find(({ label }) => label === 'Done')?.id ?? '';
  await service.updateTicket({ params: { id }, body: { data: { statusId: done } } });
  const question = await until('the question', async () =>
    (await chat.messages(BOT, 'ada')).find(({ text }) => text.includes('How did we do')),
  );
  await picture(
    browser,
    ada.id,
    'satisfaction-phone',
    async (page) => {
      await page.goto(`${SANDBOX}/#${question.channel}/${question.ts}`);
      await page.getByText('How did we do').last().waitFor();
    },
    PHONE,
  );
});
