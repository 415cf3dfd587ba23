/**
 * `npm run bench`: runs every rig in its short form, or the named ones (`npm run bench -- footprint`). The
 * long ones (`backlog`, `million`, `soak`) and the one that needs a server run only by name. Results are printed and
 * written to `bench/results`, from which the page docs/numbers.md is made.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { format, resolveConfig } from 'prettier';

import { backlog } from './backlog.ts';
import { chatToTicket, chatToTicketOnServer } from './chat-to-ticket.ts';
import { desk } from './desk-page.ts';
import { files } from './files.ts';
import { footprint } from './footprint.ts';
import { growth, million } from './growth.ts';
import { chartOf } from './lib/chart.ts';
import { thisMachine } from './lib/machine.ts';
import { CHART, pageOf } from './lib/page.ts';
import { leaveNothing, machineLine, type Results, type Rig, ROUNDS, runRig, tableOf } from './lib/report.ts';
import { replicas } from './replicas.ts';
import { searchQuality } from './search-quality.ts';
import { searchSpeed } from './search-speed.ts';
import { service } from './service.ts';
import { endAll } from './lib/programs.ts';
import { soak } from './soak.ts';
import { start } from './start.ts';
import { ticketToPost } from './ticket-to-post.ts';

/** In the order of the page. */
const RIGS: Record<string, Rig> = {
  'chat-to-ticket': chatToTicket,
  'chat-to-ticket-on-server': chatToTicketOnServer,
  'ticket-to-post': ticketToPost,
  backlog,
  files,
  service,
  growth,
  million,
  replicas,
  start,
  footprint,
  desk,
  soak,
};
/** These have no baseline and are only printed. */
const ALONE: Record<string, () => Promise<void>> = {
  'search-quality': searchQuality,
  'search-speed': searchSpeed,
};
/** These take long or need a server. */
const ONLY_NAMED = ['backlog', 'chat-to-ticket-on-server', 'million', 'soak'];
/** The page has one sentence on each. */
const VARIANTS = ['chat-to-ticket-on-server', 'million'];

const file = (name: string) => path.resolve(import.meta.dirname, '..', name);
const resultsOf = (name: string) => file(`bench/results/${name}.json`);

const named = process.argv.slice(2).filter((name) => !(name in ALONE));
const unknown = named.find((name) => !(name in RIGS));
if (unknown !== undefined)
  throw new Error(`there is no rig "${unknown}"; there are ${Object.keys(RIGS).join(', ')}`);

leaveNothing();
const alone = Object.keys(ALONE).filter((name) => process.argv.includes(name));
for (const name of alone) await ALONE[name]?.();
if (alone.length > 0) {
  await endAll();
  if (named.length === 0) process.exit();
}
const date = new Date().toISOString().slice(0, 10);
const machine = thisMachine();
console.error(machineLine(machine));
mkdirSync(file('bench/results'), { recursive: true });
const unasked = Object.keys(RIGS).filter((name) => !ONLY_NAMED.includes(name));
for (const name of named.length > 0 ? named : unasked) {
  const rig = RIGS[name] as Rig;
  const began = performance.now();
  console.error(`${name}: ${ROUNDS} rounds, at most ${rig.minutes} minutes between two …`);
  try {
    const part = await runRig(rig, ROUNDS);
    console.log(`\n## ${part.title}\n\n${tableOf(part)}\n`);
    await write(resultsOf(name), JSON.stringify({ date, machine, part } satisfies Results));
  } catch (error) {
    process.exitCode = 1;
    console.error(`${name} failed, and what was found before is left as it was:`, error);
  }
  console.error(`${name}: ${Math.round((performance.now() - began) / 1000)} s`);
}
const results = Object.keys(RIGS).flatMap(found);
const sections = Object.keys(RIGS).filter((name) => !VARIANTS.includes(name));
await write(file('docs/numbers.md'), pageOf(sections.flatMap(found), VARIANTS.flatMap(found)));
writeFileSync(file(`docs/${CHART}`), chartOf(results.map(({ part }) => part)));

/** The result of a rig, from this run or an earlier one. */
function found(name: string): Results[] {
  const where = resultsOf(name);
  return existsSync(where) ? [JSON.parse(readFileSync(where, 'utf8')) as Results] : [];
}

/** Formats with the repository's Prettier settings. */
async function write(where: string, text: string): Promise<void> {
  const options = await resolveConfig(where);
  writeFileSync(where, await format(text, { ...options, filepath: where }));
}
