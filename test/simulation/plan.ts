import type { Press } from '../drills/harness/presses.ts';
import type { Act } from '../drills/harness/story.ts';
import type { TeamAct } from '../drills/harness/team-acts.ts';
import { Chance } from './chance.ts';
import type { WorkflowAct } from './workflow-acts.ts';
import type { Name } from './world.ts';

/** What people do. Files need threads and codecs of the system, and are left to the drills. */
export type SeedAct =
  | Exclude<Act, 'create' | 'reply with a file' | 'answer with a picture'>
  | Press
  | TeamAct
  | WorkflowAct
  | 'erase a requester'
  | 'answer a ticket from outside'
  | 'ask an AI agent'
  | 'rate an answer';

const SECOND = 1_000;

/** How likely each act of people is. */
const ACTS: Readonly<Record<Exclude<SeedAct, Press>, number>> = {
  'create and rename': 1,
  reply: 6,
  edit: 2,
  'edit twice': 1.5,
  delete: 1,
  react: 2,
  answer: 6,
  'edit answer': 2,
  'edit answer twice': 1,
  'delete answer': 1,
  'react at the desk': 3,
  'change the card': 2,
  'write a note': 3,
  'edit a note': 1.5,
  'delete a note': 0.7,
  'wait for the requester': 1,
  close: 1,
  merge: 1.5,
  'undo a merge': 1.2,
  move: 2,
  'make private': 1.2,
  'make public': 1.2,
  'erase a requester': 0.4,
  'answer a ticket from outside': 1,
  'ask an AI agent': 1.5,
  'rate an answer': 0.7,
  'run a workflow': 1.5,
  'publish a workflow': 0.5,
  'see to a run': 0.8,
  decide: 0.5,
};

/** How likely each press is among presses. Each is in a conversation of its own, which no other act changes. */
const PRESSES: Readonly<Record<Press, number>> = {
  'submit a form': 1,
  'submit a form on a message': 1,
  'submit a form at the desk': 1,
  'choose a status': 2,
  approve: 2,
  rate: 2,
  note: 2,
  'send to requester': 2,
};
/** How likely it is that an act is in the conversation of the act before: what one makes of the other shows only there. */
const STAYS = 0.3;
/** How many of the acts are presses. */
const PRESSED = 0.08;

/** All acts that a seed may draw. */
export const SEED_ACTS = [...Object.keys(ACTS), ...Object.keys(PRESSES)] as SeedAct[];

/** How likely each fault is at an act; what Slack does besides is drawn by the sandbox. */
const FAULTS = {
  'the bridge is killed': 0.06,
  'the second bridge is killed': 0.06,
  'the third bridge is killed': 0.06,
  'all bridges are down for long': 0.02,
  'the service is killed': 0.03,
  'connections of the bridge are cut': 0.08,
  'connections of the service are cut': 0.04,
  'the clock of the service jumps': 0.015,
  'the clock of a bridge jumps': 0.03,
  'Slack refuses the token': 0.015,
  'a bridge stands still': 0.02,
};
export type PlannedFaultName = keyof typeof FAULTS;
export const PLANNED_FAULTS = Object.keys(FAULTS) as PlannedFaultName[];

/** How likely so many bridges are. */
const BRIDGES = { '1': 5, '2': 3, '3': 2 };
/** How likely it is that a program's clock is off, and how far at most, in either direction. */
const IS_SKEWED = 0.3;
const MOST_SKEW = SECOND;
/** Programs whose clocks may be off, in the order in which they start. */
const SKEWED = ['service', 'bridge', 'second bridge', 'third bridge'] as const satisfies readonly Name[];
/** How likely it is that workflows run. */
const HAS_WORKFLOWS = 0.6;
const MOST_INTENSITY = 0.5;
const MOST_PAUSE = 10 * SECOND;

/** A fault that falls at an act. */
export interface PlannedFault {
  fault: PlannedFaultName;
  laterMs: number;
  /** After this time a program that was killed starts again. */
  downMs: number;
  /** Begins the chance that decides the rest of it. */
  seed: number;
}

export interface PlannedAct {
  index: number;
  /** Undefined if it is left out. */
  what: SeedAct | undefined;
  /** Which of the conversations it is in, from 0 up to 1. */
  where: number;
  /** Begins the chance that decides the rest of it: who acts, and on which message. */
  seed: number;
  pauseMs: number;
  faults: readonly PlannedFault[];
}

/** What a seed draws before anything happens. */
export interface Plan {
  bridges: number;
  /** By how many milliseconds clocks are ahead. */
  skews: Partial<Record<Name, number>>;
  /** Undefined: Slack makes no mistakes. */
  chaos: { seed: number; intensity: number } | undefined;
  /** Begins the chance by which calls of databases fail; undefined: none does. */
  failingCalls: number | undefined;
  /** Begins the chance by which pieces of what is sent are late; undefined: none is. */
  latePieces: number | undefined;
  /** Begins the chance of the conversations that are there before the first act. */
  opening: number;
  /** Begins the chance of its workflows; undefined: there are none. */
  workflows: number | undefined;
  /** Begins the chance by which the model of AI agents fails; undefined: it answers. */
  failingModel: number | undefined;
  acts: readonly PlannedAct[];
}

