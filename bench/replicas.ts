/**
 * What more bridge processes bring: `node bench/replicas.ts`. Runs one, two and four of them on one Postgres
 * with the same load each, and measures the CPU use of each part of the system.
 */
import { cpus } from 'node:os';

import { freePorts } from '../test/harness/ports.ts';
import { type Busy, busyDuring, PARTS } from './lib/busy.ts';
import { type Desk, startDesk } from './lib/desk.ts';
import { type Figure, percentile } from './lib/figures.ts';
import { type Postgres, startPostgres } from './lib/postgres.ts';
import type { Program } from './lib/programs.ts';
import { type Rig, runAlone, tellRound } from './lib/report.ts';
import { openThreads, talk } from './lib/talk.ts';

const STEPS = [1, 2, 4] as const;
/** Enough threads that every process always has work. */
const THREADS = Array.from({ length: 40 }, () => 'it-help');
/** Enough for every connection of every process to have prepared the recurring statements. */
const WARM_UP = 300;
const MESSAGES = 300;
const GOAL_OF_TWO = 1.7;

export const replicas: Rig = { title: 'More than one process', minutes: 8, measure };

interface Step {
  perSecond: number;
  /** Cores that each part used, on average. */
  busy: Busy;
}

async function measure(rounds: number): Promise<Figure[]> {
  const postgres = await startPostgres();
  const found = new Map<number, Step[]>(STEPS.map((step) => [step, []]));
  for (let round = 0; round < rounds; round++) {
    tellRound(replicas.title, round, rounds);
    const desk = await startDesk({ DATABASE_URL: await postgres.database(`service_${round}`) });
    const database = await postgres.database(`bridge_${round}`);
    const bridges: Program[] = [];
    for (const step of STEPS) {
      const ports = await freePorts(step - bridges.length);
      for (const port of ports)
        bridges.push(await desk.startBridge({ DATABASE_URL: database, PORT: String(port) }));
      found.get(step)?.push(await measured(desk, postgres, bridges));
    }
    for (const bridge of bridges) await bridge.stop();
    await desk.stop();
  }
  const perSecond = (step: number) => (found.get(step) ?? []).map((one) => one.perSecond);
  return STEPS.slice(1).map((step) => ({
    name: `${step} processes of the bridge`,
    unit: 'messages/s',
    ours: perSecond(step),
    baseline: { name: 'one process', values: perSecond(1) },
    ...(step === 2 && { goal: { atLeast: GOAL_OF_TWO } }),
    note: noteOf(found),
  }));
}

async function measured(desk: Desk, postgres: Postgres, bridges: readonly Program[]): Promise<Step> {
  const threads = await openThreads(desk, THREADS);
  await talk(desk, threads, WARM_UP);
  const { result, busy, seconds } = await busyDuring({ desk, postgres, bridges }, () =>
    talk(desk, threads, MESSAGES),
  );
  const cores = Object.fromEntries(PARTS.map((part) => [part, busy[part] / seconds])) as Busy;
  return { perSecond: result.perSecond, busy: cores };
}

function noteOf(found: ReadonlyMap<number, Step[]>): string {
  const cores = cpus().length;
  const lines = [...found].map(([step, rounds]) => {
    const median = (part: keyof Busy) =>
      percentile(
        rounds.map(({ busy }) => busy[part]),
        0.5,
      );
    const all = PARTS.reduce((sum, part) => sum + median(part), 0);
    const each = PARTS.map((part) => `${part} ${median(part).toFixed(2)}`).join(', ');
    return `with ${step}: ${each}, together ${all.toFixed(2)}`;
  });
  return `Of ${cores} cores in use ${lines.join('; ')}. Where one process already uses all cores, only a larger machine shows what another adds.`;
}

if (import.meta.main) await runAlone(replicas);
