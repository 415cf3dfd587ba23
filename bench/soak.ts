/**
 * How resource use develops over time: `npm run bench -- soak`, half an hour unless `BENCH_MINUTES` is set.
 * Twenty messages a second, ten from chat and ten from the tickets (`BENCH_RATE`), in forty channels. The
 * last third of the run is compared with the third before it: whatever grows with time grows between the two.
 */
import pg from 'pg';

import { pruneBridge } from '../src/bridge/retention.ts';
import type { BridgeTables } from '../src/bridge/schema/tables.ts';
import { openDatabase } from '../src/platform/database/open.ts';
import { createLog } from '../src/platform/log.ts';
import { type Desk, startDesk } from './lib/desk.ts';
import { type Figure, percentile } from './lib/figures.ts';
import { must, soon } from './lib/load.ts';
import { startPostgres } from './lib/postgres.ts';
import type { Program } from './lib/programs.ts';
import { type Rig, runAlone } from './lib/report.ts';
import { setting } from './lib/setting.ts';
import { openThreads, say, type Thread } from './lib/talk.ts';

const MINUTES = Math.max(1, setting('BENCH_MINUTES', 30));
/** Messages per second in each direction. */
const RATE = setting('BENCH_RATE', 10);
const CHANNELS = Array.from({ length: 40 }, (_, at) => `soak-${at}`);
/** Samples per minute. */
const LOOKS = 4;
const TOLD_EVERY_LOOKS = LOOKS;
/** Time for the start, and for what is in progress at the end. */
const BESIDES_MINUTES = 5;
const RETENTION_DAYS = 90;

export const soak: Rig = { title: 'In the long run', minutes: MINUTES + BESIDES_MINUTES, measure };

interface Look {
  bridgeMb: number;
  serviceMb: number;
  /**
   * Milliseconds until messages since the last sample were on their ticket, and back: the slowest of twenty.
   */
  toTicket: number;
  toChat: number;
  /** Rows that are due for processing or sending, in both databases. */
  waiting: number;
}

async function measure(): Promise<Figure[]> {
  const postgres = await startPostgres();
  const urls = { service: await postgres.database('service'), bridge: await postgres.database('bridge') };
  const desk = await startDesk({ DATABASE_URL: urls.service });
  const bridge = await desk.startBridge({ DATABASE_URL: urls.bridge });
  // Slack's limit is 30,000 events an hour per app, which this run passes after 25 minutes.
  await must('POST', `${desk.sandbox}/_control/app`, { eventsPerHour: 10 * MINUTES * 60 * RATE });
  const { apps } = (await must('GET', `${desk.sandbox}/_control/state`)) as { apps: { name: string }[] };
  for (const name of CHANNELS)
    await must('POST', `${desk.sandbox}/_control/create-channel`, {
      user: 'ada',
      name,
      members: apps.map((app) => app.name),
    });
  const threads = await openThreads(desk, CHANNELS);
  const database = new pg.Pool({ connectionString: urls.bridge, max: 4 });
  try {
    const tickets = await ticketsOf(database, threads);
    const { looks, said, written } = await run(desk, bridge, database, threads, tickets);
    const carried = await afterwards(desk, database, said, written);
    const forgotten = await forget(urls.bridge, database);
    return figuresOf(looks, `${carried} ${forgotten}`);
  } finally {
    await database.end();
  }
}

/** The tickets of the threads, as the bridge has linked them. */
async function ticketsOf(database: pg.Pool, threads: readonly Thread[]): Promise<string[]> {
  const { rows } = await database.query<{ ticket_id: string }>(
    'select ticket_id from bridge.conversation where thread_ts = any($1) and ticket_id is not null',
    [threads.map(({ root }) => root)],
  );
  return rows.map(({ ticket_id }) => ticket_id);
}

interface Ran {
  looks: Look[];
  /** Timestamps of the messages in chat, and the number of messages written on tickets. */
  said: string[];
  written: number;
}

async function run(
  desk: Desk,
  bridge: Program,
  database: pg.Pool,
  threads: readonly Thread[],
  tickets: readonly string[],
): Promise<Ran> {
  const looks: Look[] = [];
  const said: string[] = [];
  let written = 0;
  let recent: { ts: string; sent: number }[] = [];
  const backs: Promise<number>[] = [];
  const began = performance.now();
  const total = MINUTES * 60 * RATE;
  const everyLook = (60 * RATE) / LOOKS;
  const underway = new Set<Promise<unknown>>();
  for (let at = 0; at < total; at++) {
    const due = began + (at / RATE) * 1000;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    const thread = threads[at % threads.length];
    const ticketId = tickets[at % tickets.length];
    if (!thread || ticketId === undefined) break;
    const one = Promise.all([
      say(desk, thread.channel, `soak ${at}`, thread.root).then((message) => {
        said.push(message.ts);
        recent.push(message);
      }),
      must(
        'POST',
        `${desk.service}/api/ticket-messages`,
        { ticketId, content: `answer ${at}` },
        desk.key,
      ).then((answer) => {
        written += 1;
        const { id } = answer as { id: string };
        if (at % RATE === 0) backs.push(heeded(untilInChat(database, id, performance.now())));
      }),
    ]);
    underway.add(one);
    // A failed request stays, and ends the run at the next sample.
    void one.then(
      () => underway.delete(one),
      () => undefined,
    );
    if ((at + 1) % everyLook !== 0) continue;
    await Promise.all(underway);
    const asked = recent;
    recent = [];
    looks.push({
      bridgeMb: bridge.memory() / 2 ** 20,
      serviceMb: desk.programs.service.memory() / 2 ** 20,
      toTicket: percentile(await whenTaken(desk, asked), 0.95),
      toChat: percentile(await Promise.all(backs.splice(0)), 0.95),
      waiting: await waitingIn(database),
    });
    if (looks.length % TOLD_EVERY_LOOKS === 0) tell(looks, began);
  }
  await Promise.all(underway);
  return { looks, said, written };
}

