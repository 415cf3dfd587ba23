import { createHash } from 'node:crypto';

import { DEMO } from '../../src/start/demo.ts';
import { checkHistory, checkReaders } from '../harness/history.ts';
import { historyOf } from '../harness/history-of.ts';
import type { Difference } from '../drills/harness/both-sides.ts';
import { isPress } from '../drills/harness/presses.ts';
import { type Conversation, Story } from '../drills/harness/story.ts';
import { MOVING_ACTS } from '../drills/harness/team-acts.ts';
import { Chance } from './chance.ts';
import { troubleOfRecords } from './clocks-and-counts.ts';
import { eraseRequester } from './erasure.ts';
import { foundByOthers } from './found-by-others.ts';
import { Model, MODEL_FAULTS } from './model.ts';
import { missingWhereMerged, withoutMerged } from './last-words.ts';
import type { Network } from './network.ts';
import { olderStates } from './older-states.ts';
import { answerOutsideTicket } from './outside-tickets.ts';
import { lateWork, outcomesIn } from './outcomes.ts';
import {
  type Plan,
  PLANNED_FAULTS,
  type PlannedFaultName,
  type PlannedAct,
  type PlannedFault,
  SEED_ACTS,
  type SeedAct,
} from './plan.ts';
import type { Failure } from './postgres.ts';
import { outsidePrograms, type Program } from './program.ts';
import { type Trouble, troubleOf } from './promises.ts';
import { Questions } from './questions.ts';
import { HOME_OF, staleHomes, toldTwice } from './shown-to-people.ts';
import type { VirtualTime } from './time.ts';
import { isWorkflowAct, Workflows } from './workflow-acts.ts';
import { WORDS } from './workflow-outlines.ts';
import { BRIDGES, MODEL_PORT, type Name, type World } from './world.ts';

/** What a seed showed. */
export interface Outcome {
  /** What people and faults did, in words, with the virtual second. */
  story: string[];
  /** What is not as it must be; empty if all is well. */
  trouble: Trouble[];
  /** The hash of all that was done and logged. */
  trace: string;
  virtualMs: number;
  /** How often each fault happened. */
  faults: Record<string, number>;
  /** How often people did each act. */
  acts: Record<string, number>;
  /** How often things ended in each way. */
  outcomes: Record<string, number>;
}

