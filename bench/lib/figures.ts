/** What a rig found: each figure beside its baseline, measured in the same run, round by round in turn. */
export interface Figure {
  /** What was measured, as the table says it. */
  name: string;
  unit: 'messages/s' | 'requests/s' | 'ms' | 'MB' | 's' | 'packages';
  ours: number[];
  baseline: { name: string; values: number[] };
  /** Of ours to the baseline's. */
  goal?: { atLeast: number } | { atMost: number };
  /** Where the goal is not met: where the time goes, and what would be needed. Else what to know of it. */
  note?: string;
}

export interface Summary extends Figure {
  ratio: { median: number; least: number; most: number };
  met: boolean | undefined;
}

/** Ratios are taken round by round: what slowed a round down slowed both. */
export function summarize(figure: Figure): Summary {
  const ratios = figure.ours.map((value, round) => value / (figure.baseline.values[round] ?? Number.NaN));
  const ratio = { median: percentile(ratios, 0.5), least: Math.min(...ratios), most: Math.max(...ratios) };
  return { ...figure, ratio, met: isMet(figure.goal, ratio.median) };
}

function isMet(goal: Figure['goal'], ratio: number): boolean | undefined {
  if (!goal) return undefined;
  return 'atLeast' in goal ? ratio >= goal.atLeast : ratio <= goal.atMost;
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
