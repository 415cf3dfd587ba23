import type { Summary } from './figures.ts';
import { machineLine, type Part, type Results, tableOf } from './report.ts';

/** Where the page finds its chart, from `docs`. */
export const CHART = 'pictures/numbers.svg';

/** docs/numbers.md, from what `npm run bench` found, and from the last long run where there was one. */
export function pageOf({ parts, date, machine }: Results, long?: Results): string {
  return `# Numbers

What it costs, beside what one would use instead. \`npm run bench\` measures all of it anew and writes this page: every
figure beside a named baseline, in the same run, round by round in turn. The ratio is the median of the rounds', with the
least and the most of them. Everything stays on this machine, and every load is bounded.

Measured on ${date}: ${machineLine(machine)}

![Every figure as a ratio to its baseline](${CHART})

${parts.map(sectionOf).join('\n\n')}
${long ? `\n${longRun(long)}\n` : ''}`;
}

function sectionOf(part: Part): string {
  const notes = notesOf(part.figures);
  return `## ${part.title}\n\n${tableOf(part)}${notes.length > 0 ? `\n\n${notes.join('\n')}` : ''}`;
}

function longRun({ date, machine, parts }: Results): string {
  return `${parts.map(sectionOf).join('\n\n')}\n\nMeasured by \`npm run bench -- soak\` on ${date}: ${machineLine(machine)}`;
}

/** A note that several figures share is said once. */
function notesOf(figures: readonly Summary[]): string[] {
  const notes = figures.flatMap(({ note }) => (note === undefined ? [] : [`- ${note}`]));
  return [...new Set(notes)];
}
