import type { Priority } from '../../contract/index.ts';
import { DEMO_STORIES, type DemoStory } from './stories.ts';
import type { DemoTicket } from './tickets.ts';

const HOUR = 60;
const DAY = 24 * HOUR;
/** A weekend's move to the Friday before, so the oldest is from 90 days ago. */
const DAYS = 88;
const OPENS_AT = 8;
const CLOSES_AT = 18;
/** A conversation's next turn comes after 10 minutes to 6 hours. */
const PAUSE = { least: 10, most: 6 * HOUR };
/** A ticket that is younger is still worked on: its target for the resolution lies ahead, or has just passed. */
const WORKED_FOR: Record<Priority, number> = {
  URGENT: 4 * HOUR,
  HIGH: 1.5 * DAY,
  MEDIUM: 4 * DAY,
  LOW: 7 * DAY,
  NO_PRIORITY: 7 * DAY,
};
/** A desk closes what its requester has left for this long. */
const LEFT_FOR = 10 * DAY;
/** A desk closes what has been done for this long. */
const CLOSED_AFTER = 3 * DAY;

/** Colleagues who ask but do not chat in the sandbox. */
export const DEMO_COLLEAGUES = [
  ['lena', 'Lena', 'Hoffmann'],
  ['tariq', 'Tariq', 'Aziz'],
  ['chloe', 'Chloé', 'Martin'],
  ['diego', 'Diego', 'Suárez'],
  ['amara', 'Amara', 'Nwosu'],
  ['yuki', 'Yuki', 'Tanaka'],
  ['erik', 'Erik', 'Dahl'],
  ['priya', 'Priya', 'Raman'],
  ['jonas', 'Jonas', 'Weber'],
  ['olivia', 'Olivia', 'Grant'],
] as const;

type Random = () => number;

/** A small deterministic random generator (mulberry32): every demo has the same data. */
function fixedRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const SEED = 20_261_120;

/** `count` tickets of the last 90 days, the same ones every time, on working days and in working hours. */
export function demoHistory(count: number, now: Date): DemoTicket[] {
  return Array.from({ length: count }, (_, index) => {
    // Each ticket has its own generator: an unfinished story uses fewer numbers, which must not change the others.
    const random = fixedRandom(SEED + index);
    const story = pick(DEMO_STORIES, random);
    return ticketFrom(story, openedMinutesAgo(index / count, now, random), random);
  });
}

/** Spreads tickets from oldest to newest, with more each week; those of a weekend move to the Friday before. */
function openedMinutesAgo(part: number, now: Date, random: Random): number {
  const daysAgo = Math.ceil((1 - part) ** 1.4 * DAYS);
  const hours = OPENS_AT + random() * (CLOSES_AT - OPENS_AT);
  const time = new Date(now.getTime() - daysAgo * DAY * 60_000);
  const weekend = { 6: 1, 0: 2 }[time.getUTCDay()] ?? 0;
  time.setUTCHours(0, Math.floor(hours * 60), 0, 0);
  return Math.round((now.getTime() - time.getTime()) / 60_000) + weekend * DAY;
}

function ticketFrom(story: DemoStory, minutesAgo: number, random: Random): DemoTicket {
  const words = Object.fromEntries(
    Object.entries(story.words).map(([name, all]) => [name, pick(all, random)]),
  );
  const fill = (text: string) =>
    capitalised(text.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => words[name] ?? ''));
  const requester = random() < 0.3 ? pick(['ada', 'ben'], random) : pick(DEMO_COLLEAGUES, random)[0];
  // Mira handles People requests alone and helps Sam with IT.
  const isHelped = random() >= 0.7;
  const assignee = story.queue === 'PPL' || isHelped ? 'mira' : 'sam';
  // One in nine of the old tickets was abandoned half way.
  const part = random();
  const turns =
    minutesAgo < WORKED_FOR[story.priority]
      ? story.turns.slice(0, Math.max(1, Math.min(part < 0.35 ? 1 : 2, story.turns.length - 1)))
      : part < 0.11
        ? story.turns.slice(0, 1)
        : story.turns;
  let at = minutesAgo;
  const messages: DemoTicket['messages'][number][] = [];
  for (const [speaker, text] of turns) {
    at -= PAUSE.least + Math.floor(random() ** 2 * (PAUSE.most - PAUSE.least));
    if (at <= 0) break;
    messages.push({
      from: speaker === 'requester' ? requester : assignee,
      text: fill(text),
      minutesAgo: at,
      ...(speaker === 'note' && { private: true }),
    });
  }
  const finished = messages.length === story.turns.length;
  const score = random();
  return {
    queue: story.queue,
    title: fill(story.title),
    description: fill(story.description),
    priority: story.priority,
    requester,
    ...(messages.length > 0 && { assignee }),
    status: statusOf(messages, minutesAgo, { finished, requester }),
    minutesAgo,
    messages,
    requestType: story.requestType,
    tags: story.tags,
    ...(finished && random() < 0.35 && { rating: score < 0.7 ? 5 : score < 0.9 ? 4 : 2 }),
  };
}

function statusOf(
  messages: DemoTicket['messages'],
  minutesAgo: number,
  { finished, requester }: { finished: boolean; requester: string },
): NonNullable<DemoTicket['status']> {
  const last = messages.at(-1);
  if (finished) return (last?.minutesAgo ?? minutesAgo) > CLOSED_AFTER ? 'Closed' : 'Done';
  if (minutesAgo > LEFT_FOR) return 'Closed';
  if (!last) return 'Open';
  return last.from === requester ? 'In Progress' : 'Waiting';
}

function pick<Item>(items: readonly Item[], random: Random): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new TypeError('nothing to pick from');
  return item;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
