import type { Browser } from 'playwright-core';

import { DEMO } from '../../src/start/demo.ts';
import { until } from '../harness/until.ts';
import { putTogether, SANDBOX, SMALL, type Taken, withPrograms } from './picture-programs.ts';

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
  await putTogether(browser, 'team-thread', [
    await look(browser, { me: ada.id, place: `${REQUESTS}/${root}`, last }, 'it-help: what Ada reads'),
    await look(
      browser,
      { me: sam.id, place: `${TRIAGE}/${card.ts}`, last },
      'it-triage: what the team reads',
    ),
    await look(
      browser,
      { me: sam.id, place: `${TRIAGE}/${card.ts}`, last, colorScheme: 'dark' },
      'the same in the dark',
    ),
  ]);
});

/** A thread as a user sees it, when its last message is there. */
async function look(
  on: Browser,
  { me, place, last, colorScheme = 'light' }: Looked,
  caption: string,
): Promise<Taken> {
  const context = await on.newContext({ viewport: { ...SMALL, height: 960 }, colorScheme });
  const page = await context.newPage();
  await page.addInitScript((user) => localStorage.setItem('sandbox-me', user), me);
  await page.goto(`${SANDBOX}/#${place}`);
  await page.getByText(last).last().waitFor();
  await page.getByText('cannot be reached').waitFor({ state: 'hidden' });
  await page.mouse.move(1, 1);
  const picture = await page.screenshot();
  await context.close();
  return { caption, picture };
}

interface Looked {
  me: string;
  /** The channel and the first message of the thread. */
  place: string;
  last: string;
  colorScheme?: 'light' | 'dark';
}
