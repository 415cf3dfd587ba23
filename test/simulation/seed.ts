import { createHash } from 'node:crypto';

import { checkHistory } from '../harness/history.ts';
import { historyOf, recordChanges } from '../harness/history-of.ts';
import { type Act, type Conversation, Story } from '../drills/harness/story.ts';
import type { Chance } from './chance.ts';
import type { VirtualTime } from './time.ts';
import type { Name, World } from './world.ts';

/** What a seed showed. */
export interface Outcome {
  /** What people and faults did, in words, with the virtual second. */
  story: string[];
  /** What is not as it must be; empty if all is well. */
  trouble: string[];
  /** The hash of all that was done and logged. */
  trace: string;
  virtualMs: number;
  /** How often each fault happened. */
  faults: Record<string, number>;
}

export interface SeedOptions {
  world: World;
  time: VirtualTime;
  chance: Chance;
  /** How many acts of people. */
  actions: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const CONVERSATIONS = 3;
/** How long everything may take to settle once there are no more faults. */
const SETTLES_WITHIN = 60 * MINUTE;
const LOOK_EVERY = 5 * SECOND;
/** How far a program's clock may be off, in either direction. */
const MOST_SKEW = SECOND;

/** How likely each act of people is. Files need threads and codecs of the system, and are left to the drills. */
const ACTS: Readonly<Record<Exclude<Act, 'create' | 'reply with a file' | 'answer with a picture'>, number>> =
  {
    reply: 6,
    edit: 3,
    delete: 1,
    react: 2,
    answer: 6,
    'edit answer': 3,
    'delete answer': 1,
    'react at the desk': 2,
    'change the card': 2,
  };

/** How likely each fault is at an act; what Slack does besides is drawn by the sandbox. */
const FAULTS = {
  'the bridge is killed': 0.06,
  'the second bridge is killed': 0.06,
  'the service is killed': 0.03,
  'connections of the bridge are cut': 0.08,
  'connections of the service are cut': 0.04,
};
type Fault = keyof typeof FAULTS;

/** Lets people and faults act in a world, as a seed draws them, and judges what comes of it. */
export async function runSeed({ world, time, chance, actions }: SeedOptions): Promise<Outcome> {
  const seed = new Seed(world, time, chance);
  await seed.begin();
  for (let done = 0; done < actions; done++) await seed.act();
  await seed.endFaults();
  const trouble = await seed.judge();
  seed.tell(trouble.length === 0 ? 'all is as it must be' : 'something is wrong');
  const { story, faults, virtualMs } = seed;
  const trace = createHash('sha256')
    .update(JSON.stringify([story, world.log]))
    .digest('hex');
  return { story, trouble, trace, virtualMs, faults };
}

class Seed {
  readonly story: string[] = [];
  readonly faults: Record<string, number> = {};
  readonly #world: World;
  readonly #time: VirtualTime;
  readonly #people: Chance;
  readonly #fate: Chance;
  readonly #began: number;
  readonly #hasTwo: boolean;
  readonly #told: Story;
  readonly #conversations: Conversation[] = [];
  /** Programs that are down, or not ready again. */
  readonly #down = new Set<Name>();

  constructor(world: World, time: VirtualTime, chance: Chance) {
    this.#world = world;
    this.#time = time;
    this.#began = time.now;
    this.#people = chance.fork();
    this.#fate = chance.fork();
    this.#hasTwo = this.#fate.happens(0.3);
    const service = recordChanges(world.client);
    this.#told = new Story({ chat: world.chat, service, serviceUrl: world.serviceUrl }, this.#people.next);
  }

  get virtualMs(): number {
    return this.#time.now - this.#began;
  }

  tell(what: string): void {
    this.story.push(`${(this.virtualMs / SECOND).toFixed(1)} s: ${what}`);
  }

