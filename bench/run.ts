/**
 * `npm run bench`: every rig in its short form, or those that are named (`npm run bench -- footprint`). The figures are
 * printed; those of a whole run are written to bench/results.json, those of the long one (`soak`, only when it is named)
 * to bench/soak.json, and both to the page docs/numbers.md.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { format, resolveConfig } from 'prettier';

import { chatToTicket } from './chat-to-ticket.ts';
import { footprint } from './footprint.ts';
import { growth } from './growth.ts';
import { chartOf } from './lib/chart.ts';
import { thisMachine } from './lib/machine.ts';
import { CHART, pageOf } from './lib/page.ts';
import {
  leaveNothing,
  machineLine,
  type Part,
  type Results,
  type Rig,
  ROUNDS,
  runRig,
  tableOf,
} from './lib/report.ts';
import { replicas } from './replicas.ts';
import { service } from './service.ts';
import { soak } from './soak.ts';
import { ticketToPost } from './ticket-to-post.ts';

const RIGS: Record<string, Rig> = {
  'chat-to-ticket': chatToTicket,
  'ticket-to-post': ticketToPost,
  service,
  growth,
  replicas,
  footprint,
};
const ALL: Record<string, Rig> = { ...RIGS, soak };

const file = (name: string) => path.resolve(import.meta.dirname, '..', name);
const JSON_FILES = { short: file('bench/results.json'), long: file('bench/soak.json') };

const named = process.argv.slice(2);
const unknown = named.find((name) => !(name in ALL));
if (unknown !== undefined)
  throw new Error(`there is no rig "${unknown}"; there are ${Object.keys(ALL).join(', ')}`);

leaveNothing();
const date = new Date().toISOString().slice(0, 10);
const machine = thisMachine();
console.error(machineLine(machine));
const parts: Part[] = [];
const failed: string[] = [];
for (const name of named.length > 0 ? named : Object.keys(RIGS)) {
  const rig = ALL[name] as Rig;
  const began = performance.now();
  console.error(`${name}: ${ROUNDS} rounds, ${rig.minutes} minutes at most …`);
  try {
    const part = await runRig(rig, ROUNDS);
    parts.push(part);
    console.log(`\n## ${part.title}\n\n${tableOf(part)}\n`);
  } catch (error) {
    failed.push(name);
    console.error(`${name} failed:`, error);
  }
  console.error(`${name}: ${Math.round((performance.now() - began) / 1000)} s`);
}

const results: Results = { date, machine, parts };
if (failed.length > 0) {
  console.error(`${failed.join(', ')} failed; nothing was written`);
  process.exitCode = 1;
} else {
  const isWhole = named.length === 0;
  if (isWhole) await write(JSON_FILES.short, JSON.stringify(results));
  if (named.includes('soak'))
    await write(JSON_FILES.long, JSON.stringify({ ...results, parts: parts.filter(isOf(soak)) }));
  const short = read(JSON_FILES.short);
  if (short && (isWhole || named.includes('soak'))) {
    await write(file('docs/numbers.md'), pageOf(short, read(JSON_FILES.long)));
    writeFileSync(file(`docs/${CHART}`), chartOf(short.parts));
  }
}

function isOf({ title }: Rig): (part: Part) => boolean {
  return (part) => part.title === title;
}

/** What an earlier run found, or this one. */
function read(where: string): Results | undefined {
  return existsSync(where) ? (JSON.parse(readFileSync(where, 'utf8')) as Results) : undefined;
}

/** As everything here is formatted. */
async function write(where: string, text: string): Promise<void> {
  const options = await resolveConfig(where);
  writeFileSync(where, await format(text, { ...options, filepath: where }));
}
