/**
 * What it costs to run deskbridge: start time, memory, packages, size, image: `node bench/footprint.ts`. The
 * baseline is Bolt with an empty listener, which is where every bridge begins. Memory is also measured as people see
 * it: of all that `npm start` runs with the demo, in proportional set sizes, while nobody uses it.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { freePorts } from '../test/harness/ports.ts';
import { type Desk, startDesk } from './lib/desk.ts';
import type { Figure } from './lib/figures.ts';
import { imageFigures } from './lib/image.ts';
import { bytesOf, filesOf, packagesOf, productionPackages, ROOT } from './lib/packages.ts';
import type { Shares } from './lib/proc.ts';
import { type Program, scratch, startNpm } from './lib/programs.ts';
import { type Rig, runAlone, tellRound } from './lib/report.ts';

const MB = 2 ** 20;
const IDLE_MS = 3_000;
/** After which time all of it is measured: soon after the start, and once it has rested. */
const AFTER_START_MS = 30_000;
const AFTER_REST_MS = 60_000;
/** Each takes a minute and a half; what is measured hardly differs. */
const STARTS = 2;
const MOST_MEGABYTES = 350;

export const footprint: Rig = { title: 'What it takes', minutes: 5, measure };

async function measure(rounds: number): Promise<Figure[]> {
  const desk = await startDesk();
  const ours: Footprint[] = [];
  const bare: Footprint[] = [];
  for (let round = 0; round < rounds; round++) {
    tellRound(footprint.title, round, rounds);
    ours.push(await startAndRest(() => desk.startBridge()));
    bare.push(await startAndRest(() => startBare(desk)));
  }
  const packages = { ours: productionPackages(), bolt: packagesOf('@slack/bolt') };
  const rested = await startAllAndRest();
  const megabytes = (names: ReadonlySet<string>) => bytesOf([...names].flatMap((name) => filesOf(name))) / MB;
  const baseline = 'Bolt with an empty listener';
  return [
    {
      name: 'start until ready, database and all',
      unit: 's',
      ours: ours.map(({ seconds }) => seconds),
      baseline: { name: baseline, values: bare.map(({ seconds }) => seconds) },
    },
    {
      name: 'memory at rest, of the process',
      unit: 'MB',
      ours: ours.map(({ memory }) => memory),
      baseline: { name: baseline, values: bare.map(({ memory }) => memory) },
    },
    ...memoryFigures(
      'half a minute after npm start',
      rested.map(({ afterStart }) => afterStart),
    ),
    ...memoryFigures(
      'after a minute of rest',
      rested.map(({ afterRest }) => afterRest),
    ),
    {
      name: 'packages that are installed',
      unit: 'packages',
      ours: [packages.ours.size],
      baseline: { name: '@slack/bolt and what it needs', values: [packages.bolt.size] },
    },
    {
      name: 'their size on the disk',
      unit: 'MB',
      ours: [megabytes(packages.ours)],
      baseline: { name: '@slack/bolt and what it needs', values: [megabytes(packages.bolt)] },
    },
    ...(await imageFigures(textOf('Dockerfile'), textOf('.dockerignore'))),
  ];
}

interface Footprint {
  seconds: number;
  memory: number;
}

const NONE = { name: 'no baseline', values: [] };

function memoryFigures(when: string, shares: readonly Shares[]): Figure[] {
  return [
    {
      name: `memory ${when}`,
      unit: 'MB',
      ours: shares.map(({ node, postgres }) => (node + postgres) / MB),
      baseline: NONE,
      goal: { under: MOST_MEGABYTES },
      note: 'All that `npm start` runs with the demo: npm, service, bridge, desk, sandbox and Postgres. What several processes share counts once.',
    },
    { name: `Node ${when}`, unit: 'MB', ours: shares.map(({ node }) => node / MB), baseline: NONE },
    {
      name: `Postgres ${when}`,
      unit: 'MB',
      ours: shares.map(({ postgres }) => postgres / MB),
      baseline: NONE,
    },
  ];
}

/** Starts all of it with the demo, and leaves it alone. */
async function startAllAndRest(): Promise<{ afterStart: Shares; afterRest: Shares }[]> {
  const found = [];
  for (let round = 0; round < STARTS; round++) {
    tellRound(`${footprint.title}, all of it`, round, STARTS);
    const [port = 0, sandboxPort = 0] = await freePorts(2);
    const environment = { DATA_DIR: scratch(), PORT: String(port), SANDBOX_PORT: String(sandboxPort) };
    const program = await startNpm(environment);
    await wait(AFTER_START_MS);
    const afterStart = program.memoryOfAll();
    await wait(AFTER_REST_MS);
    found.push({ afterStart, afterRest: program.memoryOfAll() });
    await program.stop();
  }
  return found;
}

const textOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

const startBare = (desk: Desk) => desk.startBot('bare-bolt.ts');

async function startAndRest(start: () => Promise<Program>): Promise<Footprint> {
  const program = await start();
  await wait(IDLE_MS);
  const found = { seconds: program.startedMs / 1000, memory: program.memory() / MB };
  await program.stop();
  return found;
}

if (import.meta.main) await runAlone(footprint);
