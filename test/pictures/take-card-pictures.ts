import { DEMO } from '../../src/start/demo.ts';
import { cardIn, lookAtThread, openTicket, putTogether, withPrograms } from './picture-programs.ts';
import { until } from '../harness/until.ts';

/**
 * `node test/pictures/take-card-pictures.ts` takes the picture of docs/rules.md again; it needs an emoji
 * font.
 */
const [REQUESTS, TRIAGE] = ['it-help', 'it-triage'];
const { ada, sam } = DEMO.people;

await withPrograms(async ({ chat, service, browser }) => {
  const title = 'My laptop does not charge';
  const { id } = await openTicket(chat, service, REQUESTS, title);
  const card = await until('the team\u2019s card', async () => cardIn(chat, TRIAGE, id));
  await cardIn(chat, REQUESTS, id);
  const press = (user: string, actionId: string) =>
    chat.post('interact', { user, channel: card.channel, messageTs: card.ts, action: actionId });
  const pictures = [await lookAtThread(browser, ada.id, REQUESTS, title, 'it-help, when it was opened')];
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
    JSON.stringify((await cardIn(chat, channel, id))?.blocks).includes('is replying');
  await until('who answers on the card', async () => (await isAnswered(TRIAGE)) && isAnswered(REQUESTS));
  pictures.push(await lookAtThread(browser, sam.id, TRIAGE, title, 'it-triage, while Mira replies'));
  pictures.push(await lookAtThread(browser, ada.id, REQUESTS, title, 'it-help, at the same moment'));
  await putTogether(browser, 'cards', pictures);
});
