/** The result of a rig: each figure next to its baseline, measured in the same run, in alternating rounds. */
export interface Figure {
  /** The name of the figure in the table. */
  name: string;
  unit:
    | 'messages/s'
    | 'files/s'
    | 'requests/s'
    | 'ms'
    | 'MB'
    | 's'
    | 'packages'
    | 'rows'
    | 'requests'
    | 'KB'
    | '%';
  ours: number[];
  baseline: { name: string; values: number[] };
  goal?: Goal;
  /** Context for the figure: where the time goes, how it was measured. True whatever the result. */
  note?: string;
}

/** The goal for the ratio to the baseline or, with a unit, for our own value. */
export type Goal = { atLeast: number } | { atMost: number } | { under: number };

export interface Summary extends Figure {
  ratio: { median: number; least: number; most: number };
  met: boolean | undefined;
}

/** Ratios are taken per round: whatever slows a round down slows both sides. */
export function summarize(figure: Figure): Summary {
  const ratios = figure.ours.map((value, round) =>
    ratioOf(value, figure.baseline.values[round] ?? Number.NaN),
  );
  const ratio = { median: percentile(ratios, 0.5), least: Math.min(...ratios), most: Math.max(...ratios) };
  return { ...figure, ratio, met: isMet(figure, ratio.median) };
}

/** Nothing beside nothing is as much. */
const ratioOf = (value: number, baseline: number) => (value === baseline ? 1 : value / baseline);

function isMet({ goal, ours }: Figure, ratio: number): boolean | undefined {
  if (!goal) return undefined;
  if ('under' in goal) return percentile(ours, 0.5) <= goal.under;
  return 'atLeast' in goal ? ratio >= goal.atLeast : ratio <= goal.atMost;
}

/** A goal as tables show it. */
export function goalOf({ goal, unit }: Pick<Figure, 'goal' | 'unit'>): string {
  if (!goal) return '';
  if ('under' in goal) return `≤ ${goal.under} ${unit}`;
  return 'atLeast' in goal ? `≥ ${goal.atLeast}×` : `≤ ${goal.atMost}×`;
}

/** The percentile by nearest rank. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** Three significant digits. */
export function formatFigure(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.max(Math.abs(value), 1e-9))));
  return value.toFixed(Math.min(digits, 3));
}
