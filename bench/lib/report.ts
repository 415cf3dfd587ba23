import { type Figure, shown, type Summary, summarize } from './figures.ts';
import { closeLoad } from './load.ts';
import { type Machine, thisMachine } from './machine.ts';
import { endAll } from './programs.ts';

/** Of each figure; `BENCH_ROUNDS` for a quick look. */
export const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
/** A rig that hangs tells nothing: it ends with an error after this. */
const GIVE_UP_MS = 30 * 60_000;

export interface Results {
  date: string;
  machine: Machine;
  figures: Summary[];
}

/** One rig by itself: its figures as a table. */
export async function runAlone(rig: (rounds: number) => Promise<Figure[]>): Promise<void> {
  await tidily(async () => {
    const machine = thisMachine();
    const figures = (await rig(ROUNDS)).map(summarize);
    console.log(tableOf({ date: new Date().toISOString(), machine, figures }));
  });
}

/** Leaves nothing running and nothing on the disk, however it ends. */
export async function tidily(work: () => Promise<void>): Promise<void> {
  const timer = setTimeout(() => {
    console.error('not done in time');
    void endAll().then(() => process.exit(1));
  }, GIVE_UP_MS);
  try {
    await work();
  } finally {
    clearTimeout(timer);
    await endAll();
    await closeLoad();
  }
}

/** Medians of all rounds; the ratio with its least and its most. */
export function tableOf({ machine, figures }: Results): string {
  const rows = figures.map((figure) => {
    const ours = shown(summaryOf(figure.ours));
    const theirs = shown(summaryOf(figure.baseline.values));
    const { median, least, most } = figure.ratio;
    const goal = !figure.goal
      ? ''
      : 'atLeast' in figure.goal
        ? `≥ ${figure.goal.atLeast}×`
        : `≤ ${figure.goal.atMost}×`;
    const met = figure.met === undefined ? '' : figure.met ? 'met' : '**not met**';
    return `| ${figure.name} | ${ours} ${figure.unit} | ${figure.baseline.name}: ${theirs} | ${shown(median)}× (${shown(least)}–${shown(most)}) | ${goal} | ${met} |`;
  });
  return [
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, Node ${machine.node}, Bolt ${machine.bolt}, load ${machine.load} before the start.`,
    '',
    '| What | deskbridge | Beside it | Ratio (least–most) | Goal | |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function summaryOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}
