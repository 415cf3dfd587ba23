import { describe, expect, test } from 'vitest';

import { seeded } from '../harness/seeded.ts';
import { until } from '../harness/until.ts';
import { type Press, PRESSES } from './presses.ts';
import { type Act, ACTS, type Conversation, Story } from './story.ts';
import { startTappedBridge, type TappedBridge } from './tapped-bridge.ts';

/** Runs in all; a long run is asked for by hand: `FAULT_RUNS=1000 npx vitest run … test/drills/bridge-kill.test.ts`. */
const RUNS = Number(process.env['FAULT_RUNS'] ?? 16);
/** Printed by each run; `FAULT_SEED` repeats one. */
const SEED = Number(process.env['FAULT_SEED'] ?? Math.floor(Math.random() * 2 ** 32));
/** Acts in flight, each in a conversation of its own, when the bridge is killed. */
const AT_ONCE = 8;
/** Conversations that one world has before the next one begins. */
const CONVERSATIONS_OF_ONE = 60;
/** Forms, buttons and menus that a short run tries, of all of them. */
const PRESSES_OF_A_SHORT_RUN = 3;
/** Steps of one act; the more acts at once, the more steps before the last one is over. */
const STEPS_OF_ONE = 12;

describe('B52 kill -9 of the bridge at a step of a conversation', () => {
  test(
    `F2 each act is killed at steps of it in turn, alone: nothing is lost, doubled, out of order or wrong`,
    { timeout: 60_000 + RUNS * 30_000 },
    async () => {
      const figures = new Figures();
      const random = seeded(SEED);
      const worlds = new Worlds(random);
      const presses = RUNS > 16 ? PRESSES : some(PRESSES, PRESSES_OF_A_SHORT_RUN, random);
      for (const act of [...ACTS, ...presses]) {
        const counted = await stepsOf(await worlds.next(), act);
        const all = Array.from({ length: counted }, (_, at) => at + 1);
        const steps = some(all, Math.ceil(RUNS / 4 / ACTS.length), random);
        for (const step of steps) await round(await worlds.next(), [act], step, figures);
      }
      await worlds.finish();
      console.info(`bridge-kill, each step: seed ${SEED}; ${figures.toString()}`);
      expect(figures.runs).toBeGreaterThan(0);
    },
  );

  test.each([
    ['a fixed seed', 20_261_121],
    ['a new seed', SEED],
  ])(
    `P6 acts of all kinds at once are killed at any step: nothing is lost, doubled, out of order or wrong (%s, %i)`,
    { timeout: 60_000 + RUNS * 30_000 },
    async (_, seed) => {
      const figures = new Figures();
      const random = seeded(seed);
      const worlds = new Worlds(random);
      const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
      while (figures.runs < (RUNS * 3) / 8) {
        const acts = Array.from({ length: AT_ONCE }, () => pick<Act | Press>([...ACTS, ...PRESSES]));
        const step = 1 + Math.floor(random() * AT_ONCE * STEPS_OF_ONE);
        await round(await worlds.next(), acts, step, figures);
      }
      await worlds.finish();
      console.info(`bridge-kill, at once: seed ${seed}; ${figures.toString()}`);
    },
  );
});

/** The steps that an act takes when nothing goes wrong. */
async function stepsOf({ world, story }: Stage, act: Act | Press): Promise<number> {
  const conversation = await story.begin();
  await story.settled();
  await world.idle();
  const before = world.steps();
  await story.act(act, conversation);
  await story.settled();
  await world.idle();
  return world.steps() - before;
}

/** Acts begin together; the bridge is killed at a step, started again, and both sides must come to be the same. */
async function round(
  { world, story }: Stage,
  acts: readonly (Act | Press)[],
  step: number,
  figures: Figures,
): Promise<void> {
  const first = story.conversations.length;
  const conversations: Conversation[] = [];
  for (const _ of acts) conversations.push(await story.begin());
  await story.settled(first);
  await world.idle();
  const kill = world.killAtStep(step);
  let began = performance.now();
  // Whoever presses waits for what follows, so it is started again beside them.
  const killed = kill.done.then(async (point) => {
    began = performance.now();
    if (point) await world.bridge.restart();
    return point;
  });
  killed.catch(() => undefined);
  await Promise.all(
    acts.map((act, at) => story.act(act, conversations[at] ?? conversations[0] ?? neverEmpty())),
  );
  const over = story.settled(first).then(
    () => undefined,
    () => undefined,
  );
  // Fewer steps than that: then all is over, and nothing was killed; or it is being killed just now.
  await Promise.race([kill.done, over]);
  kill.unarm();
  const point = await killed;
  try {
    await story.settled(first);
    await world.idle();
  } catch (error) {
    const where = point ? `${point.tap}, ${point.what}, ${point.when}` : 'nowhere';
    throw new Error(`${acts.join(', ')}: killed at step ${step} (${where})`, { cause: error });
  }
  figures.add(acts.length, point && `${point.tap} ${point.when}`, performance.now() - began);
}

interface Stage {
  world: TappedBridge;
  story: Story;
}

/** A world for the next round: after some dozen conversations a new one, or all that was said before is compared over and over. */
class Worlds {
  readonly #random: () => number;
  #stage: Stage | undefined;

  /** @param random chooses who acts, and on which message. */
  constructor(random: () => number) {
    this.#random = random;
  }

  async next(): Promise<Stage> {
    if (this.#stage && this.#stage.story.conversations.length >= CONVERSATIONS_OF_ONE) await this.finish();
    if (!this.#stage) {
      const world = await startTappedBridge();
      this.#stage = { world, story: new Story(world, this.#random) };
    }
    return this.#stage;
  }

  /** What is still repeated has come: nothing may change any more. */
  async finish(): Promise<void> {
    if (!this.#stage) return;
    const { world, story } = this.#stage;
    this.#stage = undefined;
    await world.chat.post('clock', { advance: '10m' });
    await until('chat to have repeated everything', async () => (await world.chat.state()).undelivered === 0);
    await world.idle();
    for (const conversation of story.conversations) expect(await story.trouble(conversation)).toEqual([]);
    await world.end();
  }
}

class Figures {
  runs = 0;
  readonly #kills = new Map<string, number>();
  readonly #recovery: number[] = [];

  add(runs: number, killed: string | undefined, ms: number): void {
    this.runs += runs;
    if (RUNS > 100 && this.runs % 40 < runs) console.info(`${this.runs} runs of ${RUNS} …`);
    if (killed === undefined) return;
    this.#kills.set(killed, (this.#kills.get(killed) ?? 0) + 1);
    this.#recovery.push(ms);
  }

  toString(): string {
    const sorted = this.#recovery.toSorted((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
    const where = [...this.#kills].map(([point, count]) => `${count} at "${point}"`).toSorted();
    return `${this.runs} runs, ${sorted.length} kills (${where.join(', ')}), lost 0, doubled 0, out of order 0; both sides the same after p50 ${at(0.5)} ms, max ${at(1)} ms`;
  }
}

/** So many of all, at random, each once and in their order. */
function some<Item>(all: readonly Item[], wanted: number, random: () => number): Item[] {
  const places = all.map((_, at) => at);
  const chosen = new Set<number>();
  while (chosen.size < wanted && places.length > 0)
    for (const at of places.splice(Math.floor(random() * places.length), 1)) chosen.add(at);
  return all.filter((_, at) => chosen.has(at));
}

function neverEmpty(): never {
  throw new Error('a round without acts');
}
