import { describe, expect, test } from 'vitest';

import { seeded } from '../harness/seeded.ts';
import { until } from '../harness/until.ts';
import { runCli, startWorld, type World } from '../harness/world.ts';

const CHANNEL = 'it-help';
const THREADS = 3;
/** Messages in all: half of them by two people in chat, half by an agent on the ticket. */
const MESSAGES = 60;
const EACH = MESSAGES / 2 / THREADS;

interface Thread {
  root: string;
  ticketId: string;
}

/** A conversation as one side has it: what each message says, by who wrote it. */
interface Talk {
  person: string[];
  agent: string[];
}

describe('B51 when everything misbehaves at once', () => {
  test.each([
    ['a fixed seed', 42],
    ['a new seed', Math.floor(Math.random() * 2 ** 32)],
  ])(
    'F7 nothing is lost, nothing doubled, edits arrive and order is kept, once it is calm again (%s, %i)',
    async (_, seed) => {
      console.info(`chaos: seed ${seed}`);
      const random = seeded(seed);
      const world = await startWorld();
      const { chat, service } = world;
      const threads = await openThreads(world);
      await world.quiet();

      await chat.post('chaos', { seed, intensity: 0.4 });
      await Promise.all(
        threads.flatMap((thread) => [
          inTurn(async (n) => {
            const who = random() < 0.5 ? 'ada' : 'ben';
            const { ts } = await chat.say(CHANNEL, who, `person ${n}`, thread.root);
            if (n % 5 === 0) await chat.edit(CHANNEL, who, ts, `person ${n}, edited`);
          }),
          inTurn(async (n) => {
            const content = `agent ${n}`;
            const { id } = await service.createTicketMessage({
              body: { ticketId: thread.ticketId, content },
            });
            if (n % 5 === 0)
              await service.updateTicketMessage({ params: { id }, body: { content: `${content}, edited` } });
          }),
        ]),
      );
      // Chaos lets everything through in the end: it goes on until each side has heard all of the other.
      await until(
        'everything to have crossed in spite of it',
        async () => {
          const talks = await Promise.all(threads.map((thread) => bothSides(world, thread)));
          return talks.every(
            ({ inChat, onTicket }) => inChat.agent.length >= EACH && onTicket.person.length >= EACH,
          );
        },
        {
          withinMs: 150_000,
          seen: async () => Promise.all(threads.map((thread) => bothSides(world, thread))),
        },
      );
      const did = await struck(world);
      await chat.post('calm', {});
      await world.quiet();

      console.info(`chaos: seed ${seed}, ${MESSAGES} messages, misbehaved ${JSON.stringify(did)}`);
      expect(Object.values(did).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(10);
      for (const thread of threads) {
        const { inChat, onTicket } = await bothSides(world, thread);
        expect(inChat).toEqual(said());
        expect(onTicket).toEqual(said());
      }
    },
    240_000,
  );
});

describe('when something else than chat answers', () => {
  test('B48 a web page, or half an answer, parks nothing: the post is looked for and stands there once, in its place', async () => {
    const world = await startWorld();
    const { chat, service } = world;
    const [thread] = await openThreads(world);
    if (!thread) throw new Error('no thread was opened');
    await world.quiet();
    const { root, ticketId } = thread;
    await chat.post('faults', {
      faults: [
        { method: 'chat.postMessage', kind: 'html', worked: true },
        { method: 'chat.postMessage', kind: 'half_answer' },
        { method: 'chat.postMessage', kind: 'html' },
      ],
    });
    const words = ['agent 1', 'agent 2', 'agent 3'];
    for (const content of words) await service.createTicketMessage({ body: { ticketId, content } });
    await world.quiet();
    const { inChat } = await bothSides(world, { root, ticketId });
    expect(inChat.agent).toEqual(words);
    expect((await runCli(['parked', 'list'], world.environment)).out).not.toContain('postMessage');
  }, 120_000);
});

async function inTurn(speak: (n: number) => Promise<void>): Promise<void> {
  for (let n = 1; n <= EACH; n++) await speak(n);
}

/** What both sides must have in the end. */
function said(): Talk {
  const by = (who: string) =>
    Array.from({ length: EACH }, (_, n) => `${who} ${n + 1}${(n + 1) % 5 === 0 ? ', edited' : ''}`);
  return { person: by('person'), agent: by('agent') };
}

/** How often each misbehaviour has struck. */
async function struck({ urls }: World): Promise<Record<string, number>> {
  const answer = await fetch(`${urls.sandbox}/_control/faults`);
  const { chaos } = (await answer.json()) as { chaos: { did: Record<string, number> } };
  return chaos.did;
}

async function openThreads({ chat, service }: World): Promise<Thread[]> {
  const { bot } = await chat.state();
  const threads: Thread[] = [];
  for (let n = 0; n < THREADS; n++) {
    const { ts } = await chat.say(CHANNEL, 'ada', `<@${bot}> request number ${n}`);
    const ticketId = await until('the ticket', async () => {
      const { items } = await service.listTickets({ query: { chatMessageTs: ts } });
      return items[0]?.id;
    });
    threads.push({ root: ts, ticketId });
  }
  return threads;
}

async function bothSides(
  { chat, service }: World,
  thread: Thread,
): Promise<{ inChat: Talk; onTicket: Talk }> {
  const inChat = (await chat.thread(CHANNEL, thread.root)).map(({ text }) => text);
  const { items } = await service.listTicketMessages({ query: { ticketId: thread.ticketId, limit: 100 } });
  return { inChat: talk(inChat), onTicket: talk(items.map(({ content }) => content)) };
}

function talk(texts: string[]): Talk {
  const by = (who: string) => texts.filter((text) => text.startsWith(`${who} `));
  return { person: by('person'), agent: by('agent') };
}
