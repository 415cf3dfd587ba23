import { createHash } from 'node:crypto';

import { checkHistory } from '../harness/history.ts';
import { historyOf, recordChanges } from '../harness/history-of.ts';
import type { Press } from '../drills/harness/presses.ts';
import { type Act, type Conversation, Story } from '../drills/harness/story.ts';
import type { Chance } from './chance.ts';
import type { Network } from './network.ts';
import type { Failure } from './postgres.ts';
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
  network: Network;
  chance: Chance;
  /** How many acts of people. */
  actions: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const CONVERSATIONS = 3;
/** How long everything may take to settle once there are no more faults. */
const SETTLES_WITHIN = 15 * MINUTE;
const LOOK_AFTER = 5 * SECOND;
/** Each look comes later than the one before. */
const LOOKS_LATER = 1.3;
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

/** How likely each press is among presses. Each is in a conversation of its own, which no other act changes. */
const PRESSES: Readonly<Record<Press, number>> = {
  'submit a form': 1,
  'submit a form on a message': 1,
  'choose a status': 2,
  approve: 2,
  rate: 2,
  note: 2,
  'send to requester': 2,
};
/** How many of the acts are presses. */
const PRESSED = 0.08;

/** How likely it is that a call of a database fails. */
const CALL_FAILS = 0.001;
/** How likely it is that a piece of what is sent is late, and by how much at most. */
const PIECE_IS_LATE = 0.002;
const LATEST = 3 * SECOND;

/** How likely each fault is at an act; what Slack does besides is drawn by the sandbox. */
const FAULTS = {
  'the bridge is killed': 0.06,
  'the second bridge is killed': 0.06,
  'the service is killed': 0.03,
  'connections of the bridge are cut': 0.08,
  'connections of the service are cut': 0.04,
};
const OTHER_FAULTS = [
  'a call of a database fails',
  'an answer of a database is lost',
  'a piece is late',
] as const;
const FAULT_NAMES = [...(Object.keys(FAULTS) as (keyof typeof FAULTS)[]), ...OTHER_FAULTS];
type Fault = (typeof FAULT_NAMES)[number];

/** Lets people and faults act in a world, as a seed draws them, and judges what comes of it. */
export async function runSeed({ actions, ...parts }: SeedOptions): Promise<Outcome> {
  const { world } = parts;
  const seed = new Seed(parts);
  let trouble: string[];
  try {
    await seed.begin();
    for (let done = 0; done < actions; done++) await seed.act();
    await seed.endFaults();
    trouble = await seed.judge();
  } catch (error) {
    // What people do fails only where something is wrong, or never ends.
    seed.letCallsSucceed();
    trouble = [error instanceof Error ? error.message : String(error)];
  }
  seed.tell(trouble.length === 0 ? 'all is as it must be' : 'something is wrong');
  const { story, faults, virtualMs } = seed;
  const trace = createHash('sha256')
    // A stack says where this checkout lies, and who ran the seed.
    .update(
      JSON.stringify([story, world.log], (key, value: unknown) => (key === 'stack' ? undefined : value)),
    )
    .digest('hex');
  return { story, trouble, trace, virtualMs, faults };
}

class Seed {
  readonly story: string[] = [];
  readonly faults: Record<string, number> = Object.fromEntries(FAULT_NAMES.map((name) => [name, 0]));
  readonly #world: World;
  readonly #time: VirtualTime;
  readonly #network: Network;
  readonly #people: Chance;
  readonly #fate: Chance;
  readonly #began: number;
  readonly #hasTwo: boolean;
  readonly #told: Story;
  /** Whose turns the acts are; in those of presses nothing else happens. */
  readonly #conversations: Conversation[] = [];
  /** People are doing something, which fails where the service does. */
  #isActing = false;
  /** Programs that are down, or not ready again. */
  readonly #down = new Set<Name>();

