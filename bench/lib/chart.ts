import { goalOf, shown, type Summary } from './figures.ts';

const WIDTH = 900;
const LABELS = 390;
const RIGHT = 70;
const ROW = 26;
const TOP = 44;
const DECADES = [0.1, 1, 10, 100];

const x = (ratio: number): number => {
  const [least = 0.1, most = 100] = [DECADES[0], DECADES.at(-1)];
  const share = Math.log10(Math.min(Math.max(ratio, least), most) / least) / Math.log10(most / least);
  return Math.round(LABELS + share * (WIDTH - LABELS - RIGHT));
};
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/**
 * Ratios to the baselines as bars on a logarithmic scale, each with its spread and its goal, as an SVG for either
 * colour scheme. What has a goal in its own unit says it in words.
 */
export function chartOf(figures: readonly Summary[]): string {
  const rows = figures.filter(({ ratio }) => Number.isFinite(ratio.median) && ratio.median > 0);
  const height = TOP + rows.length * ROW + 16;
  const bottom = height - 12;
  const scale = DECADES.map(
    (decade) =>
      `<line x1="${x(decade)}" y1="${TOP - 8}" x2="${x(decade)}" y2="${bottom}" class="${decade === 1 ? 'one' : 'grid'}"/>` +
      `<text x="${x(decade)}" y="${TOP - 14}" text-anchor="middle">${decade}×</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Each figure beside its baseline; the table says the same">
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.grid { stroke: #d0d7de } .one, .spread { stroke: #1f2328 } .goal { stroke: #0969da; stroke-width: 2; stroke-dasharray: 3 2 }
.none { fill: #8c959f } .met { fill: #1a7f37 } .missed { fill: #bc4c00 } .key { fill: #59636e }
@media (prefers-color-scheme: dark) { text { fill: #f0f6fc } .grid { stroke: #3d444d } .one, .spread { stroke: #f0f6fc } .goal { stroke: #4493f8 } .key { fill: #9198a1 } .met { fill: #2ea043 } .missed { fill: #db6d28 } }
</style>
<text x="0" y="18" class="key">1×: as the baseline · green: its goal is met · orange: not met · grey: without a goal · dashed: the goal</text>
${scale.join('\n')}
${rows.map((row, at) => rowOf(row, TOP + at * ROW)).join('\n')}
</svg>
`;
}

function rowOf(figure: Summary, top: number): string {
  const { name, ratio, met, goal } = figure;
  const middle = top + ROW / 2;
  const [from, to] = [x(1), x(ratio.median)].toSorted((a, b) => a - b);
  const at = goal && !('under' in goal) ? x('atLeast' in goal ? goal.atLeast : goal.atMost) : undefined;
  const inWords = goal && 'under' in goal ? ` (goal ${goalOf(figure)})` : '';
  const right = Math.max(x(ratio.most), x(1)) + 8;
  return [
    `<text x="${LABELS - 10}" y="${middle + 4}" text-anchor="end">${escaped(name + inWords)}</text>`,
    `<rect x="${from ?? 0}" y="${top + 6}" width="${Math.max(2, (to ?? 0) - (from ?? 0))}" height="${ROW - 12}" class="${met === undefined ? 'none' : met ? 'met' : 'missed'}"/>`,
    `<line x1="${x(ratio.least)}" y1="${middle}" x2="${x(ratio.most)}" y2="${middle}" class="spread"/>`,
    ...(at === undefined
      ? []
      : [`<line x1="${at}" y1="${top + 2}" x2="${at}" y2="${top + ROW - 2}" class="goal"/>`]),
    `<text x="${right}" y="${middle + 4}">${shown(ratio.median)}×</text>`,
  ].join('');
}