export interface SeedOptions {
  world: World;
  time: VirtualTime;
  network: Network;
  plan: Plan;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/**
 * Conversations whose tickets stay where they are, such as are merged, moved and made private, and such as are only moved
 * and made private: most of those that merge cannot be, soon.
 */
const CONVERSATIONS = [
  { count: 2, isMoving: false, staysApart: false },
  { count: 3, isMoving: true, staysApart: false },
  { count: 1, isMoving: true, staysApart: true },
];
/** How likely it is that the bridge does not learn at once that the first card of a ticket stands, which is renamed meanwhile. */
const FIRST_CARD_IS_UNCERTAIN = 0.5;
/** How likely it is that the first of two edits reaches the bridge after the second. */
const FIRST_EDIT_IS_LATE = 0.5;
/** How likely it is that no bridge runs while a ticket from outside of chat is answered, and for how long. */
const NO_BRIDGE_MEANWHILE = 0.5;
const AWAY_FOR = 15 * SECOND;
/** Slack says when a message was edited in whole seconds. */
const ANOTHER_SECOND = 1.1 * SECOND;
/** How likely it is that a reply is to a ticket that waits for one, or is done, if there is one. */
const REPLIES_TO_AN_END = 0.4;
/** How likely it is that a ticket that changes its readers is one that never merges: of the others, most may not. */
const READERS_CHANGE_APART = 0.6;
const CHANGES_READERS: readonly SeedAct[] = ['move', 'make private', 'make public'];
/** No act says more than that; the conversations that are there before the first say less than twice as much. */
const NUMBERS_OF_AN_ACT = 25;
const numberOfAct = (index: number) => (index + 2) * NUMBERS_OF_AN_ACT;
/** How long everything may take to settle once there are no more faults. */
const SETTLES_WITHIN = 15 * MINUTE;
const LOOK_AFTER = 5 * SECOND;
/** How long a reply may take to both sides once all is quiet. A comparison comes each minute. */
const CROSSES_WITHIN = 15 * SECOND;
const LATE_WORK_SHOWS_WITHIN = 10 * SECOND;
/** Each look comes later than the one before. */
const LOOKS_LATER = 1.3;

/** How likely it is that a call of a database fails: in most seeds seldom, in some often. */
const CALL_FAILS = { least: 0.0005, most: 0.006 };
/** How likely it is that a piece of what is sent is late, and by how much at most. */
const PIECE_IS_LATE = 0.002;
const LATEST = 3 * SECOND;
/** How far a clock that jumps is off at most: two of them stay within what signatures bear. */
const FARTHEST_JUMP = 2 * MINUTE;
/**
 * How long a bridge stands still. Where others go on, longer than its leases, so that they take over what it was doing;
 * else less than people wait.
 */
const STANDS_STILL = {
  besideOthers: { from: 65 * SECOND, to: 90 * SECOND },
  alone: { from: SECOND, to: 30 * SECOND },
};
/** How likely it is that a bridge goes on as soon as another has taken over a lane of it, and that the others die then. */
const GOES_ON_BEHIND = 0.6;
const SUCCESSORS_DIE = 0.5;
/** A lease lasts for a minute, and is renewed every twenty seconds: from here on one may end that nobody renews. */
const LEASES_LAST = 40 * SECOND;
const RENEWED_LEASE = 30 * SECOND;
const LOOKS_FOR_SUCCESSOR_EVERY = 25;

/** How Slack says that it refuses a token. */
const REFUSALS = ['token_revoked', 'invalid_auth', 'account_inactive'] as const;
/** It does so for up to half a minute. */
const REFUSED_LONGER = 4;

/** Lanes that somebody has claimed, or whose lease was renewed, a moment ago. */
const JUST_CLAIMED = `
  select from bridge.lane where leased_until > clock_timestamp() + interval '59 seconds'`;
/** The lanes whose leases nobody has renewed, with their fences. */
const NOTE_LANES = `
  drop table if exists simulation.unrenewed;
  create table simulation.unrenewed as select key, fence from bridge.lane
    where leased_until < clock_timestamp() + interval '${RENEWED_LEASE} milliseconds'`;
/** Those of them that somebody has claimed since. */
const TAKEN_OVER = `
  select from simulation.unrenewed as before join bridge.lane as now using (key)
  where now.fence > before.fence and now.leased_by is not null`;

const OTHER_FAULTS = [
  'a call of a database fails',
  'an answer of a database is lost',
  'a piece is late',
  'a bridge goes on behind its successor',
  'the successors of a bridge are killed',
] as const;
const ofModel = (behaviour: string) => `the model ${behaviour}`;
const FAULT_NAMES = [...PLANNED_FAULTS, ...OTHER_FAULTS, ...MODEL_FAULTS.map(ofModel)];
type Fault = PlannedFaultName | (typeof OTHER_FAULTS)[number];

/** The programs that these faults kill, as far as a seed has them. */
const KILLED = {
  'the bridge is killed': ['bridge'],
  'the second bridge is killed': ['second bridge'],
  'the third bridge is killed': ['third bridge'],
  'all bridges are down for long': BRIDGES,
} as const satisfies Partial<Record<Fault, readonly Name[]>>;

/** Lets people and faults act in a world, as a plan says, and judges what comes of it. */
export async function runSeed({ plan, ...parts }: SeedOptions): Promise<Outcome> {
  const { world } = parts;
  const seed = new Seed({ plan, ...parts });
  let trouble: Trouble[] = [];
  try {
    await seed.begin();
    for (const act of plan.acts) {
      await seed.act(act);
      // What may never be will not be put right: the story ends here.
      trouble = await seed.troubleNow();
      if (trouble.length > 0) break;
    }
    await seed.endFaults();
    if (trouble.length === 0) trouble = await seed.judge();
  } catch (error) {
    // What people do fails only where something is wrong, or never ends.
    seed.letCallsSucceed();
    trouble = [troubleOf('endless', error instanceof Error ? error.message : String(error))];
  }
  seed.close();
  const [dead] = world.loggedDead;
  if (dead !== undefined)
    trouble.push(troubleOf('endless', `the simulation let a killed program go on: ${dead}`));
  seed.tell(trouble.length === 0 ? 'all is as it must be' : 'something is wrong');
  const { story, faults, acts, outcomes, virtualMs } = seed;
  const trace = createHash('sha256')
    // A stack says where this checkout lies, and who ran the seed.
    .update(
      JSON.stringify([story, world.log], (key, value: unknown) => (key === 'stack' ? undefined : value)),
    )
    .digest('hex');
  return { story, trouble, trace, virtualMs, faults, acts, outcomes };
}

class Seed {
  readonly story: string[] = [];
  readonly faults = counters(FAULT_NAMES);
  readonly acts = counters(SEED_ACTS);
  outcomes: Record<string, number> = {};
  readonly #world: World;
  readonly #time: VirtualTime;
  readonly #network: Network;
  readonly #plan: Plan;
  readonly #bridges: readonly Name[];
  readonly #began: number;
  readonly #told: Story;
  readonly #workflows: Workflows;
  readonly #questions: Questions;
  readonly #model: Model;
  /** What decides who acts, and on which message: each act has its own. */
  #people: Chance;
  /** Whose turns the acts are; in those of presses nothing else happens. */
  readonly #conversations: Conversation[] = [];
  /** What finds what acts outside of conversations must have led to in the end. */
  readonly #ends: (() => Promise<Trouble[]>)[] = [];
  /** People are doing something, which fails where the service does. */
  #isActing = false;
  /** Programs that are down, or not ready again. */
  readonly #down = new Set<Name>();
  /** Until when some program stands still, and how long one did at most. */
  #standsUntil = 0;
  #stoodFor = 0;

