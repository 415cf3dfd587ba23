import { type Figure, goalOf, formatFigure, type Summary } from './figures.ts';

const WIDTH = 1_000;
const LABELS = 500;
const VALUES = 70;
const ROW = 26;
const TOP = 58;
const DECADES = [0.1, 1, 10, 100];
const PLOT = { from: LABELS, to: WIDTH - VALUES - 20 };

/** The name for the figures of one rig. */
interface Group {
  title: string;
  figures: readonly Summary[];
}

const x = (ratio: number): number => {
  const [least = 0.1, most = 100] = [DECADES[0], DECADES.at(-1)];
  const share = Math.log10(Math.min(Math.max(ratio, least), most) / least) / Math.log10(most / least);
  return Math.round(PLOT.from + share * (PLOT.to - PLOT.from));
};
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/**
 * Draws the ratios to the baselines as bars on a logarithmic scale, each with its spread and its goal, as an
 * SVG for light and dark mode. A goal in a figure's own unit is written as text.
 */
export function chartOf(groups: readonly Group[]): string {
  const rows: ((top: number) => string)[] = groups.flatMap(({ title, figures }) => [
    (top: number) => `<text x="0" y="${top + 19}" class="title">${escaped(title)}</text>`,
    ...figures
      .filter(({ ratio }) => Number.isFinite(ratio.median) && ratio.median > 0)
      .map((figure) => (top: number) => rowOf(figure, top)),
  ]);
  const height = TOP + rows.length * ROW + 12;
  const scale = DECADES.map(
    (decade) =>
      `<line x1="${x(decade)}" y1="${TOP - 6}" x2="${x(decade)}" y2="${height - 8}" class="${decade === 1 ? 'one' : 'grid'}"/>` +
      `<text x="${x(decade)}" y="${TOP - 12}" text-anchor="middle">${decade}×</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Each figure beside its baseline; the tables say the same">
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 } .title { font-weight: 600 }
.grid { stroke: #d0d7de } .one, .spread { stroke: #1f2328 } .goal { stroke: #0969da; stroke-width: 2; stroke-dasharray: 3 2 }
.none { fill: #8c959f } .met { fill: #1a7f37 } .missed { fill: #bc4c00 } .key { fill: #59636e }
@media (prefers-color-scheme: dark) { text { fill: #f0f6fc } .grid { stroke: #3d444d } .one, .spread { stroke: #f0f6fc } .goal { stroke: #4493f8 } .key { fill: #9198a1 } .met { fill: #2ea043 } .missed { fill: #db6d28 } }
</style>
<text x="0" y="18" class="key">1×: as the baseline · green: its goal is met · orange: not met · grey: without a goal · dashed: the goal</text>
${scale.join('\n')}
${rows.map((row, at) => row(TOP + at * ROW)).join('\n')}
</svg>
`;
}

function rowOf(figure: Summary, top: number): string {
  const { name, ratio, met } = figure;
  const middle = top + ROW / 2;
  const [from = 0, to = 0] = [x(1), x(ratio.median)].toSorted((a, b) => a - b);
  const goal = goalRatio(figure);
  const inWords = figure.goal && goal === undefined ? ` (goal ${goalOf(figure)})` : '';
  return [
    `<text x="${LABELS - 12}" y="${middle + 4}" text-anchor="end">${escaped(name + inWords)}</text>`,
    `<rect x="${from}" y="${top + 6}" width="${Math.max(2, to - from)}" height="${ROW - 12}" class="${met === undefined ? 'none' : met ? 'met' : 'missed'}"/>`,
    `<line x1="${x(ratio.least)}" y1="${middle}" x2="${x(ratio.most)}" y2="${middle}" class="spread"/>`,
    goal === undefined
      ? ''
      : `<line x1="${x(goal)}" y1="${top + 2}" x2="${x(goal)}" y2="${top + ROW - 2}" class="goal"/>`,
    `<text x="${WIDTH}" y="${middle + 4}" text-anchor="end">${formatFigure(ratio.median)}×</text>`,
  ].join('');
}

function goalRatio({ goal }: Figure): number | undefined {
  if (!goal || 'under' in goal) return undefined;
  return 'atLeast' in goal ? goal.atLeast : goal.atMost;
}