  async begin(): Promise<void> {
    const names: Name[] = [
      'sandbox',
      'service',
      'bridge',
      ...(this.#hasTwo ? (['second bridge'] as const) : []),
    ];
    for (const name of names) {
      if (name !== 'sandbox' && this.#fate.happens(0.3)) this.#skew(name);
      await this.#time.whileRunning(this.#world.start(name), `the start of the ${name}`);
    }
    for (let n = 0; n < CONVERSATIONS; n++)
      this.#conversations.push(await this.#time.whileRunning(this.#told.begin(), 'a request'));
    const chaos = { seed: this.#fate.below(2 ** 32), intensity: this.#fate.next() * 0.5, drops: true };
    await this.#time.whileRunning(this.#world.chat.post('chaos', chaos), 'the faults of Slack');
    this.tell(`Slack fails at an intensity of ${chaos.intensity.toFixed(2)}`);
  }

  /** One act of people, and the faults that fall meanwhile. */
  async act(): Promise<void> {
    for (const fault of Object.keys(FAULTS) as Fault[])
      if (this.#fate.happens(FAULTS[fault])) await this.#fail(fault);
    const what = this.#people.weighted(ACTS);
    const where = this.#people.oneOf(this.#conversations);
    this.tell(`${what}, in ${where.ticketId}`);
    await this.#time.whileRunning(this.#told.act(what, where), what);
    // People often act while others' words are still on their way.
    await this.#pass(this.#people.next() ** 3 * 10 * SECOND);
  }

  async endFaults(): Promise<void> {
    await this.#time.whileRunning(this.#world.chat.post('clear-faults', {}), 'the end of the faults');
    this.tell('no more faults');
  }

  /** What differs from the expected end once everything has settled; empty if all is well. */
  async judge(): Promise<string[]> {
    const deadline = this.#time.now + SETTLES_WITHIN;
    let trouble = ['the programs do not start'];
    while (trouble.length > 0 && this.#time.now < deadline) {
      await this.#pass(LOOK_EVERY);
      if (this.#down.size === 0) trouble = await this.#troubles();
    }
    const { chat, client: service } = this.#world;
    const environment = this.#world.environmentOf('bridge');
    const sides = historyOf({ chat, service, environment, replicas: this.#hasTwo });
    const history = await this.#time.whileRunning(sides, 'the history');
    for (const { kind, of, what } of checkHistory(history.chat, history.tickets))
      trouble.push(`${kind}: ${of}: ${what}`);
    return trouble;
  }

  async #troubles(): Promise<string[]> {
    const found: string[] = [];
    for (const each of this.#conversations) {
      const troubles = await this.#time.whileRunning(this.#told.trouble(each), 'the judge');
      found.push(...troubles.map((one) => `${each.ticketId}: ${one}`));
    }
    return found;
  }

  async #fail(fault: Fault): Promise<void> {
    const later = this.#fate.next() * 2 * SECOND;
    switch (fault) {
      case 'the bridge is killed':
        this.#time.after(later, () => this.#kill('bridge', fault));
        return;
      case 'the second bridge is killed':
        if (this.#hasTwo) this.#time.after(later, () => this.#kill('second bridge', fault));
        return;
      case 'connections of the bridge are cut':
        this.#time.after(later, () => this.#cut('bridge', fault));
        return;
      case 'connections of the service are cut':
        // Not while people act: what they do would have to be done again.
        this.#cut('service', fault);
        await this.#pass(SECOND);
        return;
      case 'the service is killed':
        this.#kill('service', fault);
        while (this.#down.has('service')) await this.#pass(SECOND);
    }
  }

  #count(fault: Fault): void {
    this.faults[fault] = (this.faults[fault] ?? 0) + 1;
    this.tell(fault);
  }

  #cut(name: Name, fault: Fault): void {
    if (this.#down.has(name)) return;
    this.#count(fault);
    this.#world.cut(name, this.#fate);
  }

  #kill(name: Name, fault: Fault): void {
    if (this.#down.has(name)) return;
    this.#count(fault);
    this.#down.add(name);
    this.#world.kill(name);
    this.#time.after(this.#fate.next() * 8 * SECOND, () => this.#startAgain(name));
  }

  #startAgain(name: Name): void {
    this.tell(`the ${name} starts again`);
    this.#world.start(name).then(
      () => this.#down.delete(name),
      (error: unknown) => {
        this.tell(`the ${name} could not start: ${String(error)}`);
        this.#world.kill(name);
        this.#time.after(SECOND, () => this.#startAgain(name));
      },
    );
  }

  #skew(name: Name): void {
    const ms = Math.round((this.#fate.next() * 2 - 1) * MOST_SKEW);
    this.#world.skews.set(name, ms);
    this.tell(`the clock of the ${name} is off by ${ms} ms`);
  }

  async #pass(ms: number): Promise<void> {
    await this.#time.run(() => false, this.#time.now + ms);
  }
}
