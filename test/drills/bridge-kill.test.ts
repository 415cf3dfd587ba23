import { describe, expect, test } from 'vitest';

import { seeded } from '../harness/seeded.ts';
import { LONG, SEED } from './drill.ts';
import { type Press, PRESSES } from './harness/presses.ts';
import { type TapPoint } from '../harness/tap.ts';
import { until } from '../harness/until.ts';
import { startTappedBridge } from './harness/tapped-bridge.ts';
import { Figures, killDuring, type Stage, Worlds } from './harness/kills.ts';
import { type Act, ACTS } from './harness/story.ts';

/** The number of killed acts over all tests of this file. */
const RUNS = LONG ? 1_000 : 10;
/** Concurrent acts, each in its own conversation, when the bridge is killed. */
const AT_ONCE = 8;
/** The number of acts, and of forms, buttons and menus, that a short run draws. */
const ACTS_OF_A_SHORT_RUN = 4;
const PRESSES_OF_A_SHORT_RUN = 1;
/** As the bridge may know him so far. */
const NAMES_OF_BEN = ['ben', 'Ben Okafor'];
/** Steps per act; the more acts at once, the more steps until the last one has ended. */
const STEPS_OF_ONE = 12;

describe('B52 kill -9 of the bridge at a step of a conversation', () => {
  test(`F2 each act alone is killed at steps of it in turn: nothing is lost, doubled, out of order or wrong`, async () => {
    const figures = new Figures();
    const random = seeded(SEED);
    const worlds = new Worlds(random);
    const acts = LONG ? ACTS : some(ACTS, ACTS_OF_A_SHORT_RUN, random);
    const presses = LONG ? PRESSES : some(PRESSES, PRESSES_OF_A_SHORT_RUN, random);
    for (const act of [...acts, ...presses]) {
      const counted = await stepsOf(await worlds.next(), act);
      const all = Array.from({ length: counted }, (_, at) => at + 1);
      const steps = some(all, Math.ceil(RUNS / 4 / ACTS.length), random);
      for (const step of steps) await killDuring(await worlds.next(), [act], step, figures);
    }
    await worlds.finish();
    console.info(`bridge-kill, each step: seed ${SEED}; ${figures.toString()}`);
    expect(figures.runs).toBeGreaterThan(0);
  });

  test(`P6 concurrent acts of all kinds are killed at any step: nothing is lost, doubled, out of order or wrong`, async () => {
    const figures = new Figures();
    const random = seeded(SEED);
    const worlds = new Worlds(random);
    const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
    while (figures.runs < (RUNS * 3) / 4) {
      const acts = Array.from({ length: AT_ONCE }, () => pick<Act | Press>([...ACTS, ...PRESSES]));
      const step = 1 + Math.floor(random() * AT_ONCE * STEPS_OF_ONE);
      await killDuring(await worlds.next(), acts, step, figures);
    }
    await worlds.finish();
    console.info(`bridge-kill, at once: seed ${SEED}; ${figures.toString()}`);
  });
});

test('B20 F2 the bridge is killed after each post of a first message that needs several: each is there once and in order', async () => {
  const world = await startTappedBridge();
  const { chat, bridge } = world;
  const words = Array.from({ length: 1_500 }, (_, at) => `word${at}`);
  const isPosted = ({ when, request }: TapPoint) =>
    when === 'answered' && request === 'POST /api/chat.postMessage';
  let killed = world.killWhere(isPosted);
  await chat.command('it-help', 'ben', `new ${words.join(' ')}`);
  for (let kills = 0; kills < 4; kills++) {
    await killed;
    if (kills < 3) killed = world.killWhere(isPosted);
    await bridge.restart();
  }
  const written = async () => {
    const posts = (await chat.messages('it-help')).filter(({ username }) =>
      NAMES_OF_BEN.includes(username ?? ''),
    );
    return posts.flatMap(({ blocks }) => JSON.stringify(blocks).match(/word\d+/g) ?? []);
  };
  await until('all parts', async () => (await written()).length >= words.length);
  await world.untilBridgeIdle();
  expect(await written()).toEqual(words);
  await world.end();
});

/** The steps of an act without faults. */
async function stepsOf({ world, story }: Stage, act: Act | Press): Promise<number> {
  const conversation = await story.begin();
  await story.settled();
  await world.untilBridgeIdle();
  const before = world.steps();
  await story.act(act, conversation);
  await story.settled();
  await world.untilBridgeIdle();
  return world.steps() - before;
}

/** A random selection, each item at most once and in order. */
function some<Item>(all: readonly Item[], wanted: number, random: () => number): Item[] {
  const places = all.map((_, at) => at);
  const chosen = new Set<number>();
  while (chosen.size < wanted && places.length > 0)
    for (const at of places.splice(Math.floor(random() * places.length), 1)) chosen.add(at);
  return all.filter((_, at) => chosen.has(at));
}
