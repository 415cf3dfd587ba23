/**
 * What it costs to run deskbridge: start time, memory, packages, size, image: `node bench/footprint.ts`. The
 * baseline is Bolt with an empty listener, which is where every bridge begins.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { type Desk, startDesk } from './lib/desk.ts';
import type { Figure } from './lib/figures.ts';
import { imageFigures } from './lib/image.ts';
import { bytesOf, filesOf, packagesOf, productionPackages, ROOT } from './lib/packages.ts';
import type { Program } from './lib/programs.ts';
import { type Rig, runAlone, tellRound } from './lib/report.ts';

const MB = 2 ** 20;
const IDLE_MS = 3_000;

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

const textOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

const startBare = (desk: Desk) => desk.startBot('bare-bolt.ts');

async function startAndRest(start: () => Promise<Program>): Promise<Footprint> {
  const program = await start();
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const found = { seconds: program.startedMs / 1000, memory: program.memory() / MB };
  await program.stop();
  return found;
}

if (import.meta.main) await runAlone(footprint);
