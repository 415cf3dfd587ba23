import { expect, test } from 'vitest';

import { seeded } from '../harness/seeded.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startProcess, type World } from '../harness/world.ts';
import { SEED } from './drill.ts';

const CHANNEL = 'it-help';
const THREADS = 4;
/** Messages of each side in each thread. */
const EACH = 12;
const KILLS = 3;

interface Thread {
  root: string;
  ticketId: string;
}

test('B52 kill -9 in the middle of a burst from both sides: nothing is lost, nothing doubled, and both sides keep the order', async () => {
  const random = seeded(SEED);
  const world = await startProcess();
  const threads = await openThreads(world);

  // All authors write at once, each in their own order; the process is killed after this many messages were
  // accepted.
  const killAt = new Set(Array.from({ length: KILLS }, () => Math.floor(random() * THREADS * EACH * 2)));
  let taken = 0;
  let kills = 0;
  let restarting: Promise<void> = Promise.resolve();
  const crash = async () => {
    kills += 1;
    await world.kill();
    await world.restart();
  };
  const speak = async (send: (n: number) => Promise<unknown>, isThere: (n: number) => Promise<boolean>) => {
    for (let n = 1; n <= EACH; n++) {
      await accepted(
        () => send(n),
        () => isThere(n),
      );
      if (killAt.has(taken++)) restarting = restarting.then(crash);
    }
  };
  await Promise.all(
    threads.flatMap((thread) => [
      speak(
        (n) => world.chat.say(CHANNEL, 'ada', `person ${n}`, thread.root),
        (n) => said(world, thread, `person ${n}`),
      ),
      speak(
        (n) =>
          world.service.createTicketMessage({
            body: { ticketId: thread.ticketId, content: `agent ${n}` },
          }),
        (n) => written(world, thread, `agent ${n}`),
      ),
    ]),
  );
  await restarting;

  const began = Date.now();
  const expected = (who: string) => Array.from({ length: EACH }, (_unused, n) => `${who} ${n + 1}`);
  for (const thread of threads) {
    await until(
      `everything to have crossed in ${thread.ticketId}`,
      async () => {
        const { inChat, onTicket } = await bothSides(world, thread);
        return (
          inChat.filter((text) => text.startsWith('agent')).length >= EACH &&
          onTicket.filter((text) => text.startsWith('person')).length >= EACH
        );
      },
      { seen: () => bothSides(world, thread) },
    );
  }
  console.info(
    `crash: seed ${SEED}, ${THREADS * EACH * 2} messages, ${kills} kills, both sides equal ${Date.now() - began} ms after the last message`,
  );
  for (const thread of threads) {
    const { inChat, onTicket } = await bothSides(world, thread);
    for (const side of [inChat, onTicket]) {
      expect(side.filter((text) => text.startsWith('person'))).toEqual(expected('person'));
      expect(side.filter((text) => text.startsWith('agent'))).toEqual(expected('agent'));
    }
  }
});

async function openThreads(world: World): Promise<Thread[]> {
  const { bot } = await world.chat.state();
  const threads: Thread[] = [];
  for (let n = 0; n < THREADS; n++) {
    const { ts } = await world.chat.say(CHANNEL, 'ada', `<@${bot}> request number ${n}`);
    const { id: ticketId } = await ticketAt(world.service, ts);
    threads.push({ root: ts, ticketId });
  }
  return threads;
}

/**
 * Sends until the message is certainly stored once: after a lost response it is looked up before it is sent
 * again.
 */
async function accepted(send: () => Promise<unknown>, isThere: () => Promise<boolean>): Promise<void> {
  for (;;) {
    try {
      await send();
      return;
    } catch {
      const there = await until('the other side to answer again', () =>
        isThere()
          .then((found) => ({ found }))
          .catch(() => undefined),
      );
      if (there.found) return;
    }
  }
}

async function said({ chat }: World, thread: Thread, text: string): Promise<boolean> {
  return (await chat.thread(CHANNEL, thread.root)).some((message) => message.text === text);
}

async function written({ service }: World, thread: Thread, content: string): Promise<boolean> {
  const { items } = await service.listTicketMessages({ query: { ticketId: thread.ticketId } });
  return items.some((message) => message.content === content);
}

/** The conversation on each side, in that side's order, without cards. */
async function bothSides(
  { chat, service }: World,
  thread: Thread,
): Promise<{ inChat: string[]; onTicket: string[] }> {
  const inChat = (await chat.thread(CHANNEL, thread.root))
    .map((message) => message.text)
    .filter((text) => /^(person|agent) /.test(text));
  const { items } = await service.listTicketMessages({ query: { ticketId: thread.ticketId } });
  return { inChat, onTicket: items.map((message) => message.content) };
}
