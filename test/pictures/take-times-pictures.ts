import { DEMO } from '../../src/start/demo.ts';
import { cardIn, lookAtThread, openTicket, putTogether, withPrograms } from './picture-programs.ts';
import { until } from '../harness/until.ts';

/**
 * `node test/pictures/take-times-pictures.ts` takes the pictures of a promise (docs/rules.md) and of a warning
 * (docs/set-up.md) again; it needs an emoji font, and some minutes, until the promise has passed.
 */
const [REQUESTS, TRIAGE] = ['it-help', 'it-triage'];
const { ada, sam } = DEMO.people;

await withPrograms(async ({ chat, service, browser }) => {
  // A minute, at any time of the day; of no priority, because the demo has no history of it.
  const [hours] = (await service.listBusinessHours({ query: {} })).items;
  const days = [1, 2, 3, 4, 5, 6, 7].map((day) => ({ day, from: '00:00', to: '24:00' }));
  await service.updateBusinessHours({ params: { id: hours?.id ?? '' }, body: { days, holidays: [] } });
  const queue = (await service.listQueues({ query: {} })).items.find(({ prefix }) => prefix === 'IT');
  const targets = { NO_PRIORITY: { responseMinutes: 1, resolutionMinutes: 480 } };
  await service.updateQueue({ params: { id: queue?.id ?? '' }, body: { settings: { targets } } });

  const title = 'The lift does not open on the fourth floor';
  const { id } = await openTicket(chat, service, REQUESTS, title);
  await service.updateTicket({ params: { id }, body: { data: { priority: 'NO_PRIORITY' } } });
  const cardHas = (words: string) => async () =>
    JSON.stringify((await cardIn(chat, REQUESTS, id))?.blocks).includes(words);
  await until('the promise', cardHas('hear back'));
  const promised = await lookAtThread(browser, ada.id, REQUESTS, title, 'it-help, while there is time');
  const lines = async () =>
    (await chat.messages(TRIAGE)).filter(
      ({ text }) => text.includes(title) && text.includes('first-reply target'),
    );
  await until('both warnings', async () => (await lines()).length === 2, { withinMs: 180_000 });
  await until('that it takes longer', cardHas('longer than usual'), { withinMs: 600_000 });
  const passed = 'it-help, once it has passed';
  const warned = 'it-triage, where the team is warned';
  await putTogether(browser, 'promise', [
    promised,
    await lookAtThread(browser, ada.id, REQUESTS, title, passed),
    await lookAtThread(browser, ada.id, REQUESTS, title, `${passed}, dark`, 'dark'),
  ]);
  await putTogether(browser, 'warning', [
    await lookAtThread(browser, sam.id, TRIAGE, title, warned),
    await lookAtThread(browser, sam.id, TRIAGE, title, `${warned}, dark`, 'dark'),
  ]);
});
