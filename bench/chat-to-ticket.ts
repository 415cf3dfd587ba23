/**
 * Time from a message in chat to the ticket message: `node bench/chat-to-ticket.ts`. The baselines are (a) a
 * bot that posts directly to the service and stores nothing, (b) one that stores each event in a job queue
 * first, and (c) Bolt with an empty listener, for the acknowledgement. None of them copies messages to the
 * team's thread: it shows notes only, but where its price is measured. To run it on your own Postgres server:
 * `BENCH_DATABASE_URL=… npm run bench -- chat-to-ticket-on-server`.
 */
import { acksAfter, lastDelivery, slowest } from './lib/acks.ts';
import { type Busy, busyDuring, PARTS } from './lib/busy.ts';
import { type Desk, startDesk } from './lib/desk.ts';
import { type Figure, percentile } from './lib/figures.ts';
import { givenPostgres, type Postgres, startPostgres } from './lib/postgres.ts';
import type { Program } from './lib/programs.ts';
import { type Rig, runAlone, tellRound } from './lib/report.ts';
import { openThreads, talk, talkSlowly } from './lib/talk.ts';

const THREADS = Array.from({ length: 20 }, () => 'it-help');
/**
 * Enough for every connection to have prepared the recurring statements: a bridge runs for weeks, not
 * seconds.
 */
const WARM_UP = 1_500;
const MESSAGES = 1_500;
/** Slightly above Slack's limit of 30,000 events an hour to an app in one workspace. */
const AT_MOST_PER_SECOND = 10;
const SLOW_MESSAGES = 100;

interface Round {
  perSecond: number;
  p50: number;
  p99: number;
  /** While users write as fast as they can. */
  ackP99: number;
  /** While users write at the highest rate that Slack delivers. */
  slowAckP99: number;
  /** CPU milliseconds per message. */
  busy: Busy;
}

export const chatToTicket: Rig = {
  title: 'From chat to the ticket',
  minutes: 20,
  measure: async (rounds) => measure(rounds, chatToTicket.title, await startPostgres()),
};

export const chatToTicketOnServer: Rig = {
  title: 'From chat to the ticket, on a Postgres server',
  minutes: 20,
  async measure(rounds) {
    const postgres = await givenPostgres();
    const figures = await measure(rounds, chatToTicketOnServer.title, postgres);
    // A missed goal has the same reasons as above.
    const note = `As above, with a Postgres server ${postgres.version} for all programs.`;
    return figures.map((figure) => ({ ...figure, note }));
  },
};

