/**
 * What waits when the bridge starts: `node bench/backlog.ts`. The service does not answer while users write
 * 10,000 messages, which the bridge stores and acknowledges; then the bridge is started again, the service
 * answers, and users go on writing.
 */
import { setTimeout as delay } from 'node:timers/promises';

import { acksAfter, lastDelivery, slowest } from './lib/acks.ts';
import { startDesk } from './lib/desk.ts';
import type { Figure } from './lib/figures.ts';
import { soon } from './lib/load.ts';
import { type Postgres, startPostgres } from './lib/postgres.ts';
import { type Rig, runAlone, tellRound } from './lib/report.ts';
import { setting } from './lib/setting.ts';
import { openThreads, say, talk, type Thread } from './lib/talk.ts';

const THREADS = Array.from({ length: 20 }, () => 'it-help');
const EVENTS = setting('BENCH_EVENTS', 10_000);
/** Between two messages while the backlog is worked: Slack delivers at most 30,000 an hour of one workspace. */
const APART_MS = 100;

interface Round {
  /** Seconds from the start of the bridge until all is on its tickets. */
  seconds: number;
  ackP99: number;
}

export const backlog: Rig = { title: 'After a standstill', minutes: 15, measure };

async function measure(rounds: number): Promise<Figure[]> {
  const postgres = await startPostgres();
  const found: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    tellRound(backlog.title, round, rounds);
    found.push(await measured(postgres, round));
  }
  const none = { name: 'no baseline', values: [] };
  const events = EVENTS.toLocaleString('en');
  return [
    {
      name: `from the start until ${events} stored events are on their tickets`,
      unit: 's',
      ours: found.map(({ seconds }) => seconds),
      baseline: none,
      goal: { under: 40 },
      note: `The service does not answer while ${events} messages are written in twenty threads. Then the bridge is started again, and ten messages a second follow.`,
    },
    {
      name: 'acknowledgement meanwhile, the slowest of a hundred',
      unit: 'ms',
      ours: found.map(({ ackP99 }) => ackP99),
      baseline: none,
      goal: { under: 100 },
    },
  ];
}

async function measured(postgres: Postgres, round: number): Promise<Round> {
  const desk = await startDesk({ DATABASE_URL: await postgres.database(`service_${round}`) });
  // The time until messages are on their tickets, without posting each of them once more.
  await desk.setTeamThreads('notes');
  const environment = { DATABASE_URL: await postgres.database(`bridge_${round}`) };
  const before = await desk.startBridge(environment);
  const threads = await openThreads(desk, THREADS);
  desk.programs.service.pause();
  const taken = desk.recorder.taken.size;
  await talk(desk, threads, EVENTS, false);
  await desk.calm();
  await before.end();
  desk.programs.service.resume();
  const last = await lastDelivery(desk);
  const began = performance.now();
  const bridge = await desk.startBridge(environment);
  let written = EVENTS;
  const drained = soon('all to be on its tickets', () =>
    Promise.resolve(desk.recorder.taken.size >= taken + written ? performance.now() : undefined),
  );
  for await (const thread of until(drained, threads)) {
    written += 1;
    await say(desk, thread.channel, `new line ${written}`, thread.root);
  }
  const seconds = ((await drained) - began) / 1000;
  await desk.calm();
  const acks = await acksAfter(desk, last);
  await bridge.stop();
  await desk.stop();
  return { seconds, ackP99: slowest(acks) };
}

/** The threads in turn, at the highest rate that Slack delivers, until something has happened. */
async function* until(over: Promise<unknown>, threads: readonly Thread[]): AsyncGenerator<Thread> {
  const end = new AbortController();
  const ended = over.finally(() => end.abort());
  for (let at = 0; !end.signal.aborted; at++) {
    const thread = threads[at % threads.length];
    if (thread) yield thread;
    await Promise.race([ended, delay(APART_MS)]);
  }
}

if (import.meta.main) await runAlone(backlog);
