import { goalOf, percentile, formatFigure, type Summary } from './figures.ts';
import { machineLine, type Part, type Results, tableOf } from './report.ts';

/** The path of the chart, relative to `docs`. */
export const CHART = 'pictures/numbers.svg';

/** The rigs in the order of the page. */
export const SECTIONS = [
  'chat-to-ticket',
  'ticket-to-post',
  'backlog',
  'files',
  'service',
  'growth',
  'replicas',
  'start',
  'footprint',
  'desk',
  'workflows',
  'soak',
] as const;

/** Variants of a rig: the page has one sentence on each, and their figures are in the chart. */
export const VARIANTS = ['chat-to-ticket-on-server', 'million'] as const;

/** The figures that the page begins with: the rig, the figure, and how the page calls it there. */
const TEN: readonly (readonly [rig: string, figure: string, name: string])[] = [
  ['From chat to the ticket', 'throughput', 'messages from chat to tickets'],
  [
    'From chat to the ticket',
    'acknowledgement at 10 a second, the slowest of a hundred',
    'an event is acknowledged to Slack, the slowest of a hundred',
  ],
  [
    'From the ticket to chat',
    'median time until an answer stands in the thread',
    'an answer stands in the thread, median',
  ],
  [
    'After a standstill',
    'from the start until 10,000 stored events are on their tickets',
    '10,000 events that waited are on their tickets',
  ],
  ['Files from chat to the ticket', 'screenshots of 300 KB', 'screenshots from chat to tickets'],
  ['The service', 'GET /tickets/{id}', 'the service reads a ticket'],
  [
    'As the desk grows to 100,000 tickets',
    'search: the slowest of twenty',
    'a search among 100,000 tickets, the slowest of twenty',
  ],
  ['The desk in a browser', 'cold, until one can write', 'a ticket page, opened cold, until one can write'],
  ['From the command to ready', 'npm start on an existing database', '`npm start` until all is ready'],
  ['What it takes', 'memory half a minute after npm start', 'memory of everything, at rest'],
];

/** Returns the text of docs/numbers.md, from the results of the rigs. */
export function pageOf(results: readonly Results[], brief: readonly Results[] = []): string {
  return `# Numbers

After reading this page you can say whether deskbridge is fast and small enough for you, and measure it on your own machine. These ten figures matter most:

${tenOf(results)}

${honestlyOf(results)}

## How it was measured

\`npm run bench\` measures in a quarter of an hour and writes this page. Each figure has a named baseline, measured in the same run, round by round in turn, unless noted; the ratio is the median of the rounds, with the least and the most.

![Every figure as a ratio to its baseline](${CHART})

${measuredOn([...results, ...brief])}

\`million\`, \`backlog\`, \`workflows\`, \`soak\` (half an hour) and \`chat-to-ticket-on-server\` (\`BENCH_DATABASE_URL\`: a superuser's URL) run only when named. \`desk\` also measures the checkout in \`BENCH_FORMER_DESK\` (0f1f1d5).

${results.map(({ part }) => sectionOf(part)).join('\n\n')}

${variantsOf(brief)}

${WHERE_THE_TIME_GOES}`;
}

/** The table of the ten figures, of those that were measured. */
function tenOf(results: readonly Results[]): string {
  const rows = TEN.flatMap(([title, name, shownAs]) => {
    const figures = results.find(({ part }) => part.title === title)?.part.figures ?? [];
    const figure = figures.find((one) => one.name === name);
    if (!figure) return [];
    const { baseline, ratio, unit } = figure;
    const beside = baseline.values.length === 0 ? '' : `${formatFigure(ratio.median)}× ${baseline.name}`;
    const met = figure.met === undefined ? '' : figure.met ? 'met' : '**not met**';
    return `| ${shownAs} | ${formatFigure(percentile(figure.ours, 0.5))} ${unit} | ${beside} | ${goalOf(figure)} | ${met} |`;
  });
  return ['| What | deskbridge | Beside | Goal | |', '| --- | --- | --- | --- | --- |', ...rows].join('\n');
}

/** What the figures do not say, and how many goals are missed. */
function honestlyOf(results: readonly Results[]): string {
  const withGoal = results.flatMap(({ part }) => part.figures).filter(({ met }) => met !== undefined);
  const missed = withGoal.filter(({ met }) => met === false).length;
  return `Of ${withGoal.length} figures with a goal, ${missed} miss it; the tables below say which. All were taken on one small machine that other programs used at the same time, with the load, the database and a sandbox in place of Slack on its two cores. The parts were measured on different days, on different states of the code. So trust the ratios to what was measured in the same minutes, not the milliseconds. A small bot that stores nothing carries messages faster than deskbridge: the difference pays for storing each message before it is acknowledged, keeping its order and remembering what was written. With the real Slack all is slower than here, and its own limit, about one post per second and channel, comes long before ours.`;
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
    const names = missed.map(({ name, ratio }) => `${name} (${formatFigure(ratio.median)}×)`);
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
