/**
 * `npm run bench`: every rig in its short form, or those that are named (`npm run bench -- footprint`). The figures are
 * printed; those of a whole run are written to bench/results.json, those of a long one (`million`, `soak`: only when it
 * is named) to a file of its own, and all of them to the page docs/numbers.md.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { format, resolveConfig } from 'prettier';

import { chatToTicket } from './chat-to-ticket.ts';
import { footprint } from './footprint.ts';
import { growth, million } from './growth.ts';
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
const LONG: Record<string, Rig> = { million, soak };
const ALL: Record<string, Rig> = { ...RIGS, ...LONG };

const file = (name: string) => path.resolve(import.meta.dirname, '..', name);
const WHOLE = file('bench/results.json');
const fileOf = (long: string) => file(`bench/${long}.json`);

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

if (failed.length > 0) {
  console.error(`${failed.join(', ')} failed; nothing was written`);
  process.exitCode = 1;
} else {
  const isWhole = named.length === 0;
  const long = named.filter((name) => name in LONG);
  if (isWhole) await write(WHOLE, JSON.stringify({ date, machine, parts }));
  for (const name of long)
    await write(
      fileOf(name),
      JSON.stringify({ date, machine, parts: parts.filter(({ title }) => title === LONG[name]?.title) }),
    );
  const short = read(WHOLE);
  if (short && (isWhole || long.length > 0)) {
    const earlier = Object.keys(LONG).flatMap((name) => read(fileOf(name)) ?? []);
    await write(file('docs/numbers.md'), pageOf(short, earlier));
    writeFileSync(file(`docs/${CHART}`), chartOf(short.parts));
  }
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
