import { expect, test } from 'vitest';

import { LONG, SEED } from './drill.ts';
import { type Act, type Conversation, Story } from './harness/story.ts';
import { startTappedBridge, type TappedBridge, type Transport } from './harness/tapped-bridge.ts';
import { assertHistory } from '../harness/history-of.ts';
import { seeded } from '../harness/seeded.ts';

/** Threads, each with its own seed. */
const RUNS = LONG ? 10 : 1;
const MESSAGES = LONG ? 200 : 60;
const THREADS = 4;
/** At this rate, about every seventh call and every fifth event has a fault. */
const INTENSITY = 0.25;

/** The shares of the acts; the first four are messages. */
const SHARES: readonly (readonly [Act, number])[] = [
  ['reply', 36],
  ['answer', 36],
  ['reply with a file', 4],
  ['answer with a picture', 4],
  ['edit', 8],
  ['edit answer', 8],
  ['delete', 4],
  ['delete answer', 4],
  ['react', 12],
  ['react at the desk', 12],
  ['change the card', 3],
];
const MESSAGE_ACTS = new Set<Act>(['reply', 'answer', 'reply with a file', 'answer with a picture']);

test.each(
  Array.from({ length: RUNS }, (_, run): [number, Transport] => {
    const seed = (SEED + run) % 2 ** 32;
    return [seed, seed % 2 === 0 ? 'http' : 'socket'];
  }),
)(
  'F7 a long conversation of two people and an agent is the same on both sides, whatever faults Slack has and although the bridge is killed in the middle (seed %i, %s)',
  async (seed, transport) => {
    const random = seeded(seed);
    const world = await startTappedBridge({ transport });
    const { chat } = world;
    const story = new Story(world, random);
    const threads: Conversation[] = [];
    // Two lines of each side, so that every act is possible: ordinary messages.
    for (let n = 0; n < THREADS; n++) threads.push(await story.begin());
    await world.untilBridgeIdle();

    await chat.post('chaos', { seed, intensity: INTENSITY });
    const done = new Map<Act, number>();
    let messages = THREADS * 4;
    let killed: Promise<unknown> | undefined;
    const talk = async (thread: Conversation) => {
      while (messages < MESSAGES) {
        const act = drawn(random());
        if (MESSAGE_ACTS.has(act)) messages += 1;
        await story.act(act, thread);
        done.set(act, (done.get(act) ?? 0) + 1);
        if (messages >= MESSAGES / 2) killed ??= killSomewhere(world, 1 + Math.floor(random() * 30));
      }
    };
    await Promise.all(threads.map(talk));
    const said = performance.now();
    await killed;
    // With these faults everything gets through in the end, and they stay on until then.
    await story.settled();
    const settled = Math.round(performance.now() - said);
    const struck = await chat.randomFaultCounts();
    await chat.post('clear-faults', {});
    await world.untilBridgeIdle();

    // Events that Slack still repeats change nothing.
    await chat.repeatAll();
    await world.untilBridgeIdle();
    for (const thread of threads) expect(await story.trouble(thread)).toEqual([]);
    await assertHistory(world);
    const lines = threads.flatMap((thread) => thread.lines);
    // A reply takes the place of a deletion that would leave a side without a line.
    expect(lines.length).toBeGreaterThanOrEqual(MESSAGES);
    expect(Object.values(struck).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(MESSAGES / 10);
    console.info(
      `long talk by ${transport}: seed ${seed}; ${lines.length} messages and ${JSON.stringify(Object.fromEntries(done))} in ${THREADS} threads; ` +
        `killed at ${JSON.stringify(await killed)}; chat misbehaved ${JSON.stringify(struck)}; ` +
        `lost 0, doubled 0, out of order 0; the same ${settled} ms after the last act`,
    );
  },
);

/** Kills the bridge at one of its next steps and restarts it. */
async function killSomewhere(world: TappedBridge, step: number): Promise<unknown> {
  const { done } = world.killAtStep(step);
  const point = await done;
  await world.bridge.restart();
  return point;
}

function drawn(chance: number): Act {
  let left = chance * SHARES.reduce((sum, [, share]) => sum + share, 0);
  return SHARES.find(([, share]) => (left -= share) < 0)?.[0] ?? 'reply';
}
