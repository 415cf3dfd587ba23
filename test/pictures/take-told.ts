import { DEMO } from '../../src/start/demo.ts';
import type { SeenMessage } from '../harness/chat.ts';
import { until } from '../harness/until.ts';
import { lookAt, openTicket, putTogether, withPrograms } from './picture-programs.ts';

/**
 * `node test/pictures/take-told.ts` takes the picture of what requesters are told in chat again: a decision, a merge,
 * the answer to a greeting, and a ticket that an agent logged for them; it needs an emoji font.
 */
const [REQUESTS, BOT] = ['it-help', '@deskbridge'];
const { ada, ben, mira, sam } = DEMO.people;

await withPrograms(async ({ chat, service, browser }) => {
  const userOf = async ({ email }: { email: string }) =>
    (await service.listUsers({ query: { email } })).items[0]?.id ?? '';
  const rootOf = async ({ id }: { id: string }) =>
    (await service.readTicket({ params: { id } })).chatThreads.find(({ type }) => type === 'REQUEST')
      ?.messageTs ?? '';
  const shown = (channel: string, who: string, words: string) =>
    until(`“${words}”`, async () =>
      (await chat.messages(channel, who)).find(
        (message: SeenMessage) =>
          message.text.includes(words) || JSON.stringify(message.blocks).includes(words),
      ),
    );

  // A decision with its reason.
  const screen = await openTicket(chat, service, REQUESTS, 'I would like a second screen');
  const approverId = await userOf(sam);
  await service.updateTicket({ params: { id: screen.id }, body: { data: { approverIds: [approverId] } } });
  const declinedAt = new Date().toISOString();
  const reason = 'The budget of this quarter is spent. Ask again in January.';
  await service.updateTicket({
    params: { id: screen.id },
    body: { data: { declinedAt }, approverId, reason },
  });

  // A merge.
  const one = await openTicket(chat, service, REQUESTS, 'No wifi on floor 3');
  const other = await openTicket(chat, service, REQUESTS, 'The wifi is down on floor 3');
  await service.mergeTicket({ params: { id: one.id }, body: { intoId: other.id } });

  // A greeting, and a ticket that Mira logs for Ben.
  await chat.say(BOT, 'ada', 'Hello!');
  const greeted = await shown(BOT, 'ada', 'New ticket');
  await service.createTicket({
    body: {
      title: 'A new badge for Ben',
      description: 'He called: the old one broke.',
      requesterId: await userOf(ben),
      authorId: await userOf(mira),
      source: 'WEB',
      tellRequester: true,
    },
  });
  const told = await shown(BOT, 'ben', 'opened it for you');

  const decision = { me: ada.id, place: `${REQUESTS}/${await rootOf(screen)}`, last: 'The budget of this' };
  await putTogether(browser, 'told', [
    await lookAt(browser, { ...decision, caption: 'a decision, with its reason' }),
    await lookAt(browser, { ...decision, caption: 'the same in the dark', colorScheme: 'dark' }),
    await lookAt(browser, {
      me: ada.id,
      place: `${REQUESTS}/${await rootOf(one)}`,
      last: 'continues as',
      caption: 'a merge',
    }),
    await lookAt(browser, {
      me: ada.id,
      place: greeted.channel,
      last: 'New ticket',
      caption: 'a greeting by direct message',
    }),
    await lookAt(browser, {
      me: ben.id,
      place: `${told.channel}/${told.thread_ts ?? told.ts}`,
      last: 'opened it for you',
      caption: 'a ticket that Mira logged for Ben',
    }),
  ]);
});
