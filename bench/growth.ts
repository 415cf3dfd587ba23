/**
 * What becomes slower as a desk grows: `node bench/growth.ts`. Sends the same requests to a desk with 10,000
 * tickets and to one with 100,000, a thousand per day; the long run `npm run bench -- million` uses a million
 * instead.
 */
import { statfsSync } from 'node:fs';

import { freePorts } from '../test/harness/ports.ts';
import { KEY, TOKEN, UNLIMITED } from './lib/desk.ts';
import { type Figure, type Goal, percentile } from './lib/figures.ts';
import { fill, personId, placeOf, TICKETS_A_DAY, VOCABULARY } from './lib/history.ts';
import { inTurn, must } from './lib/load.ts';
import { startPostgres } from './lib/postgres.ts';
import { startDeskbridge } from './lib/programs.ts';
import { type Rig, runAlone, tellRound } from './lib/report.ts';

const SMALL = 10_000;
/** A generous estimate of the disk space per ticket, with indexes and the write-ahead log. */
const BYTES_A_TICKET = 12_000;
/** Users notice anything slower. */
const SEARCH_MS = 50;

export const growth = growthTo(100_000, { title: 'As the desk grows to 100,000 tickets', minutes: 7 });
export const million = growthTo(1_000_000, { title: 'As the desk grows to 1,000,000 tickets', minutes: 60 });

interface Desk {
  tickets: number;
  url: string;
  workspaceId: string;
}

interface Operation {
  name: string;
  /** Requests per round, one after the other. */
  requests: number;
  goal?: Goal;
  send(desk: Desk, at: number): Promise<unknown>;
}

const TWICE = { atMost: 2 } as const;
const get = (desk: Desk, path: string, query: Record<string, string>) =>
  must('GET', `${desk.url}/api/${path}?${new URLSearchParams(query).toString()}`, undefined, KEY);
/** A ticket that exists in every size, a different one for each request. */
const someNumber = ({ tickets }: Desk, at: number) => 1 + ((at * 7_919) % tickets);
const word = (rank: number) => VOCABULARY[rank] ?? '';
const search = (desk: Desk, query: string, more: Record<string, string> = {}) =>
  get(desk, 'tickets/semantic-search', { query, ...more });
const count = (desk: Desk, dateRange?: { from: string }) =>
  must(
    'POST',
    `${desk.url}/api/analytics/preview-metric`,
    {
      workspaceId: desk.workspaceId,
      query: { aggregations: [{ type: 'count' }], groupBy: 'statusId' },
      ...(dateRange && { dateRange }),
    },
    KEY,
  );
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

const middles = new Map<Desk, string>();
/** The cursor of the page in the middle of all tickets. */
async function middleOf(desk: Desk): Promise<string> {
  const known = middles.get(desk);
  if (known !== undefined) return known;
  const { nextCursor } = (await get(desk, 'tickets', { limit: '1', skip: String(desk.tickets / 2) })) as {
    nextCursor: string;
  };
  middles.set(desk, nextCursor);
  return nextCursor;
}

const OPERATIONS: readonly Operation[] = [
  {
    name: 'create a ticket',
    requests: 20,
    goal: TWICE,
    send: (desk, at) =>
      must(
        'POST',
        `${desk.url}/api/tickets`,
        {
          title: `${word(at % 50)} ${word(700 + at)}`,
          description: word(at % 500),
          requesterId: personId(at),
        },
        KEY,
      ),
  },
  // With the exact total, which later pages carry in their cursor.
  { name: 'list the newest 50', requests: 20, send: (desk) => get(desk, 'tickets', { limit: '50' }) },
  {
    name: 'a page of 50 in the middle of all',
    requests: 20,
    goal: TWICE,
    send: async (desk) => get(desk, 'tickets', { limit: '50', cursor: await middleOf(desk) }),
  },
  {
    name: 'list the newest 50 that are open',
    requests: 20,
    goal: TWICE,
    send: (desk) => get(desk, 'tickets', { limit: '50', openFilter: 'true' }),
  },
  {
    name: 'list what one person asked for and is open',
    requests: 20,
    goal: TWICE,
    send: (desk, at) => get(desk, 'tickets', { limit: '50', requesterId: personId(at), openFilter: 'true' }),
  },
  {
    name: 'list 50 open tickets of an agent',
    requests: 20,
    goal: TWICE,
    send: (desk, at) =>
      get(desk, 'tickets', { limit: '50', assigneeId: personId(2 * (at % 5)), openFilter: 'true' }),
  },
  {
    name: 'the ticket of a thread',
    requests: 20,
    goal: TWICE,
    send: (desk, at) => {
      const { channel, root } = placeOf(someNumber(desk, at));
      return get(desk, 'tickets', { chatChannelId: channel, chatMessageTs: root });
    },
  },
  {
    name: 'the ticket of a reply',
    requests: 20,
    goal: TWICE,
    send: (desk, at) => get(desk, 'tickets', { chatMessageTs: placeOf(someNumber(desk, at)).reply }),
  },
  {
    name: 'search: a word of half of all tickets',
    requests: 10,
    goal: TWICE,
    send: (desk, at) => search(desk, word(2 + (at % 3))),
  },
  {
    name: 'search: a word of some',
    requests: 10,
    goal: TWICE,
    send: (desk, at) => search(desk, word(60 + (at % 20))),
  },
  {
    name: 'search: a rare word',
    requests: 10,
    goal: TWICE,
    send: (desk, at) => search(desk, word(1_500 + (at % 50))),
  },
  {
    name: 'search: three words',
    requests: 10,
    goal: TWICE,
    send: (desk, at) => search(desk, `${word(3 + at)} ${word(40 + at)} ${word(300 + at)}`),
  },
  {
    name: 'search: a typing error',
    requests: 10,
    goal: TWICE,
    send: (desk, at) => search(desk, `${word(200 + at).slice(0, 5)}${word(200 + at).slice(6)}`),
  },
  {
    name: 'search: as one person, a word of half of all',
    requests: 10,
    goal: TWICE,
    send: (desk, at) => search(desk, word(2 + (at % 3)), { visibleToUserId: personId(at) }),
  },
  {
    name: 'analytics of seven days',
    requests: 5,
    goal: TWICE,
    send: (desk) => count(desk, { from: daysAgo(7) }),
  },
  { name: 'analytics of all time', requests: 3, send: (desk) => count(desk) },
];

