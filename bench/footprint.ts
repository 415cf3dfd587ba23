/**
 * What it takes to have it: start, memory, packages, size: `node bench/footprint.ts`. Beside it Bolt with an empty
 * listener, which is where every bridge begins.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

import { type Desk, startDesk } from './lib/desk.ts';
import type { Figure } from './lib/figures.ts';
import type { Program } from './lib/programs.ts';
import { type Rig, runAlone, tellRound } from './lib/report.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
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
  const megabytes = (names: ReadonlySet<string>) =>
    [...names].reduce((sum, name) => sum + sizeOf(name), 0) / MB;
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
  ];
}

interface Footprint {
  seconds: number;
  memory: number;
}

const startBare = (desk: Desk) => desk.startBot('bare-bolt.ts');

async function startAndRest(start: () => Promise<Program>): Promise<Footprint> {
  const program = await start();
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const found = { seconds: program.startedMs / 1000, memory: program.memory() / MB };
  await program.stop();
  return found;
}

interface Lock {
  packages: Record<
    string,
    { dev?: boolean; dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> }
  >;
}

function lock(): Lock['packages'] {
  return (JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as Lock).packages;
}

/** Folders of what is installed without the tools of development. */
function productionPackages(): Set<string> {
  return new Set(
    Object.entries(lock()).flatMap(([folder, { dev }]) =>
      folder !== '' && !dev && isThere(folder) ? [folder] : [],
    ),
  );
}

/** A package and whatever it needs, as they are installed. */
function packagesOf(name: string): Set<string> {
  const packages = lock();
  const found = new Set<string>();
  const add = (wanted: string, from: string) => {
    const folder = resolveFrom(packages, wanted, from);
    if (folder === undefined || found.has(folder) || !isThere(folder)) return;
    found.add(folder);
    const { dependencies = {}, optionalDependencies = {} } = packages[folder] ?? {};
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) add(next, folder);
  };
  add(name, '');
  return found;
}

/** The folder that Node takes a package from, seen from another one. */
function resolveFrom(packages: Lock['packages'], name: string, from: string): string | undefined {
  for (let at = from; ; at = at.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    const folder = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (packages[folder]) return folder;
    if (at === '') return undefined;
  }
}

function isThere(folder: string): boolean {
  return statSync(path.join(ROOT, folder), { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Bytes of a package's own files. */
function sizeOf(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const isNested = path.relative(path.join(ROOT, folder), file).split(path.sep).includes('node_modules');
    if (entry.isFile() && !isNested) bytes += statSync(file).size;
  }
  return bytes;
}

if (import.meta.main) await runAlone(footprint);
