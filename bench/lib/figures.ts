/** What a rig found: each figure beside its baseline, measured in the same run, round by round in turn. */
export interface Figure {
  /** What was measured, as the table says it. */
  name: string;
  unit: 'messages/s' | 'requests/s' | 'ms' | 'MB' | 's' | 'packages' | 'rows';
  ours: number[];
  baseline: { name: string; values: number[] };
  goal?: Goal;
  /** What to know of it: where the time goes, what it was measured with. True whatever came out. */
  note?: string;
}

/** Of ours to the baseline's, by how much; or of ours itself, in its unit. */
export type Goal = { atLeast: number } | { atMost: number } | { under: number };

export interface Summary extends Figure {
  ratio: { median: number; least: number; most: number };
  met: boolean | undefined;
}

/** Ratios are taken round by round: what slowed a round down slowed both. */
export function summarize(figure: Figure): Summary {
  const ratios = figure.ours.map((value, round) => value / (figure.baseline.values[round] ?? Number.NaN));
  const ratio = { median: percentile(ratios, 0.5), least: Math.min(...ratios), most: Math.max(...ratios) };
  return { ...figure, ratio, met: isMet(figure, ratio.median) };
}

function isMet({ goal, ours }: Figure, ratio: number): boolean | undefined {
  if (!goal) return undefined;
  if ('under' in goal) return percentile(ours, 0.5) <= goal.under;
  return 'atLeast' in goal ? ratio >= goal.atLeast : ratio <= goal.atMost;
}

/** A goal as tables write it. */
export function goalOf({ goal, unit }: Pick<Figure, 'goal' | 'unit'>): string {
  if (!goal) return '';
  if ('under' in goal) return `≤ ${goal.under} ${unit}`;
  return 'atLeast' in goal ? `≥ ${goal.atLeast}×` : `≤ ${goal.atMost}×`;
}

/** The value that this share of all is at most; nearest rank. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** Three significant digits, as people read them. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.max(Math.abs(value), 1e-9))));
  return value.toFixed(Math.min(digits, 3));
}