function growthTo(large: number, named: Pick<Rig, 'title' | 'minutes'>): Rig {
  return { ...named, measure: (rounds) => measure(named.title, large, rounds) };
}

async function measure(title: string, large: number, rounds: number): Promise<Figure[]> {
  const postgres = await startPostgres();
  const { bavail, bsize } = statfsSync(postgres.directory);
  const needed = (SMALL + large) * BYTES_A_TICKET;
  if (bavail * bsize < 2 * needed)
    throw new Error(`this needs ${Math.ceil((2 * needed) / 2 ** 30)} GB of free disk, and there is less`);
  const desks = [await openDesk(postgres, SMALL), await openDesk(postgres, large)];
  const found = new Map<string, number[][]>();
  // The first round fills the caches and pools of both desks.
  for (let round = -1; round < rounds; round++) {
    if (round >= 0) tellRound(title, round, rounds);
    for (const operation of OPERATIONS)
      for (const desk of desks) {
        const asked = Array.from({ length: operation.requests }, (_, at) => at + round * operation.requests);
        const times = await inTurn(asked, 1, (at) => operation.send(desk, Math.abs(at)));
        if (round >= 0) note(found, keyOf(operation, desk.tickets), times);
      }
  }
  return [...OPERATIONS.map((operation) => figureOf(operation, large, found)), searches(large, found)];
}

async function openDesk(
  postgres: { database(name: string): Promise<string> },
  tickets: number,
): Promise<Desk> {
  const [port = 0] = await freePorts(1);
  const database = await postgres.database(`growth_${tickets}`);
  await startDeskbridge(['service'], {
    DATABASE_URL: database,
    PORT: String(port),
    SERVICE_API_TOKEN: TOKEN,
    RATE_LIMIT_PER_MINUTE: UNLIMITED,
  });
  const began = performance.now();
  const workspaceId = await fill(database, tickets);
  console.error(`growth: ${tickets} tickets stand after ${Math.round((performance.now() - began) / 1000)} s`);
  return { tickets, url: `http://127.0.0.1:${port}`, workspaceId };
}

const keyOf = ({ name }: Operation, tickets: number) => `${name}, ${tickets.toLocaleString('en')} tickets`;

function note(found: Map<string, number[][]>, key: string, times: number[]): void {
  found.set(key, [...(found.get(key) ?? []), times]);
}

const BASELINE = `${SMALL.toLocaleString('en')} tickets`;

function figureOf(operation: Operation, large: number, found: ReadonlyMap<string, number[][]>): Figure {
  const medians = (tickets: number) =>
    (found.get(keyOf(operation, tickets)) ?? []).map((times) => percentile(times, 0.5));
  return {
    name: operation.name,
    unit: 'ms',
    ours: medians(large),
    baseline: { name: BASELINE, values: medians(SMALL) },
    ...(operation.goal && { goal: operation.goal }),
    note: noteOf(operation),
  };
}

function noteOf({ name }: Operation): string {
  return name.startsWith('search')
    ? 'For a word that is rare among the newest tickets, up to 5,000 matches are read to find the newest.'
    : `The same request on a desk with ${TICKETS_A_DAY.toLocaleString('en')} tickets a day. Whatever counts all tickets (a list's total, analytics of all time) grows with it.`;
}

/** All kinds of searches of a round together. */
function searches(large: number, found: ReadonlyMap<string, number[][]>): Figure {
  const kinds = OPERATIONS.filter(({ name }) => name.startsWith('search'));
  const slowest = (tickets: number) => {
    const rounds = kinds.map((kind) => found.get(keyOf(kind, tickets)) ?? []);
    return (rounds[0] ?? []).map((_, round) =>
      percentile(
        rounds.flatMap((times) => times[round] ?? []),
        0.95,
      ),
    );
  };
  return {
    name: 'search: the slowest of twenty',
    unit: 'ms',
    ours: slowest(large),
    baseline: { name: BASELINE, values: slowest(SMALL) },
    ...(large === 100_000 && { goal: { under: SEARCH_MS } }),
  };
}

if (import.meta.main) await runAlone(growth);
