/**
 * From a message in chat to the ticket message: `node bench/chat-to-ticket.ts [messages=300]`. Beside it (a) a bot that
 * posts straight to the service and stores nothing, and (b) Bolt with an empty listener, for the acknowledgement.
 */
import { type Desk, startDesk } from './lib/desk.ts';
import { type Figure, percentile } from './lib/figures.ts';
import { inTurn, must, soon } from './lib/load.ts';
import { runAlone } from './lib/report.ts';

const CHANNEL = 'it-help';
const THREADS = 20;
const WARM_UP = 40;
/** People who write at the same time. */
const AT_ONCE = 16;

interface Round {
  perSecond: number;
  p50: number;
  p99: number;
  ackP99: number;
}

export async function chatToTicket({
  rounds,
  messages = 300,
}: {
  rounds: number;
  messages?: number;
}): Promise<Figure[]> {
  const desk = await startDesk();
  const found: Record<'ours' | 'naive' | 'bare', Round[]> = { ours: [], naive: [], bare: [] };
  for (let round = 0; round < rounds; round++) {
    found.ours.push(await measured(desk, () => desk.startBridge(), messages, true));
    found.naive.push(await measured(desk, () => desk.startBot('naive-bot.ts'), messages, true));
    found.bare.push(await measured(desk, () => desk.startBot('bare-bolt.ts'), messages, false));
  }
  const of = (who: keyof typeof found, what: keyof Round) => found[who].map((round) => round[what]);
  const naive = 'a bot that stores nothing';
  return [
    {
      name: 'chat → ticket, throughput',
      unit: 'messages/s',
      ours: of('ours', 'perSecond'),
      baseline: { name: naive, values: of('naive', 'perSecond') },
      goal: { atLeast: 1 },
    },
    {
      name: 'chat → ticket, median time until it is on the ticket',
      unit: 'ms',
      ours: of('ours', 'p50'),
      baseline: { name: naive, values: of('naive', 'p50') },
    },
    {
      name: 'chat → ticket, the slowest of a hundred',
      unit: 'ms',
      ours: of('ours', 'p99'),
      baseline: { name: naive, values: of('naive', 'p99') },
    },
    {
      name: 'acknowledgement, the slowest of a hundred',
      unit: 'ms',
      ours: of('ours', 'ackP99'),
      baseline: { name: 'Bolt with an empty listener', values: of('bare', 'ackP99') },
      goal: { atMost: 3 },
    },
  ];
}

/** One round of one subject, from its start to its end. */
async function measured(
  desk: Desk,
  start: () => Promise<{ stop(): Promise<void> }>,
  messages: number,
  carries: boolean,
): Promise<Round> {
  const subject = await start();
  const roots = await openThreads(desk, carries);
  const say = async (text: string, root: string) => {
    const sent = performance.now();
    const { message } = (await must('POST', `${desk.sandbox}/_control/message`, {
      channel: CHANNEL,
      user: 'ada',
      text,
      thread_ts: root,
    })) as { message: { ts: string } };
    return { ts: message.ts, sent };
  };
  const talk = async (count: number) => {
    const said: { ts: string; sent: number }[] = [];
    const began = performance.now();
    const texts = Array.from({ length: count }, (_, at) => ({
      text: `line ${at}`,
      root: roots[at % roots.length] ?? '',
    }));
    await inTurn(texts, AT_ONCE, async ({ text, root }) => said.push(await say(text, root)));
    const over = await soon('every message to be on its ticket', async () => {
      if (!carries) return performance.now();
      const times = said.map(({ ts }) => desk.recorder.taken.get(ts));
      return times.every((time) => time !== undefined) ? Math.max(...times) : undefined;
    });
    const times = said.map(({ ts, sent }) => (desk.recorder.taken.get(ts) ?? Number.NaN) - sent);
    return { perSecond: count / ((over - began) / 1000), times };
  };
  await talk(WARM_UP);
  await desk.calm();
  const after = (await deliveries(desk, 0)).at(-1)?.id ?? 0;
  const { perSecond, times } = await talk(messages);
  await desk.calm();
  const acks = (await deliveries(desk, after)).flatMap(({ ack_ms, event }) =>
    event === 'message' && ack_ms !== undefined ? [ack_ms] : [],
  );
  await subject.stop();
  // Envelopes that nobody took wait for the next subject: none may.
  await desk.calm();
  return {
    perSecond,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    // The sandbox counts whole milliseconds: none is less than one.
    ackP99: Math.max(1, percentile(acks, 0.99)),
  };
}

async function openThreads(desk: Desk, carries: boolean): Promise<string[]> {
  const { apps } = (await must('GET', `${desk.sandbox}/_control/state`)) as { apps: { botUserId: string }[] };
  const before = desk.recorder.tickets;
  const roots: string[] = [];
  for (let n = 0; n < THREADS; n++) {
    const { message } = (await must('POST', `${desk.sandbox}/_control/message`, {
      channel: CHANNEL,
      user: 'ada',
      text: `<@${apps[0]?.botUserId ?? ''}> thread ${n}`,
    })) as { message: { ts: string } };
    roots.push(message.ts);
  }
  await soon('every thread to have its ticket', () =>
    Promise.resolve(!carries || desk.recorder.tickets - before >= THREADS ? true : undefined),
  );
  await desk.calm();
  return roots;
}

interface Delivery {
  id: number;
  event?: string;
  ack_ms?: number;
}

async function deliveries({ sandbox }: Desk, after: number): Promise<Delivery[]> {
  const answer = await must('GET', `${sandbox}/_control/deliveries?limit=2000&after=${after}`);
  return (answer as { deliveries: Delivery[] }).deliveries;
}

if (import.meta.main)
  await runAlone((rounds) => chatToTicket({ rounds, messages: Number(process.argv[2] ?? 300) }));
