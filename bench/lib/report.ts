import { type Figure, goalOf, percentile, formatFigure, type Summary, summarize } from './figures.ts';
import { closeLoad } from './load.ts';
import { type Machine, thisMachine } from './machine.ts';
import { endAll } from './programs.ts';
import { setting } from './setting.ts';

/** The number of rounds per figure; `BENCH_ROUNDS` for a quick look. */
export const ROUNDS = setting('BENCH_ROUNDS', 5);

/** A benchmark that can run by itself. */
export interface Rig {
  /** Its name on the page. */
  title: string;
  /** A rig that hangs reports nothing: it is ended when no new round has begun for this many minutes. */
  minutes: number;
  measure(rounds: number): Promise<Figure[]>;
}

/** The result of one rig. */
export interface Part {
  title: string;
  figures: Summary[];
}

/** The result of one rig, with the time and machine. */
export interface Results {
  date: string;
  machine: Machine;
  part: Part;
}

/** Runs one rig and prints its figures as a table. */
export async function runAlone(rig: Rig): Promise<void> {
  leaveNothing();
  const machine = thisMachine();
  const part = await runRig(rig, ROUNDS);
  console.log(`${machineLine(machine)}\n\n${tableOf(part)}`);
}

/** Ends the rig that runs if it takes too long; each round gives it its minutes again. */
let limit: NodeJS.Timeout | undefined;

/** Runs a rig and leaves no process and no data behind, however it ends. Throws if it hangs. */
export async function runRig(rig: Rig, rounds: number): Promise<Part> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const message = `${rig.title}: no new round within ${rig.minutes} minutes`;
  limit = setTimeout(() => reject(new Error(message)), rig.minutes * 60_000);
  try {
    const figures = await Promise.race([rig.measure(rounds), late]);
    return { title: rig.title, figures: figures.map(summarize) };
  } finally {
    clearTimeout(limit);
    limit = undefined;
    await endAll();
    await closeLoad();
  }
}

/** Prints the progress of a rig, whose time for this round begins. */
export function tellRound(title: string, round: number, rounds: number): void {
  limit?.refresh();
  console.error(`${title}: round ${round + 1} of ${rounds}`);
}

/** Cleans up after a signal or an unhandled error. */
export function leaveNothing(): void {
  let isEnding = false;
  const end = (error?: unknown) => {
    if (isEnding) return;
    isEnding = true;
    if (error !== undefined) console.error(error);
    void endAll().finally(() => process.exit(1));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end());
  // Requests in progress fail when their programs end; those errors are expected.
  process.on('uncaughtException', end);
}

export function machineLine(machine: Machine): string {
  return `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, Node ${machine.node}, Postgres ${machine.postgres}, Bolt ${machine.bolt}`;
}

/** The medians of all rounds, with the minimum and maximum of the ratio. */
export function tableOf({ figures }: Part): string {
  const [baselineName, ...furtherNames] = new Set(figures.map(({ baseline }) => baseline.name));
  const isShared = furtherNames.length === 0;
  const rows = figures.map((figure) => {
    const { name, unit, ours, baseline, ratio } = figure;
    const met = figure.met === undefined ? '' : figure.met ? 'met' : '**not met**';
    const value = formatFigure(percentile(baseline.values, 0.5));
    const beside = isShared ? value : `${baseline.name}: ${value}`;
    const spread = ours.length > 1 ? ` (${formatFigure(ratio.least)}–${formatFigure(ratio.most)})` : '';
    const compared =
      baseline.values.length === 0 ? ' | ' : `${beside} | ${formatFigure(ratio.median)}×${spread}`;
    return `| ${name} | ${formatFigure(percentile(ours, 0.5))} ${unit} | ${compared} | ${goalOf(figure)} | ${met} |`;
  });
  return [
    `| What | deskbridge | ${isShared ? baselineName : 'Baseline'} | Ratio (least–most) | Goal | |`,
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}
