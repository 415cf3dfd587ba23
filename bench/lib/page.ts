import type { Summary } from './figures.ts';
import { machineLine, type Results, tableOf } from './report.ts';

/** Where the page finds its chart, from `docs`. */
export const CHART = 'pictures/numbers.svg';

/** docs/numbers.md, from what the rigs found. */
export function pageOf(results: readonly Results[]): string {
  const machines = [...new Set(results.map(({ machine }) => machineLine(machine)))];
  return `# Numbers

What it costs, beside what one would use instead. \`npm run bench\` measures it anew, in a quarter of an hour, and writes this
page: every figure beside a named baseline, in the same run, round by round in turn. The ratio is the median of the rounds',
with the least and the most of them. Everything stays on this machine, and every load is bounded. What takes long, or needs a
server, is measured when it is named: \`npm run bench -- million\`, \`npm run bench -- soak\` (half an hour), and
\`BENCH_DATABASE_URL=… npm run bench -- chat-to-ticket-on-server\` with a superuser's URL of a Postgres on this machine.

${machines.map((machine) => `Measured on: ${machine}.`).join('\n\n')}

![Every figure as a ratio to its baseline](${CHART})

${results.map((one) => sectionOf(one, machines.length > 1)).join('\n\n')}

${MENDED}`;
}

/** What the rigs led to (docs/where-the-time-goes.md has the statements and the plans): each pair measured by the same rig on the machine of the tables above, before and after it. */
const MENDED = `## What was found and mended

Where the time goes that is left, statement by statement, and the plans: [where-the-time-goes.md](where-the-time-goes.md).

| What a profile or a plan showed | What was done | Before → after |
| --- | --- | --- |
| Planning took most of Postgres' time for a statement | each connection prepares what comes again | \`GET /tickets/{id}\` 638 → 1,220 requests/s; an answer in its thread after 64 → 49 ms |
| An echo of a message was stored, worked, and its ticket's messages listed; every hint had its own look at the ticket | one look at the links at the door; one waiting look for all | with the row above, for each message from chat: Postgres 16.9 → 11.7 ms of a core, all programs 36.5 → 30.0 ms |
| Each statement is a write on both sides | what belongs together goes in one: an event with its job, a ticket message with its copy, a job's end with its transaction; what nothing can follow from (an echo, the bot's own post) ends at the door | statements of bridge and service: 62 → 36 for a message from chat, 124 → 98 for an answer |
| What somebody has open was looked for among all tickets, at a million of them | the statement is planned for the statuses that are open, and an index holds somebody's tickets by their status | the database's part of it 1,305 → 0.1 ms of a person, 36 → 0.2 ms of an agent |
| An id asked the system for randomness sixteen times, and the statement that knows a key was put together anew for each request | randomness of 256 ids at once; the text of the statement is kept | for each \`GET /tickets/{id}\`, of the service: 0.49 → 0.43 ms of a core |
| A search for a word of half of all tickets went through its index | the newest tickets first | 44 → 6 ms at 100,000 tickets; as one person 60 → 5 ms |
`;

/** @param isOneOfSeveral machines: then it says on which. */
function sectionOf({ date, machine, part }: Results, isOneOfSeveral: boolean): string {
  const where = isOneOfSeveral ? ` on ${machineLine(machine)}` : '';
  const when = `Measured on ${date}${where}; load before the start: ${machine.load}.`;
  return [`## ${part.title}`, tableOf(part), notesOf(part.figures).join('\n'), when]
    .filter((text) => text !== '')
    .join('\n\n');
}

/** A note that several figures share is said once. */
function notesOf(figures: readonly Summary[]): string[] {
  const notes = figures.flatMap(({ note }) => (note === undefined ? [] : [`- ${note}`]));
  return [...new Set(notes)];
}
