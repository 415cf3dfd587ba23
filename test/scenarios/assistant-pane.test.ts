import { expect, test } from 'vitest';

import { PROMPTS } from '../../src/bridge/features/assistant/rules.ts';
import { until } from '../harness/until.ts';
import { SETTINGS_KEPT_MS, startWorld, type World } from '../harness/world.ts';

const BOT = '@deskbridge';

interface Pane {
  offer?: { thread?: string; title: string; prompts: { title: string; message: string }[] };
  statuses: { thread: string; status: string }[];
  titles: { thread: string; title: string }[];
}

async function paneOf({ urls }: World, user: string): Promise<Pane> {
  const answer = await fetch(`${urls.sandbox}/_control/pane?user=${user}`);
  return (await answer.json()) as Pane;
}

/** The methods of the pane that were called since the sandbox runs. */
async function shownBeside({ urls }: World): Promise<string[]> {
  const answer = await fetch(`${urls.sandbox}/_control/calls?limit=2000`);
  const { calls } = (await answer.json()) as { calls: { method: string }[] };
  return calls.map(({ method }) => method).filter((method) => method.startsWith('assistant.threads.'));
}

const offered = (world: World, user: string) =>
  until('the prompts', async () => (await paneOf(world, user)).offer, { seen: () => paneOf(world, user) });
const answerBelow = ({ chat }: World, user: string, root: string, words: string) =>
  until(
    `the answer with “${words}”`,
    async () =>
      (await chat.messages(BOT, user)).find(
        (message) =>
          message.bot_id !== undefined &&
          message.thread_ts === root &&
          JSON.stringify([message.text, message.blocks]).includes(words),
      ),
    { seen: () => chat.messages(BOT, user) },
  );
const ticketWith = ({ service }: World, search: string) =>
  until('the ticket', async () => (await service.listTickets({ query: { search } })).items[0]);

test('B61 the assistant pane offers what to ask and answers it, what is written there is a direct message, and nothing of it is there where the workspace does not want it or chat refuses', async () => {
  const world = await startWorld();
  world.leaveUncompared('B61: what the pane offers to ask is answered there, and is on no ticket');
  const { chat, service } = world;

  // Off, as it is at first: nothing is offered, and every message is a request.
  await chat.post('open-home', { user: 'ben', tab: 'messages' });
  const plain = await chat.say(BOT, 'ben', PROMPTS[1].message);
  expect(await ticketWith(world, PROMPTS[1].message)).toMatchObject({ private: true, title: plain.text });
  await world.quiet();
  expect(await shownBeside(world)).toEqual([]);

  const [workspace] = (await service.listWorkspaces({})).items;
  await service.updateWorkspace({
    params: { id: workspace?.id ?? '' },
    body: { settings: { showInChatAssistant: true } },
  });
  // The bridge may have read the settings before: it keeps them for seconds.
  world.clock.pass(SETTINGS_KEPT_MS);

  // The messages tab is the pane: it offers prompts, and each does something.
  await chat.post('open-home', { user: 'ada', tab: 'messages' });
  expect((await offered(world, 'ada')).prompts).toEqual(PROMPTS);
  const request = await chat.say(BOT, 'ada', PROMPTS[0].message);
  const asked = await answerBelow(world, 'ada', request.ts, 'What do you need?');
  expect(JSON.stringify(asked.blocks)).toContain('new_ticket');
  const words = await chat.say(BOT, 'ada', 'The pane in my window is broken', request.ts);
  const ticket = await ticketWith(world, 'pane in my window');
  expect(ticket).toMatchObject({ private: true, title: words.text });
  await until('the thread’s title', async () =>
    (await paneOf(world, 'ada')).titles.some(
      ({ thread, title }) => thread === request.ts && title === `${ticket.code} ${words.text}`,
    ),
  );
  // Also soon after the last ticket these words ask the bot, and are not added to it.
  const mine = await chat.say(BOT, 'ada', PROMPTS[1].message);
  await answerBelow(world, 'ada', mine.ts, ticket.code);
  const how = await chat.say(BOT, 'ada', PROMPTS[2].message);
  await answerBelow(world, 'ada', how.ts, 'search: vpn');
  const help = await chat.say(BOT, 'ada', PROMPTS[3].message);
  await answerBelow(world, 'ada', help.ts, '/ticket new');
  const search = await chat.say(BOT, 'ada', 'search: broken', how.ts);
  await answerBelow(world, 'ada', how.ts, 'pane in my window');
  await world.quiet();
  expect((await service.listTicketMessages({ query: { ticketId: ticket.id } })).items).toEqual([]);
  expect((await service.listTickets({ query: { search: search.text } })).items).toEqual([]);
  expect((await paneOf(world, 'ada')).statuses).toEqual([]);
  expect((await shownBeside(world)).filter((method) => method.endsWith('setStatus'))).toHaveLength(2);

  // An older app: each thread of the pane is greeted, and what was asked in it is no part of the request.
  const { ts: thread } = await chat.post<{ ts: string }>('start-thread', { user: 'sam' });
  await answerBelow(world, 'sam', thread, 'Write what you need');
  expect((await offered(world, 'sam')).thread).toBe(thread);
  await chat.say(BOT, 'sam', PROMPTS[1].message, thread);
  await answerBelow(world, 'sam', thread, 'open requests');
  await chat.say(BOT, 'sam', 'My keyboard lost its Q', thread);
  const own = await ticketWith(world, 'lost its Q');
  await chat.say(BOT, 'sam', 'And its W', thread);
  const contents = async () =>
    (await service.listTicketMessages({ query: { ticketId: own.id } })).items.map(({ content }) => content);
  await until('the reply', async () => (await contents()).length > 0, { seen: contents });
  expect(await contents()).toEqual(['And its W']);

  // Chat refuses all of it: the talk goes on as ever.
  await chat.post('faults', {
    faults: ['setSuggestedPrompts', 'setStatus', 'setTitle'].map((name) => ({
      method: `assistant.threads.${name}`,
      kind: 'error',
      error: 'missing_scope',
    })),
  });
  await chat.post('open-home', { user: 'mira', tab: 'messages' });
  const hers = await chat.say(BOT, 'mira', PROMPTS[1].message);
  await answerBelow(world, 'mira', hers.ts, 'open requests');
  await chat.say(BOT, 'mira', 'My mouse has no tail');
  await ticketWith(world, 'no tail');
  await world.quiet();
  expect((await paneOf(world, 'mira')).offer).toBeUndefined();
}, 240_000);
