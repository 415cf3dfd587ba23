import { shown, type Summary } from './figures.ts';
import { machineLine, type Part, type Results, tableOf } from './report.ts';

/** The path of the chart, relative to `docs`. */
export const CHART = 'pictures/numbers.svg';

/**
 * Writes docs/numbers.md from the results of the rigs.
 * @param brief variants of a rig that get one sentence each; their figures are in the chart.
 */
export function pageOf(results: readonly Results[], brief: readonly Results[] = []): string {
  return `# Numbers

This page is for the person who must decide whether deskbridge is fast and small enough. \`npm run bench\` measures it in a quarter of an hour and writes this page. Each figure has a named baseline, measured in the same run, round by round in turn, unless noted; the ratio is the median of the rounds, with the least and the most.

![Every figure as a ratio to its baseline](${CHART})

${measuredOn([...results, ...brief])}

\`million\`, \`backlog\`, \`soak\` (half an hour) and \`chat-to-ticket-on-server\` (\`BENCH_DATABASE_URL\`: a superuser's URL) run only when named. \`desk\` also measures the checkout in \`BENCH_FORMER_DESK\` (0f1f1d5).

${results.map(({ part }) => sectionOf(part)).join('\n\n')}

${variantsOf(brief)}

${WHERE_THE_TIME_GOES}`;
}

/** Findings from profiles and query plans. */
const WHERE_THE_TIME_GOES = `## Where the time goes

At rest, a message from chat takes 3 SQL statements of its own, and an answer 15; at two a second, with periodic ones, 11 and 20 (\`node bench/trace.ts\`). Under load, events are stored, worked and finished in groups: less than one statement of the bridge for a message.
`;

function variantsOf(brief: readonly Results[]): string {
  if (brief.length === 0) return '';
  const lines = brief.map(({ date, part: { title, figures } }) => {
    const met = figures.filter((figure) => figure.met === true).length;
    const missed = figures.filter((figure) => figure.met === false);
    const names = missed.map(({ name, ratio }) => `${name} (${shown(ratio.median)}×)`);
    return `- **${title}** (${date}). Goals met: ${met}. Not met: ${names.join(', ') || 'none'}.`;
  });
  return `## Variants\n\n${lines.join('\n')}`;
}

function sectionOf(part: Part): string {
  return [`## ${part.title}`, tableOf(part), notesOf(part.figures).join('\n')]
    .filter((text) => text !== '')
    .join('\n\n');
}

/** One line per day and machine, with the load before each part. */
function measuredOn(results: readonly Results[]): string {
  const groups = Object.groupBy(results, ({ date, machine }) => `${date}, ${machineLine(machine)}`);
  return Object.entries(groups)
    .map(([when, parts = []]) => {
      const loads = parts.map(({ machine, part }) => `${part.title} ${machine.load}`);
      return `- ${when}. Load before the start: ${loads.join('; ')}.`;
    })
    .join('\n');
}

/** A note that several figures share is printed once. */
function notesOf(figures: readonly Summary[]): string[] {
  const notes = figures.flatMap(({ note }) => (note === undefined ? [] : [`- ${note}`]));
  return [...new Set(notes)];
}
