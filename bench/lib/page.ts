import type { Summary } from './figures.ts';
import { type Results, tableOf } from './report.ts';

/** docs/numbers.md, from what `npm run bench` found. */
export function pageOf(results: Results): string {
  const { figures, date } = results;
  const charts = figures
    .filter(({ ours }) => ours.length > 1)
    .map(chartOf)
    .join('\n\n');
  const notes = figures
    .filter(({ note }) => note !== undefined)
    .map(({ name, note }) => `- **${name}**: ${note ?? ''}`);
  return `# Numbers

What it costs, beside what one would use instead. \`npm run bench\` measures all of it anew and writes this page: every
figure beside a named baseline, in the same run, round by round in turn. The ratio is the median of the rounds', with the
least and the most of them. Everything stays on this machine, and every load is bounded.

Measured on ${date}: ${tableOf(results)}
${notes.length > 0 ? `\n${notes.join('\n')}\n` : ''}
## Round by round

${charts}
`;
}

function chartOf({ name, unit, ours, baseline }: Summary): string {
  const list = (values: readonly number[]) => values.map((value) => Number(value.toPrecision(3))).join(', ');
  return `\`\`\`mermaid
xychart-beta
  title "${name} (${unit}): bars deskbridge, line ${baseline.name}"
  x-axis [${ours.map((_, at) => at + 1).join(', ')}]
  y-axis "${unit}"
  bar [${list(ours)}]
  line [${list(baseline.values)}]
\`\`\``;
}