  constructor({ world, time, network, plan }: SeedOptions) {
    this.#world = world;
    this.#time = time;
    this.#network = network;
    this.#plan = plan;
    this.#began = time.now;
    this.#bridges = BRIDGES.slice(0, plan.bridges);
    this.#people = new Chance(plan.opening);
    this.#told = new Story(
      { chat: world.chat, service: world.client, serviceUrl: world.serviceUrl },
      () => this.#people.next(),
      (what) => this.tell(what),
    );
    this.#workflows = new Workflows(world, (what) => this.tell(what));
    this.#questions = new Questions(world, (what) => this.tell(what));
    this.#model = new Model(new Chance(plan.failingModel ?? 0), (behaviour) =>
      this.#count(ofModel(behaviour)),
    );
  }

  get virtualMs(): number {
    return this.#time.now - this.#began;
  }

  tell(what: string): void {
    this.story.push(`${(this.virtualMs / SECOND).toFixed(1)} s: ${what}`);
  }

  async begin(): Promise<void> {
    const { skews, chaos, workflows, failingModel } = this.#plan;
    for (const name of ['sandbox', 'service', ...this.#bridges] as const) {
      const ms = skews[name];
      if (ms !== undefined) {
        this.#world.setClock(name, ms);
        this.tell(`the clock of the ${name} is off by ${ms} ms`);
      }
      await this.#time.whileRunning(this.#start(name), `the start of the ${name}`);
    }
    this.tell(`there are ${this.#bridges.length} bridges`);
    await this.#time.whileRunning(this.#model.listen(MODEL_PORT), 'the start of the model');
    await this.#time.whileRunning(this.#told.prepare(), 'what is needed for acts');
    await this.#time.whileRunning(this.#questions.prepare(), 'an AI agent');
    for (const user of HOME_OF)
      await this.#time.whileRunning(this.#world.chat.post('open-home', { user }), `the Home of ${user}`);
    for (const { count, ...kind } of CONVERSATIONS)
      for (let n = 0; n < count; n++) {
        const begin = this.#told.begin(kind);
        this.#conversations.push(await this.#time.whileRunning(begin, 'a request'));
      }
    if (workflows !== undefined) {
      this.#told.keepFromRequesters(WORDS.remark);
      const activate = this.#workflows.activate(workflows, this.#conversations);
      await this.#time.whileRunning(activate, 'the activation of workflows');
    }
    this.#letCallsFail();
    this.#model.setWell(failingModel === undefined);
    if (chaos === undefined) return;
    await this.#time.whileRunning(
      this.#world.chat.post('chaos', { ...chaos, drops: true }),
      'the faults of Slack',
    );
    this.tell(`Slack fails at an intensity of ${chaos.intensity.toFixed(2)}`);
  }

  /** One act of people, and the faults that fall meanwhile. */
  async act({ index, what, where, seed, pauseMs, faults }: PlannedAct): Promise<void> {
    for (const fault of faults) await this.#fail(fault);
    if (what === undefined && faults.length === 0) return;
    if (what !== undefined) {
      this.#people = new Chance(seed);
      const number = numberOfAct(index);
      this.#told.numberFrom(number);
      await this.#whileActing(() => this.#do(what, where, number));
    }
    await this.#pass(pauseMs);
  }

  async #do(what: SeedAct, where: number, number: number): Promise<void> {
    this.acts[what] = (this.acts[what] ?? 0) + 1;
    if (what === 'erase a requester') {
      this.tell(what);
      this.#ends.push(await this.#time.whileRunning(eraseRequester(this.#world, number), what));
      return;
    }
    if (what === 'answer a ticket from outside') {
      this.tell(what);
      const act = answerOutsideTicket(this.#world, this.#people, number, () => this.#leaveForAWhile());
      this.#ends.push(await this.#time.whileRunning(act, what));
      return;
    }
    if (what === 'ask an AI agent') {
      this.tell(what);
      await this.#time.whileRunning(this.#questions.ask(this.#people, number), what);
      return;
    }
    if (what === 'rate an answer') {
      this.tell(what);
      await this.#time.whileRunning(this.#questions.rate(this.#people), what);
      return;
    }
    if (what === 'create and rename') {
      this.tell(what);
      if (this.#people.happens(FIRST_CARD_IS_UNCERTAIN)) await this.#loseAnswerOfPost();
      await this.#time.whileRunning(this.#told.createAndRename(), what);
      return;
    }
    const conversation = isPress(what) ? await this.#newRequest() : this.#conversationFor(what, where);
    this.tell(`${what}, in ${conversation.ticketId}`);
    if (isWorkflowAct(what)) {
      const act = this.#workflows.act(what, conversation, this.#people);
      await this.#time.whileRunning(act, what);
      return;
    }
    if (what === 'edit twice' && this.#people.happens(FIRST_EDIT_IS_LATE)) {
      await this.#editTwiceInOtherOrder(conversation);
      return;
    }
    if (what === 'change the card') this.#workflows.titled(conversation);
    await this.#time.whileRunning(this.#told.act(what, conversation), what);
  }

  /** The event of the first edit, or another one that Slack sends first, comes after that of the second. */
  async #editTwiceInOtherOrder(conversation: Conversation): Promise<void> {
    const { id: channel } = DEMO.channels.itHelp;
    await this.#letSlackFail({
      events: [{ kind: 'delay', event: 'message', channel, ms: 3 * ANOTHER_SECOND }],
    });
    const line = await this.#time.whileRunning(this.#told.edit(conversation), 'the first edit');
    await this.#pass(ANOTHER_SECOND);
    await this.#time.whileRunning(this.#told.edit(conversation, line), 'the second edit');
  }

  /** Slack does the next post in the channel of requesters, and its answer is lost. */
  async #loseAnswerOfPost(): Promise<void> {
    const { id: channel } = DEMO.channels.itHelp;
    await this.#letSlackFail({ faults: [{ method: 'chat.postMessage', kind: 'answer_lost', channel }] });
  }

  /** Often no bridge runs for some seconds from now on. */
  #leaveForAWhile(): void {
    if (!this.#people.happens(NO_BRIDGE_MEANWHILE)) return;
    this.#kill(BRIDGES, AWAY_FOR, 'all bridges are down for long');
  }

  async #letSlackFail(faults: object): Promise<void> {
    await this.#time.whileRunning(this.#world.chat.post('faults', faults), 'a fault of Slack');
  }

  #conversationFor(what: SeedAct, where: number): Conversation {
    const moves = (MOVING_ACTS as readonly string[]).includes(what);
    // A workflow may set the status of a ticket that it is run on, which would undo a merge.
    const stays = isWorkflowAct(what);
    const possible = this.#conversations.filter(({ isMoving, staysApart }) =>
      isMoving ? !stays && !(staysApart && what === 'merge') : !moves,
    );
    const unanswered = possible.filter(({ isMoving, ended }) => !isMoving && ended?.isReplied === false);
    if (what === 'reply' && unanswered.length > 0 && this.#people.happens(REPLIES_TO_AN_END))
      return this.#people.oneOf(unanswered);
    const apart = this.#conversations.filter(({ staysApart }) => staysApart);
    if (CHANGES_READERS.includes(what) && this.#people.happens(READERS_CHANGE_APART))
      return this.#people.oneOf(apart);
    // Acts of different kinds are in the same conversation where they may be.
    const at = Math.floor(where * this.#conversations.length);
    const chosen = this.#conversations[at];
    const other = possible[at % possible.length];
    if (!chosen || !other) throw new Error(`there is no conversation for: ${what}`);
    return possible.includes(chosen) ? chosen : other;
  }

  /** The service's database fails meanwhile only for others. */
  async #whileActing<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#isActing = true;
    const result = await work();
    this.#isActing = false;
    return result;
  }

  /** Starts a conversation of its own, and waits until the team sees it, too, and all replies are on its ticket. */
  async #newRequest(): Promise<Conversation> {
    const conversation = await this.#time.whileRunning(this.#told.begin(), 'a request');
    await this.#time.whileRunning(this.#told.seenByTeam(conversation), 'the card of a request');
    await this.#time.whileRunning(this.#told.arrived(conversation), 'the replies to a request');
    return conversation;
  }

  /** What breaks a promise that holds at any moment. */
  async troubleNow(): Promise<Trouble[]> {
    return troublesOf(await this.#time.whileRunning(this.#told.troubleNow(), 'a look at chat'));
  }

  /** From now on no call of the databases fails, and nothing is late. */
  letCallsSucceed(): void {
    this.#network.delay = () => 0;
    const { service, bridge } = this.#world.databases;
    for (const database of [service, bridge]) database.failing = () => undefined;
  }

  async endFaults(): Promise<void> {
    this.letCallsSucceed();
    this.#model.setWell(true);
    const did = await this.#time.whileRunning(this.#world.chat.randomFaultCounts(), 'the faults of Slack');
    for (const [fault, times] of Object.entries(did)) this.faults[`Slack: ${fault}`] = times;
    await this.#time.whileRunning(this.#world.chat.post('clear-faults', {}), 'the end of the faults');
    this.tell('no more faults');
  }

  close(): void {
    this.#model.close();
  }

  /** What is wrong once everything has settled, and after that; empty if all is well. */
  async judge(): Promise<Trouble[]> {
    for (const look of [
      () => this.#settled(),
      () => this.#troublesOfLastWords(),
      () => this.#settled(),
      () => this.#lastingTroubles(),
    ]) {
      const trouble = await look();
      if (trouble.length > 0) return trouble;
    }
    return [];
  }

  /** Waits until nothing differs from the expected end; what does even then. */
  async #settled(): Promise<Trouble[]> {
    const deadline = this.#time.now + SETTLES_WITHIN;
    let trouble = [troubleOf('endless', 'the programs do not start')];
    for (let pause = LOOK_AFTER; trouble.length > 0 && this.#time.now < deadline; pause *= LOOKS_LATER) {
      await this.#pass(pause);
      if (this.#down.size > 0 || this.#time.now < this.#standsUntil) continue;
      await this.#time.whileRunning(this.#workflows.decideAll(), 'what was to be approved');
      trouble = await this.#troubles();
    }
    return trouble;
  }

  /**
   * Now that all is quiet, a ticket is done, one waits, one may be merged, and requesters say one more thing: that has to
   * cross, and to open both, before a comparison could find it. So has an edit where a ticket was opened again. Workflows may answer it, in channels that get one post a second.
   */
  async #troublesOfLastWords(): Promise<Trouble[]> {
    if (this.#plan.workflows !== undefined) return [];
    // By then no program that was killed has a lease any more.
    await this.#pass(MINUTE);
    this.#told.numberFrom(numberOfAct(this.#plan.acts.length));
    const [done, waiting] = this.#conversations.filter(({ isMoving }) => !isMoving);
    const merged = this.#conversations.find(
      ({ isMoving, staysApart, isMerged }) => isMoving && !staysApart && !isMerged,
    );
    for (const [what, conversation] of [
      ['close', done],
      ['wait for the requester', waiting],
      ['merge', merged],
      ['write a note', merged],
    ] as const) {
      if (!conversation) continue;
      this.tell(`${what}, in ${conversation.ticketId}`);
      await this.#time.whileRunning(this.#told.act(what, conversation), what);
    }
    let late = await this.#lateWithin(CROSSES_WITHIN);
    if (late.length > 0) return late;
    this.tell('requesters say one more thing');
    const speaking = withoutMerged(this.#world, this.#conversations);
    const repliedIn = await this.#time.whileRunning(speaking, 'the end of merges');
    for (const conversation of repliedIn)
      await this.#time.whileRunning(this.#told.replyOfRequester(conversation), 'a last reply');
    late = await this.#lateWithin(CROSSES_WITHIN);
    if (late.length > 0) return late;
    // The ticket was opened again by then, and nobody works on it.
    if (done) await this.#time.whileRunning(this.#told.act('edit', done), 'a last edit');
    late = await this.#lateWithin(CROSSES_WITHIN);
    if (late.length > 0) return late;
    const found = await this.troubleNow();
    for (const conversation of this.#conversations) {
      const troubles = await this.#time.whileRunning(this.#told.trouble(conversation), 'the judge');
      found.push(...troublesOf(troubles, `${conversation.ticketId}, at the end: `));
    }
    const missing = missingWhereMerged(this.#world, this.#conversations, repliedIn);
    return [...found, ...(await this.#time.whileRunning(missing, 'the judge'))];
  }

  /** What is not as both sides must be in the end; once that is all well, what their history says. */
  async #troubles(): Promise<Trouble[]> {
    const found = await this.troubleNow();
    for (const each of this.#told.conversations) {
      const troubles = await this.#time.whileRunning(this.#told.trouble(each), 'the judge');
      found.push(...troublesOf(troubles, `${each.ticketId}: `));
    }
    const together = await this.#time.whileRunning(this.#told.troubleOfMoving(), 'the judge');
    found.push(...troublesOf(together));
    const search = foundByOthers(this.#world.client, this.#told.conversations);
    found.push(...(await this.#time.whileRunning(search, 'the search of somebody else')));
    for (const trouble of this.#ends)
      found.push(...(await this.#time.whileRunning(trouble(), 'the end of an act')));
    this.outcomes = {};
    for (const judge of [() => this.#workflows.judge(this.#conversations), () => this.#questions.judge()]) {
      const { trouble, outcomes } = await this.#time.whileRunning(judge(), 'a judge');
      Object.assign(this.outcomes, outcomes);
      found.push(...trouble);
    }
    if (found.length === 0) found.push(...(await this.#troublesOfHistory()));
    return found;
  }

  /** What nothing puts right any more once both sides are the same. */
  async #lastingTroubles(): Promise<Trouble[]> {
    const { chat, databases } = this.#world;
    const found = await this.#time.whileRunning(toldTwice(chat), 'what people were told');
    found.push(...(await this.#time.whileRunning(staleHomes(chat), 'the Homes')));
    const older = olderStates(chat, databases);
    found.push(
      ...(await this.#time.whileRunning(older, 'older states')).map((what) => troubleOf('different', what)),
    );
    const records = troubleOfRecords(this.#world, this.#told.conversations);
    found.push(...(await this.#time.whileRunning(records, 'the clocks and counts')));
    // Nobody does anything, so nothing waits behind something else.
    found.push(...(await this.#lateWithin(LATE_WORK_SHOWS_WITHIN)));
    const ended = await this.#time.whileRunning(outcomesIn(this.#world), 'how all has ended');
    Object.assign(this.outcomes, ended);
    return found;
  }

  /** Lets time pass, until it is over or some work is late. */
  async #lateWithin(ms: number): Promise<Trouble[]> {
    let late: string[] = [];
    for (const end = this.#time.now + ms; late.length === 0 && this.#time.now < end;) {
      await this.#pass(SECOND);
      late = await this.#time.whileRunning(lateWork(this.#world.databases), 'what is due');
    }
    return late.map((what) => troubleOf('endless', what));
  }

  async #troublesOfHistory(): Promise<Trouble[]> {
    const { chat, client: service } = this.#world;
    const environment = this.#world.environmentOf('bridge');
    const sides = historyOf({ chat, service, environment, replicas: this.#bridges.length > 1 });
    const { chat: shown, tickets } = await this.#time.whileRunning(sides, 'the history');
    // Between its turn to post and its call, a bridge waits for pieces that may be late, or stands still.
    const inChat = { ...shown, onTheWayMs: SECOND + Math.max(LATEST, this.#stoodFor) };
    return [...checkHistory(inChat, tickets), ...checkReaders(inChat, tickets)].map(({ kind, of, what }) =>
      troubleOf(kind, `${of}: ${what}`),
    );
  }

  /** From now on calls of the databases fail now and then, and what is sent is late. */
  #letCallsFail(): void {
    const { failingCalls, latePieces } = this.#plan;
    if (failingCalls !== undefined) {
      const fate = new Chance(failingCalls);
      const { least, most } = CALL_FAILS;
      const fails = least * (most / least) ** fate.next();
      this.tell(`of 10 000 calls of a database ${Math.round(fails * 10_000)} fail`);
      const failing = (): Failure | undefined => {
        if (!fate.happens(fails)) return undefined;
        const failure = fate.happens(0.5) ? 'refused' : 'answer lost';
        this.#count(failure === 'refused' ? 'a call of a database fails' : 'an answer of a database is lost');
        return failure;
      };
      const { bridge, service } = this.#world.databases;
      bridge.failing = failing;
      service.failing = () => (this.#isActing ? undefined : failing());
    }
    if (latePieces === undefined) return;
    const fate = new Chance(latePieces);
    this.#network.delay = (to) => {
      // Posts that are late on their way would come closer to one another than they were sent. People and judges are no
      // programs.
      if (!to || to.name === 'sandbox' || !fate.happens(PIECE_IS_LATE)) return 0;
      this.#count('a piece is late');
      return fate.next() * LATEST;
    };
  }

  async #fail({ fault, laterMs, downMs, seed }: PlannedFault): Promise<void> {
    switch (fault) {
      case 'the service is killed':
        this.#kill(['service'], downMs, fault);
        while (this.#down.has('service')) await this.#pass(SECOND);
        return;
      case 'connections of the service are cut':
        // Not while people act: what they do would have to be done again.
        this.#cut('service', fault, seed);
        await this.#pass(SECOND);
        return;
      case 'connections of the bridge are cut':
        this.#time.after(laterMs, () => this.#cut('bridge', fault, seed));
        return;
      case 'the clock of the service jumps':
        this.#time.after(laterMs, () => this.#jump('service', fault, new Chance(seed)));
        return;
      case 'the clock of a bridge jumps': {
        const chance = new Chance(seed);
        this.#time.after(laterMs, () => this.#jump(chance.oneOf(this.#bridges), fault, chance));
        return;
      }
      case 'Slack refuses the token': {
        const error = new Chance(seed).oneOf(REFUSALS);
        const seconds = Math.ceil((REFUSED_LONGER * downMs) / SECOND) + 1;
        this.#count(fault);
        this.tell(`… ${error}, for ${seconds} s`);
        const refuse = this.#world.chat.post('faults', { method: '*', kind: 'error', error, seconds });
        await this.#time.whileRunning(refuse, fault);
        return;
      }
      case 'a bridge stands still': {
        const chance = new Chance(seed);
        const isBesideOthers = this.#bridges.length > 1;
        const { from, to } = isBesideOthers ? STANDS_STILL.besideOthers : STANDS_STILL.alone;
        const ms = Math.round(from + chance.next() * (to - from));
        const [isBehind, theyDie] = [chance.happens(GOES_ON_BEHIND), chance.happens(SUCCESSORS_DIE)];
        const { bridge } = this.#world.databases;
        const stand = (program: Program) => {
          // It has just claimed something that others can take over, as far as one can see.
          if (isBesideOthers && !bridge.finds(JUST_CLAIMED)) {
            bridge.afterTransaction(stand);
            return;
          }
          this.#standStill(program, ms, fault);
          if (isBesideOthers && isBehind) this.#goOnBehindSuccessor(program, theyDie ? downMs : undefined);
        };
        this.#time.after(laterMs, () => bridge.afterTransaction(stand));
        return;
      }
      default:
        this.#time.after(laterMs, () => this.#kill(KILLED[fault], downMs, fault));
    }
  }

  #count(fault: string): void {
    this.faults[fault] = (this.faults[fault] ?? 0) + 1;
    this.tell(fault);
  }

  #cut(name: Name, fault: Fault, seed: number): void {
    if (this.#down.has(name)) return;
    this.#count(fault);
    this.#world.cut(name, new Chance(seed));
  }

  #jump(name: Name, fault: Fault, chance: Chance): void {
    const aheadMs = Math.round((chance.next() * 2 - 1) * FARTHEST_JUMP);
    this.#count(fault);
    this.tell(`… that of the ${name} is off by ${aheadMs} ms`);
    this.#world.setClock(name, aheadMs);
  }

  /** It has just ended a transaction: in the midst of one, it would hold up the one session of all. */
  #standStill(program: Program, ms: number, fault: Fault): void {
    this.#count(fault);
    this.tell(`… the ${program.name}, for ${(ms / SECOND).toFixed(1)} s`);
    program.standsUntil = this.#time.now + ms;
    const goOn = () => {
      // Not if it went on sooner, and stands still again.
      if (this.#time.now >= program.standsUntil) this.#goOn(program);
    };
    outsidePrograms(() => this.#time.at(program.standsUntil, goOn));
    this.#standsUntil = Math.max(this.#standsUntil, program.standsUntil);
    this.#stoodFor = Math.max(this.#stoodFor, ms);
  }

  #goOn(program: Program): void {
    program.standsUntil = 0;
    this.#world.databases.bridge.goOn();
  }

  /**
   * Lets a bridge that stands still go on sooner: right after another has taken over a lane of it, in the midst of whose
   * work both are then.
   * @param downMs the others are killed at the same moment, for so long; undefined: they live.
   */
  #goOnBehindSuccessor(program: Program, downMs: number | undefined): void {
    const { bridge } = this.#world.databases;
    const latest = program.standsUntil;
    const isOver = () => program.isKilled || this.#time.now >= latest;
    const goOnOnceTakenOver = () => {
      if (isOver()) return;
      if (!bridge.finds(TAKEN_OVER)) {
        this.#lookAgain(program, latest, goOnOnceTakenOver);
        return;
      }
      this.#count('a bridge goes on behind its successor');
      const others = this.#bridges.filter((name) => name !== program.name);
      if (downMs !== undefined) this.#kill(others, downMs, 'the successors of a bridge are killed');
      this.#goOn(program);
    };
    const noteItsLanes = () => {
      if (isOver()) return;
      this.#lookAgain(program, latest, bridge.run(NOTE_LANES) ? goOnOnceTakenOver : noteItsLanes);
    };
    program.standsUntil = this.#time.now + LEASES_LAST;
    outsidePrograms(() => this.#time.at(program.standsUntil, noteItsLanes));
  }

  /** What waits for a program that stands still waits until the next look. */
  #lookAgain(program: Program, latest: number, look: () => void): void {
    program.standsUntil = Math.min(latest, this.#time.now + LOOKS_FOR_SUCCESSOR_EVERY);
    outsidePrograms(() => this.#time.at(program.standsUntil, look));
  }

  /** Kills those of these programs that run: not every seed has all bridges. */
  #kill(names: readonly Name[], downMs: number, fault: Fault): void {
    const there: readonly Name[] = ['service', ...this.#bridges];
    const killed = names.filter((name) => there.includes(name) && !this.#down.has(name));
    if (killed.length === 0) return;
    this.#count(fault);
    for (const name of killed) {
      this.#down.add(name);
      this.#world.kill(name);
      this.#time.after(downMs, () => this.#startAgain(name));
    }
  }

  #startAgain(name: Name): void {
    this.tell(`the ${name} starts again`);
    this.#start(name).then(
      () => this.#down.delete(name),
      (error: unknown) => this.#failed(name, error),
    );
  }

  /** Starts a program. It may still end later: where Slack refuses the token once it is reached, for example. */
  async #start(name: Name): Promise<void> {
    const { failed } = await this.#world.start(name);
    failed.catch((error: unknown) => this.#failed(name, error));
  }

  /** A program ended by itself: what keeps programs running starts it again. */
  #failed(name: Name, error: unknown): void {
    this.tell(`the ${name} could not start: ${String(error)}`);
    this.#down.add(name);
    this.#world.kill(name);
    this.#time.after(SECOND, () => this.#startAgain(name));
  }

  async #pass(ms: number): Promise<void> {
    await this.#time.run(() => false, this.#time.now + ms);
  }
}

const counters = (names: readonly string[]): Record<string, number> =>
  Object.fromEntries(names.map((name) => [name, 0]));

const troublesOf = (differences: readonly Difference[], where = ''): Trouble[] =>
  differences.map(({ kind, what }) => troubleOf(kind, `${where}${what}`));