/** The promise is awaited at the next sample; until then its failure must not end the process. */
function heeded<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => undefined);
  return promise;
}

/** Milliseconds until an answer stands wherever it is shown: found by its key, as a look that reads more would slow the run. */
async function untilInChat(database: pg.Pool, messageId: string, sent: number): Promise<number> {
  await soon('an answer to be in chat', async () => {
    const { rows } = await database.query<{ stands: boolean | null }>(
      'select bool_and(ts is not null) as stands from bridge.message_link where ticket_message_id = $1',
      [messageId],
    );
    return rows[0]?.stands === true ? true : undefined;
  });
  return performance.now() - sent;
}

async function whenTaken(desk: Desk, asked: readonly { ts: string; sent: number }[]): Promise<number[]> {
  return soon('the messages to be on their tickets', () => {
    const times = asked.map(({ ts, sent }) => (desk.recorder.taken.get(ts) ?? Number.NaN) - sent);
    return Promise.resolve(times.some(Number.isNaN) ? undefined : times);
  });
}

async function waitingIn(database: pg.Pool): Promise<number> {
  const { rows } = await database.query<{ waiting: string }>(
    `select count(*) as waiting from bridge.lane where leased_until is null and wake_at <= now()`,
  );
  return Number(rows[0]?.waiting);
}

function tell(looks: readonly Look[], began: number): void {
  const last = looks.at(-1);
  if (!last) return;
  const minute = Math.round((performance.now() - began) / 60_000);
  console.error(
    `soak: minute ${minute} of ${MINUTES}: bridge ${last.bridgeMb.toFixed(0)} MB, service ${last.serviceMb.toFixed(0)} MB, to the ticket ${last.toTicket.toFixed(0)} ms, to chat ${last.toChat.toFixed(0)} ms, ${last.waiting} waiting`,
  );
}

/** Checks that every message has crossed exactly once. */
async function afterwards(
  desk: Desk,
  database: pg.Pool,
  said: readonly string[],
  written: number,
): Promise<string> {
  await soon('everything to have crossed', async () => {
    const { rows } = await database.query<{ left: string }>(
      `select (select count(*) from bridge.inbox where done_at is null)
        + (select count(*) from bridge.outbox where state in ('planned', 'sending')) as left`,
    );
    return rows[0]?.left === '0' ? true : undefined;
  });
  const { rows } = await database.query<{ from_chat: string; posts: string; dead: string }>(
    `select count(*) filter (where origin = 'chat') as from_chat,
      count(*) filter (where origin = 'service' and ts is not null) as posts,
      (select count(*) from bridge.work where dead_at is not null) as dead
    from bridge.message_link`,
  );
  const { from_chat = '', posts = '', dead = '' } = rows[0] ?? {};
  const once = said.filter((ts) => desk.recorder.taken.has(ts)).length;
  return `Said in chat ${said.length}, on tickets ${once}, linked ${from_chat}; written on tickets ${written}, posts in chat ${posts}; dead letters ${dead}.`;
}

/** What retention leaves once everything is old enough: the links, and no processed rows. */
async function forget(url: string, database: pg.Pool): Promise<string> {
  const count = async () => {
    const { rows } = await database.query<{ inbox: string; outbox: string; links: string }>(
      `select (select count(*) from bridge.inbox) as inbox, (select count(*) from bridge.outbox) as outbox,
        (select count(*) from bridge.message_link) as links`,
    );
    return rows[0] ?? { inbox: '', outbox: '', links: '' };
  };
  const log = createLog({ level: 'silent', pretty: false });
  const own = openDatabase<BridgeTables>({ url, schema: 'bridge', log, poolSize: 1 });
  const before = await count();
  const began = performance.now();
  try {
    const later = new Date(Date.now() + (RETENTION_DAYS + 1) * 86_400_000);
    await pruneBridge({ database: own, clock: { now: () => later } }, { days: RETENTION_DAYS, bodyDays: 7 });
  } finally {
    await own.close();
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const after = await count();
  return `After ${RETENTION_DAYS} days, ${before.inbox} stored events become ${after.inbox} and ${before.outbox} planned posts ${after.outbox}, in ${seconds} s; ${after.links} of ${before.links} links stay.`;
}

function figuresOf(looks: readonly Look[], note: string): Figure[] {
  const third = Math.floor(looks.length / 3);
  const [earlier, later] = [looks.slice(third, 2 * third), looks.slice(2 * third, 3 * third)];
  const figure = (name: string, unit: Figure['unit'], what: keyof Look, goal?: Figure['goal']): Figure => ({
    name,
    unit,
    ours: later.map((look) => look[what]),
    baseline: { name: 'the third before', values: earlier.map((look) => look[what]) },
    ...(goal && { goal }),
    note: `${MINUTES} minutes, ${RATE} messages a second each way in ${CHANNELS.length} channels. ${note}`,
  });
  return [
    figure('memory of the bridge', 'MB', 'bridgeMb', { atMost: 1.1 }),
    figure('memory of the service', 'MB', 'serviceMb', { atMost: 1.1 }),
    figure('from chat to the ticket, the slowest of twenty', 'ms', 'toTicket', { atMost: 1.5 }),
    figure('from the ticket to chat, the slowest of twenty', 'ms', 'toChat', { atMost: 1.5 }),
    figure('jobs that wait', 'rows', 'waiting', { atMost: 1.5 }),
  ];
}

if (import.meta.main) await runAlone(soak);
