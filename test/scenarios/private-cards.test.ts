import { expect, test } from 'vitest';

import type { SeenMessage } from '../harness/chat.ts';
import { until } from '../harness/until.ts';
import { startWorld } from '../harness/world.ts';

const BOT = '@deskbridge';
const TRIAGE = 'it-triage';

test('B27 a private ticket’s card goes to users with access and to the private triage channel, and shows nothing to users who lost access; the team finds it (B0, B35)', async () => {
  const world = await startWorld();
  const { chat, service } = world;
  const userOf = async (name: string) =>
    (await service.listUsers({ query: { email: `${name}@acme.example` } })).items[0]?.id ?? '';
  const cardOf = async (channel: string, as: string): Promise<SeenMessage | undefined> =>
    (await chat.messages(channel, as)).findLast(({ metadata }) => metadata?.event_payload['card'] === id);

  const root = await chat.say(BOT, 'ada', 'My manager shouts at me');
  const { id, code } = await until(
    'the ticket',
    async () => (await service.listTickets({ query: { search: 'shouts' } })).items[0],
  );
  const [sam, ben] = [await userOf('sam'), await userOf('ben')];
  await service.updateTicket({
    params: { id },
    body: { data: { assigneeId: sam, followers: [{ id: ben }] } },
  });
  const places = [
    [BOT, 'ada'],
    [BOT, 'sam'],
    [BOT, 'ben'],
    [TRIAGE, 'mira'],
  ] as const;
  for (const [channel, who] of places)
    await until(`a card for ${who}`, async () => (await cardOf(channel, who))?.text.includes('shouts'));
  await world.untilIdle();
  const threads = (await service.readTicket({ params: { id } })).chatThreads;
  expect(threads.flatMap(({ type, userId }) => (type === 'PERSONAL_DM' ? [userId] : [])).toSorted()).toEqual(
    [sam, ben].toSorted(),
  );

  // A message in the thread of a copy is added to the ticket, and reaches its requester.
  await chat.say(BOT, 'sam', 'I will talk to HR', (await cardOf(BOT, 'sam'))?.ts);
  const statuses = (await service.listStatuses({ query: {} })).items;
  const inProgress = statuses.find(({ label }) => label === 'In Progress')?.id ?? '';
  await service.updateTicket({ params: { id }, body: { data: { followers: [], statusId: inProgress } } });
  await until('the answer', async () =>
    (await chat.messages(BOT, 'ada')).find(
      ({ text, username }) => text === 'I will talk to HR' && username === 'Sam Parks',
    ),
  );
  // The bridge gets no events for its own writes; readers of a copy see the message and its changes there.
  const inCopy = async (words: string) =>
    (await chat.messages(BOT, 'sam')).find(({ text }) => text === words);
  const said: string[] = [];
  for (const words of ['thank you, any time today', 'or tomorrow']) {
    await world.untilIdle();
    said.push((await chat.say(BOT, 'ada', words, root.ts)).ts);
    await until(`“${words}” in a copy`, () => inCopy(words));
  }
  await world.untilIdle();
  await chat.edit(BOT, 'ada', said[0] ?? '', 'thank you, after ten');
  await until('its edit in a copy', () => inCopy('thank you, after ten'));
  await world.untilIdle();
  await chat.react(BOT, 'ada', said[0] ?? '', 'tada');
  await until('an emoji in a copy', async () =>
    (await inCopy('thank you, after ten'))?.reactions.some(({ name }) => name === 'tada'),
  );
  await world.untilIdle();
  await chat.remove(BOT, 'ada', said[1] ?? '');
  await until('its deletion in a copy', async () => (await inCopy('or tomorrow')) === undefined);
  await world.untilIdle();
  for (const [channel, who] of places) {
    const text = (await cardOf(channel, who))?.text;
    if (who === 'ben')
      expect(text).toBe(`${code} is a private ticket. Its conversation continues elsewhere.`);
    else expect(text).toContain('(In Progress)');
  }
  const first = (await chat.messages(BOT, 'ada')).find(({ ts }) => ts === root.ts);
  expect(first?.reactions.map(({ name }) => name)).toEqual(['eyes']);

  for (const [who, finds] of [
    ['mira', true],
    ['ben', false],
  ] as const) {
    await chat.command('general', who, 'search shouts');
    const answer = await until(`the answer to ${who}`, async () => chat.ephemeral('general', who));
    expect(answer.text.startsWith('Nothing found')).toBe(!finds);
    expect(JSON.stringify(answer.blocks).includes(code)).toBe(finds);
  }
});
