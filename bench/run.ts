/**
 * `npm run bench`: every rig in its short form, or those that are named (`npm run bench -- footprint`); the figures as
 * a table, as JSON in `bench/results.json`, and as the page docs/numbers.md.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { chatToTicket } from './chat-to-ticket.ts';
import { footprint } from './footprint.ts';
import { type Figure, summarize, type Summary } from './lib/figures.ts';
import { thisMachine } from './lib/machine.ts';
import { pageOf } from './lib/page.ts';
import { endAll } from './lib/programs.ts';
import { type Results, ROUNDS, tableOf, tidily } from './lib/report.ts';
import { ticketToPost } from './ticket-to-post.ts';

const RIGS: Record<string, (options: { rounds: number }) => Promise<Figure[]>> = {
  'chat-to-ticket': chatToTicket,
  'ticket-to-post': ticketToPost,
  footprint,
};

const named = process.argv.slice(2);
for (const name of named)
  if (!(name in RIGS))
    throw new Error(`there is no rig "${name}"; there are ${Object.keys(RIGS).join(', ')}`);

await tidily(async () => {
  const machine = thisMachine();
  const figures: Summary[] = [];
  for (const [name, rig] of Object.entries(RIGS)) {
    if (named.length > 0 && !named.includes(name)) continue;
    console.error(`${name}: ${ROUNDS} rounds …`);
    figures.push(...(await rig({ rounds: ROUNDS })).map(summarize));
    await endAll();
  }
  const results: Results = { date: new Date().toISOString().slice(0, 10), machine, figures };
  console.log(tableOf(results));
  if (named.length > 0) return;
  const root = path.resolve(import.meta.dirname, '..');
  writeFileSync(path.join(root, 'bench/results.json'), `${JSON.stringify(results, undefined, 2)}\n`);
  writeFileSync(path.join(root, 'docs/numbers.md'), pageOf(results));
});
