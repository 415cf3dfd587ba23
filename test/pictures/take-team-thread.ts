import { DEMO } from '../../src/start/demo.ts';
import { until } from '../harness/until.ts';
import { lookAt, putTogether, withPrograms } from './picture-programs.ts';

/** `node test/pictures/take-team-thread.ts` takes the picture of the team's thread again; it needs an emoji font. */
const [REQUESTS, TRIAGE] = ['it-help', 'it-triage'];
const { ada, sam } = DEMO.people;

await withPrograms(async ({ chat, service, browser }) => {
  const { bot } = await chat.state();
  const { ts: root } = await chat.say(REQUESTS, 'ada', `<@${bot}> The projector in room Kestrel hums`);
  const { id: ticketId } = await until(
    'the ticket',
    async () => (await service.listTickets({ query: { chatMessageTs: root } })).items[0],
  );
  const card = await until('the team’s card', async () =>
    (await chat.messages(TRIAGE)).find(({ metadata }) => metadata?.event_payload['card'] === ticketId),
  );
  const inTeam = (words: string) =>
    until(`“${words}” in the team’s thread`, async () =>
      (await chat.thread(TRIAGE, card.ts)).some(({ text }) => text.includes(words)),
    );
  const [mira] = (await service.listUsers({ query: { email: 'mira@acme.example' } })).items;
  const write = async (content: string, isPrivate: boolean) => {
    const authorId = mira?.id ?? null;
    await service.createTicketMessage({ body: { ticketId, content, authorId, private: isPrivate } });
    await inTeam(content);
  };

  const files = [{ name: 'model.txt', content: Buffer.from('XJ-200').toString('base64') }];
  const upload = { channel: REQUESTS, user: 'ada', text: 'This is its model', thread_ts: root, files };
  await chat.post('upload', upload);
  await inTeam('This is its model');
  await write('Since when does it hum, Ada?', false);
  await write('The same as in room Heron: it is the fan.', true);
  await chat.say(TRIAGE, 'sam', 'I bring a new fan at noon', card.ts);
  await chat.say(REQUESTS, 'ada', 'Since Monday', root);
  await inTeam('Since Monday');
  const last = 'Since Monday';
  const [hers, theirs] = [`${REQUESTS}/${root}`, `${TRIAGE}/${card.ts}`];
  await putTogether(browser, 'team-thread', [
    await lookAt(browser, { me: ada.id, place: hers, last, caption: 'it-help: what Ada reads' }),
    await lookAt(browser, { me: sam.id, place: theirs, last, caption: 'it-triage: what the team reads' }),
    await lookAt(browser, {
      me: sam.id,
      place: theirs,
      last,
      caption: 'the same in the dark',
      colorScheme: 'dark',
    }),
  ]);
});
