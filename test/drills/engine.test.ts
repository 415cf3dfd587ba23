import { expect, test } from 'vitest';

import type { Process } from '../platform/engine/setup.ts';
import { engineSetup } from '../platform/engine/setup.ts';
import { storyEvent, tellStory, wrongs } from '../platform/engine/story.ts';
import { seeded } from '../harness/seeded.ts';
import { LONG, SEED } from './drill.ts';

const { process, effects, rows, lanes, endLeases, endPauses, clear } = engineSetup();

const STEPS = { a: 2, b: 1 };
/** The short form tries every so many statements, other ones in each run. */
const EVERY = LONG ? 1 : 6;

/**
 * Adds the events of a story. Returns the process that did, on which no fault falls, and which has done nothing else
 * yet.
 */
async function begin(): Promise<Process> {
  const adding = process({ poolSize: 2 });
  for (const [talk, steps] of Object.entries(STEPS))
    for (let n = 0; n < steps; n++) await adding.engine.add(storyEvent({ talk, n }));
  return adding;
}

/** Lets a process finish what another one has left. Returns what is wrong then. */
async function finish({ engine }: Process, chat: string[]): Promise<string[]> {
  await endLeases();
  await endPauses();
  tellStory(engine, chat);
  await engine.start();
  await engine.settled();
  await engine.stop(0);
  const wrong = wrongs({ effects: await effects(), chat }, STEPS);
  // What stands in the tables says where it stopped.
  return wrong.length === 0 ? [] : [...wrong, JSON.stringify([await rows(), await lanes()])];
}

test.for([
  { what: 'kill', when: 'before', named: 'killed before any statement' },
  { what: 'kill', when: 'after', named: 'killed after any statement, before its answer' },
  { what: 'lose', when: 'after', named: 'that loses the answer of any statement' },
  { what: 'lose', when: 'before', named: 'that loses its connection before any statement' },
] as const)('a process $named loses nothing, doubles nothing and keeps the order', async ({ what, when }) => {
  const found: string[] = [];
  let statement = 1 + (SEED % EVERY);
  let tried = 0;
  // Until the story ends before that statement.
  for (let isReached = true; isReached; statement += EVERY) {
    const chat: string[] = [];
    const adding = await begin();
    const one = process({ poolSize: 2 });
    tellStory(one.engine, chat);
    one.faults.at = { statement, when, what };
    const settled = one.engine.start().then(() => adding.engine.settled());
    const isKilled = await Promise.race([settled.then(() => false), one.faults.killed.then(() => true)]);
    isReached = one.faults.sent >= statement;
    if (!isKilled) await one.engine.stop(0);
    tried += 1;
    for (const wrong of await finish(adding, chat)) found.push(`at ${statement}: ${wrong}`);
    await clear();
  }
  console.info(`engine: ${what} ${when} ${tried} of ${statement - EVERY} statements, seed ${SEED}`);
  expect(found).toEqual([]);
  expect(statement).toBeGreaterThan(60);
});

test('processes that are killed, cut off and told to stop at any statement, while lanes are moved, do all once and in order', async () => {
  const random = seeded(SEED);
  const chat: string[] = [];
  const talks = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`t${n}`, LONG ? 60 : 12]));
  const adding = process();
  const events = Object.entries(talks).flatMap(([talk, steps]) =>
    Array.from({ length: steps }, (_, n) => ({ talk, n })),
  );
  events.sort((one, other) => one.n - other.n);
  const all: Process[] = [];
  const running: Process[] = [];
  const startOne = async () => {
    const one = process({ slots: { words: 4, slow: 4 }, leaseMs: 1_000 });
    tellStory(one.engine, chat);
    one.faults.at = {
      statement: 20 + Math.floor(random() * 200),
      when: random() < 0.5 ? 'before' : 'after',
      what: random() < 0.6 ? 'kill' : 'lose',
    };
    all.push(one);
    running.push(one);
    void one.faults.killed.then(() => {
      running.splice(running.indexOf(one), 1);
      kills += 1;
    });
    await one.engine.start();
  };
  let kills = 0;
  for (let n = 0; n < 3; n++) await startOne();
  for (const [at, event] of events.entries()) {
    await adding.engine.add(storyEvent(event));
    if (at % 10 === 0 && running.length < 3) await startOne();
    // Two conversations become one: their work goes on in one lane.
    if (at === Math.floor(events.length / 2))
      await adding.engine.transaction(async (tx) => {
        tx.plan.move({ from: 'talk t0', to: 'talk t1', class: 'words' });
        tx.plan.move({ from: 'posts t0', to: 'posts t1', class: 'slow' });
      });
  }
  for (const one of running) await one.engine.stop(200);
  await endLeases();
  await endPauses();
  const last = process();
  tellStory(last.engine, chat);
  await last.engine.start();
  await last.engine.settled();
  console.info(`engine: seed ${SEED}, ${events.length} events, ${kills} kills`);
  expect(wrongs({ effects: await effects(), chat }, talks)).toEqual([]);
  expect(all.map(({ faults }) => faults.deadlocks)).toEqual(all.map(() => 0));
  expect((await lanes()).filter(({ wake_at, leased_by }) => wake_at !== null || leased_by !== null)).toEqual(
    [],
  );
});
