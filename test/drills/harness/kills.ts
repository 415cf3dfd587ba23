import { expect } from 'vitest';

import { assertHistory } from '../../harness/history-of.ts';
import { LONG } from '../drill.ts';
import type { Press } from './presses.ts';
import { type Act, type Conversation, Story } from './story.ts';
import { startTappedBridge, type TappedBridge } from './tapped-bridge.ts';

/** Conversations per world; then a new world starts. */
const CONVERSATIONS_OF_ONE = 60;

/** Starts acts together, kills the bridge at a step and restarts it; then both sides must become the same. */
export async function killDuring(
  { world, story }: Stage,
  acts: readonly (Act | Press)[],
  step: number,
  figures: Figures,
): Promise<void> {
  const first = story.conversations.length;
  const conversations: Conversation[] = [];
  for (const _ of acts) conversations.push(await story.begin());
  await story.settled(first);
  await world.untilBridgeIdle();
  const kill = world.killAtStep(step);
  let began = performance.now();
  // Users who press wait for the result, so the bridge is restarted concurrently.
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
  // If there are fewer steps, the acts end without a kill; or the kill is in progress.
  await Promise.race([kill.done, over]);
  kill.unarm();
  const point = await killed;
  try {
    await story.settled(first);
    await world.untilBridgeIdle();
  } catch (error) {
    const where = point ? `${point.tap}, ${point.request}, ${point.when}` : 'nowhere';
    throw new Error(`${acts.join(', ')}: killed at step ${step} (${where})`, { cause: error });
  }
  figures.add(acts.length, point && `${point.tap} ${point.when}`, performance.now() - began);
}

export interface Stage {
  world: TappedBridge;
  story: Story;
}

/**
 * The world for the next round: a new one after some dozen conversations, because every earlier message is
 * compared again and again.
 */
export class Worlds {
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

  /** Everything that Slack repeats has arrived: nothing may change any more. */
  async finish(): Promise<void> {
    if (!this.#stage) return;
    const { world, story } = this.#stage;
    this.#stage = undefined;
    await world.chat.repeatAll();
    await world.untilBridgeIdle();
    for (const conversation of story.conversations) expect(await story.trouble(conversation)).toEqual([]);
    await assertHistory(world);
    await world.end();
  }
}

export class Figures {
  runs = 0;
  readonly #kills = new Map<string, number>();
  readonly #recovery: number[] = [];

  add(runs: number, killed: string | undefined, ms: number): void {
    this.runs += runs;
    if (LONG && this.runs % 40 < runs) console.info(`${this.runs} runs …`);
    if (killed === undefined) return;
    this.#kills.set(killed, (this.#kills.get(killed) ?? 0) + 1);
    this.#recovery.push(ms);
  }

  get kills(): number {
    return this.#recovery.length;
  }

  toString(): string {
    const sorted = this.#recovery.toSorted((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
    const where = [...this.#kills].map(([point, count]) => `${count} at "${point}"`).toSorted();
    return `${this.runs} runs, ${sorted.length} kills (${where.join(', ')}), lost 0, doubled 0, out of order 0; both sides the same after p50 ${at(0.5)} ms, max ${at(1)} ms`;
  }
}

function neverEmpty(): never {
  throw new Error('a round without acts');
}