async function measure(rounds: number, title: string, postgres: Postgres): Promise<Figure[]> {
  const found: Record<'ours' | 'whole' | 'naive' | 'durable' | 'bare', Round[]> = {
    ours: [],
    whole: [],
    naive: [],
    durable: [],
    bare: [],
  };
  for (let round = 0; round < rounds; round++) {
    tellRound(title, round, rounds);
    const database = await postgres.database(`bridge_${round}`);
    const ours = async (desk: Desk) => {
      await desk.setTeamThreads('notes');
      return desk.startBridge({ DATABASE_URL: database });
    };
    const other = await postgres.database(`whole_bridge_${round}`);
    const whole = (desk: Desk) => desk.startBridge({ DATABASE_URL: other });
    const queue = await postgres.database(`queue_${round}`);
    const durable = (desk: Desk) => desk.startBot('durable-bot.ts', { DATABASE_URL: queue });
    found.ours.push(await measured(postgres, `ours_${round}`, ours, true));
    found.naive.push(
      await measured(postgres, `naive_${round}`, (desk) => desk.startBot('naive-bot.ts'), true),
    );
    found.durable.push(await measured(postgres, `durable_${round}`, durable, true));
    found.whole.push(await measured(postgres, `whole_${round}`, whole, true));
    found.bare.push(
      await measured(postgres, `bare_${round}`, (desk) => desk.startBot('bare-bolt.ts'), false),
    );
  }
  const of = (who: keyof typeof found, what: Exclude<keyof Round, 'busy'>) =>
    found[who].map((round) => round[what]);
  const naive = 'a bot that stores nothing';
  const queued = 'a bot with a job queue';
  const empty = 'Bolt with an empty listener';
  return [
    {
      name: 'throughput',
      unit: 'messages/s',
      ours: of('ours', 'perSecond'),
      baseline: { name: naive, values: of('naive', 'perSecond') },
      goal: { atLeast: 0.5 },
      note: `The bot makes one call of the service per message and stores nothing: messages in flight are lost when it stops or the service is down. deskbridge stores each message before it acknowledges it, keeps the order of a conversation, and links what it wrote. Milliseconds of a core per message: deskbridge ${costOf(found.ours)}; the bot ${costOf(found.naive)}.`,
    },
    {
      name: 'throughput, beside a bot that loses nothing',
      unit: 'messages/s',
      ours: of('ours', 'perSecond'),
      baseline: { name: queued, values: of('durable', 'perSecond') },
      goal: { atLeast: 1 },
      note: `The bot is made of Bolt, pg-boss and undici: it stores each event before it acknowledges it, and works those of a thread in order. It keeps no links, and carries no edits, deletions or answers. Milliseconds of a core per message: ${costOf(found.durable)}.`,
    },
    {
      name: 'throughput, with the whole conversation in the team’s thread',
      unit: 'messages/s',
      ours: of('whole', 'perSecond'),
      baseline: { name: queued, values: of('durable', 'perSecond') },
      note: `As channels are set at first: each message is also posted to the team’s thread, which the bots do not do. Milliseconds of a core per message: ${costOf(found.whole)}.`,
    },
    {
      name: 'median time until a message is on the ticket',
      unit: 'ms',
      ours: of('ours', 'p50'),
      baseline: { name: naive, values: of('naive', 'p50') },
    },
    {
      name: 'the slowest of a hundred',
      unit: 'ms',
      ours: of('ours', 'p99'),
      baseline: { name: naive, values: of('naive', 'p99') },
    },
    {
      name: 'acknowledgement at 10 a second, the slowest of a hundred',
      unit: 'ms',
      ours: of('ours', 'slowAckP99'),
      baseline: { name: empty, values: of('bare', 'slowAckP99') },
      goal: { under: 50 },
      note: '10 a second is slightly more than Slack sends. An empty listener acknowledges before anything is stored, deskbridge after its transaction is on disk. Slack waits three seconds.',
    },
    {
      name: 'acknowledgement under load, the slowest of a hundred',
      unit: 'ms',
      ours: of('ours', 'ackP99'),
      baseline: { name: empty, values: of('bare', 'ackP99') },
      note: 'Under load, sixteen people write as fast as they can, more than Slack ever sends: each event waits for those before it.',
    },
  ];
}

/** One round of one program on an empty desk, from its start to its end. */
async function measured(
  postgres: Postgres,
  service: string,
  start: (desk: Desk) => Promise<Program>,
  carried: boolean,
): Promise<Round> {
  const desk = await startDesk({ DATABASE_URL: await postgres.database(service) });
  const subject = await start(desk);
  const threads = await openThreads(desk, THREADS, carried);
  await talk(desk, threads, WARM_UP, carried);
  await desk.calm();
  const before = await lastDelivery(desk);
  const { result, busy } = await busyDuring({ desk, postgres, bridges: [subject] }, () =>
    talk(desk, threads, MESSAGES, carried),
  );
  const { perSecond, times } = result;
  await desk.calm();
  const between = await lastDelivery(desk);
  await talkSlowly(desk, threads, SLOW_MESSAGES, AT_MOST_PER_SECOND);
  await desk.calm();
  const acks = await acksAfter(desk, before);
  await subject.stop();
  await desk.stop();
  return {
    perSecond,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    ackP99: slowest(acks.filter(({ id }) => id <= between)),
    slowAckP99: slowest(acks.filter(({ id }) => id > between)),
    busy: Object.fromEntries(PARTS.map((part) => [part, (1000 * busy[part]) / MESSAGES])) as Busy,
  };
}

function costOf(rounds: readonly Round[]): string {
  const median = (part: keyof Busy) =>
    percentile(
      rounds.map(({ busy }) => busy[part]),
      0.5,
    );
  return PARTS.map((part) => `${part} ${median(part).toFixed(1)}`).join(', ');
}

if (import.meta.main) await runAlone(chatToTicket);