  constructor({ world, time, network, chance }: Omit<SeedOptions, 'actions'>) {
    this.#world = world;
    this.#time = time;
    this.#network = network;
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
    this.#letCallsFail();
    const chaos = { seed: this.#fate.below(2 ** 32), intensity: this.#fate.next() * 0.5, drops: true };
    await this.#time.whileRunning(this.#world.chat.post('chaos', chaos), 'the faults of Slack');
    this.tell(`Slack fails at an intensity of ${chaos.intensity.toFixed(2)}`);
  }

  /** One act of people, and the faults that fall meanwhile. */
  async act(): Promise<void> {
    for (const fault of Object.keys(FAULTS) as (keyof typeof FAULTS)[])
      if (this.#fate.happens(FAULTS[fault])) await this.#fail(fault);
    this.#isActing = true;
    const isPress = this.#people.happens(PRESSED);
    const what = isPress ? this.#people.weighted(PRESSES) : this.#people.weighted(ACTS);
    const where = isPress ? await this.#newRequest() : this.#people.oneOf(this.#conversations);
    this.tell(`${what}, in ${where.ticketId}`);
    await this.#time.whileRunning(this.#told.act(what, where), what);
    this.#isActing = false;
    // People often act while others' words are still on their way.
    await this.#pass(this.#people.next() ** 3 * 10 * SECOND);
  }

  /** Starts a conversation of its own, and waits until the team sees it, too. */
  async #newRequest(): Promise<Conversation> {
    const conversation = await this.#time.whileRunning(this.#told.begin(), 'a request');
    await this.#time.whileRunning(this.#told.seenByTeam(conversation), 'the card of a request');
    return conversation;
  }

  /** From now on no call of the databases fails, and nothing is late. */
  letCallsSucceed(): void {
    this.#network.delay = () => 0;
    const { service, bridge } = this.#world.databases;
    for (const database of [service, bridge]) database.failing = () => undefined;
  }

  async endFaults(): Promise<void> {
    this.letCallsSucceed();
    const did = await this.#time.whileRunning(this.#world.chat.randomFaultCounts(), 'the faults of Slack');
    for (const [fault, times] of Object.entries(did)) this.faults[`Slack: ${fault}`] = times;
    await this.#time.whileRunning(this.#world.chat.post('clear-faults', {}), 'the end of the faults');
    this.tell('no more faults');
  }

  /** What differs from the expected end once everything has settled; empty if all is well. */
  async judge(): Promise<string[]> {
    const deadline = this.#time.now + SETTLES_WITHIN;
    let trouble = ['the programs do not start'];
    for (let pause = LOOK_AFTER; trouble.length > 0 && this.#time.now < deadline; pause *= LOOKS_LATER) {
      await this.#pass(pause);
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
    for (const each of this.#told.conversations) {
      const troubles = await this.#time.whileRunning(this.#told.trouble(each), 'the judge');
      found.push(...troubles.map((one) => `${each.ticketId}: ${one}`));
    }
    return found;
  }

  /** From now on calls of the databases fail now and then, and what is sent is late. */
  #letCallsFail(): void {
    const fate = this.#fate.fork();
    const failing = (): Failure | undefined => {
      if (!fate.happens(CALL_FAILS)) return undefined;
      const failure = fate.happens(0.5) ? 'refused' : 'answer lost';
      this.#count(failure === 'refused' ? 'a call of a database fails' : 'an answer of a database is lost');
      return failure;
    };
    const { bridge, service } = this.#world.databases;
    bridge.failing = failing;
    service.failing = () => (this.#isActing ? undefined : failing());
    this.#network.delay = (to) => {
      // Posts that are late on their way would come closer to one another than they were sent.
      if (to?.name === 'sandbox' || !fate.happens(PIECE_IS_LATE)) return 0;
      this.#count('a piece is late');
      return fate.next() * LATEST;
    };
  }

  async #fail(fault: keyof typeof FAULTS): Promise<void> {
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