/** What can be left out besides acts and the faults that fall at them. */
const BACKGROUND = {
  'the faults of Slack': (plan: Plan): Plan => ({ ...plan, chaos: undefined }),
  'calls of databases that fail': (plan: Plan): Plan => ({ ...plan, failingCalls: undefined }),
  'pieces that are late': (plan: Plan): Plan => ({ ...plan, latePieces: undefined }),
  'clocks that are off': (plan: Plan): Plan => ({ ...plan, skews: {} }),
  'the faults of the model': (plan: Plan): Plan => ({ ...plan, failingModel: undefined }),
  workflows: (plan: Plan): Plan => ({ ...plan, workflows: undefined }),
  'further bridges': (plan: Plan): Plan => ({ ...plan, bridges: 1 }),
};

/**
 * Draws what happens from a seed. Each act has a chance of its own, from the seed and its number: whatever is left out, the
 * others draw the same.
 */
export function drawPlan(seed: number, actions: number): Plan {
  const background = chanceOf(seed, 0);
  const below = () => background.below(2 ** 32);
  const bridges = Number(background.weighted(BRIDGES));
  const skews: Plan['skews'] = {};
  for (const name of SKEWED) {
    const [isSkewed, ms] = [
      background.happens(IS_SKEWED),
      Math.round((background.next() * 2 - 1) * MOST_SKEW),
    ];
    if (isSkewed) skews[name] = ms;
  }
  return {
    bridges,
    skews,
    chaos: { seed: below(), intensity: background.next() * MOST_INTENSITY },
    failingCalls: below(),
    latePieces: below(),
    opening: below(),
    workflows: background.happens(HAS_WORKFLOWS) ? below() : undefined,
    failingModel: below(),
    acts: drawActs(seed, actions),
  };
}

function drawActs(seed: number, actions: number): PlannedAct[] {
  const acts: PlannedAct[] = [];
  for (let index = 0; index < actions; index++) {
    const chance = chanceOf(seed, index + 1);
    const act = drawAct(chance, index);
    const before = acts.at(-1);
    acts.push(before && chance.happens(STAYS) ? { ...act, where: before.where } : act);
  }
  return acts;
}

function drawAct(chance: Chance, index: number): PlannedAct {
  const [isPress, act, press] = [
    chance.happens(PRESSED),
    chance.weighted<Exclude<SeedAct, Press>>(ACTS),
    chance.weighted<Press>(PRESSES),
  ];
  const faults = PLANNED_FAULTS.flatMap((fault): PlannedFault[] => {
    const falls = chance.happens(FAULTS[fault]);
    const [laterMs, down, seed] = [chance.next() * 2 * SECOND, chance.next(), chance.below(2 ** 32)];
    const downMs = fault === 'all bridges are down for long' ? (10 + 20 * down) * SECOND : down * 8 * SECOND;
    return falls ? [{ fault, laterMs, downMs, seed }] : [];
  });
  return {
    index,
    what: isPress ? press : act,
    where: chance.next(),
    seed: chance.below(2 ** 32),
    // People often act while others' words are still on their way.
    pauseMs: chance.next() ** 3 * MOST_PAUSE,
    faults,
  };
}

/** The golden ratio keeps neighbouring seeds and acts apart. */
const chanceOf = (seed: number, place: number) => new Chance(seed ^ Math.imul(place, 0x9e37_79b1));

const nameOfAct = ({ index, what }: PlannedAct) => `act ${index + 1}, ${what ?? 'nothing'}`;
const nameOfFault = ({ index }: PlannedAct, { fault }: PlannedFault) => `${fault}, at act ${index + 1}`;

/** The names of all that can be left out of a plan: what goes on all the time, faults, and acts. */
export function partsOf({ acts }: Plan): string[] {
  return [
    ...Object.keys(BACKGROUND),
    ...acts.flatMap((act) => act.faults.map((fault) => nameOfFault(act, fault))),
    ...acts.map(nameOfAct),
  ];
}

/** The same plan without these parts. */
export function leftOut(plan: Plan, parts: ReadonlySet<string>): Plan {
  const acts = plan.acts.map((act) => ({
    ...act,
    what: parts.has(nameOfAct(act)) ? undefined : act.what,
    faults: act.faults.filter((fault) => !parts.has(nameOfFault(act, fault))),
  }));
  return Object.entries(BACKGROUND)
    .filter(([name]) => parts.has(name))
    .reduce<Plan>((left, [, leaveOut]) => leaveOut(left), { ...plan, acts });
}
