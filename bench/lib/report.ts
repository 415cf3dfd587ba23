import { type Figure, goalOf, percentile, shown, type Summary, summarize } from './figures.ts';
import { closeLoad } from './load.ts';
import { type Machine, thisMachine } from './machine.ts';
import { endAll } from './programs.ts';
import { setting } from './setting.ts';

/** Of each figure; `BENCH_ROUNDS` for a quick look. */
export const ROUNDS = setting('BENCH_ROUNDS', 5);

/** What can be measured by itself. */
export interface Rig {
  /** As the page calls its part. */
  title: string;
  /** A rig that hangs tells nothing: it is given up after so many minutes. */
  minutes: number;
  measure(rounds: number): Promise<Figure[]>;
}

/** What one rig found. */
export interface Part {
  title: string;
  figures: Summary[];
}

/** What one rig found, when and where. */
export interface Results {
  date: string;
  machine: Machine;
  part: Part;
}

/** One rig by itself: its figures as a table. */
export async function runAlone(rig: Rig): Promise<void> {
  leaveNothing();
  const machine = thisMachine();
  const part = await runRig(rig, ROUNDS);
  console.log(`${machineLine(machine)}\n\n${tableOf(part)}`);
}

/** Measures; leaves nothing running and nothing on the disk, however it ends. A rig that is late ends the run. */
export async function runRig(rig: Rig, rounds: number): Promise<Part> {
  const late = setTimeout(() => {
    console.error(`${rig.title}: not done within ${rig.minutes} minutes`);
    void endAll().finally(() => process.exit(1));
  }, rig.minutes * 60_000);
  try {
    const figures = await rig.measure(rounds);
    return { title: rig.title, figures: figures.map(summarize) };
  } finally {
    clearTimeout(late);
    await endAll();
    await closeLoad();
  }
}

/** Tells whoever waits how far a rig is. */
export function tellRound(title: string, round: number, rounds: number): void {
  console.error(`${title}: round ${round + 1} of ${rounds}`);
}

/** Whoever ends a run, or an error that nobody awaits, leaves nothing of it behind. */
export function leaveNothing(): void {
  let isEnding = false;
  const end = (error?: unknown) => {
    if (isEnding) return;
    isEnding = true;
    if (error !== undefined) console.error(error);
    void endAll().finally(() => process.exit(1));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end());
  // What is under way when its programs end fails too; that is no news then.
  process.on('uncaughtException', end);
}

export function machineLine(machine: Machine): string {
  return `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, Node ${machine.node}, Postgres ${machine.postgres}, Bolt ${machine.bolt}`;
}

/** Medians of all rounds; the ratio with its least and its most. */
export function tableOf({ figures }: Part): string {
  const [baselineName, ...furtherNames] = new Set(figures.map(({ baseline }) => baseline.name));
  const isShared = furtherNames.length === 0;
  const rows = figures.map((figure) => {
    const { name, unit, ours, baseline, ratio } = figure;
    const met = figure.met === undefined ? '' : figure.met ? 'met' : '**not met**';
    const value = shown(percentile(baseline.values, 0.5));
    const beside = isShared ? value : `${baseline.name}: ${value}`;
    const spread = ours.length > 1 ? ` (${shown(ratio.least)}–${shown(ratio.most)})` : '';
    return `| ${name} | ${shown(percentile(ours, 0.5))} ${unit} | ${beside} | ${shown(ratio.median)}×${spread} | ${goalOf(figure)} | ${met} |`;
  });
  return [
    `| What | deskbridge | ${isShared ? baselineName : 'Baseline'} | Ratio (least–most) | Goal | |`,
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}
