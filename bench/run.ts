/**
 * `npm run bench`: runs every rig in its short form, or the named ones (`npm run bench -- footprint`). The
 * long ones (`backlog`, `million`, `soak`, `workflows`) and the one that needs a server run only by name. Results are
 * printed and written to `bench/results`, from which write-page.ts makes the page docs/numbers.md.
 */
import { backlog } from './backlog.ts';
import { chatToTicket, chatToTicketOnServer } from './chat-to-ticket.ts';
import { desk } from './desk-page.ts';
import { files } from './files.ts';
import { footprint } from './footprint.ts';
import { growth, million } from './growth.ts';
import { thisMachine } from './lib/machine.ts';
import type { SECTIONS, VARIANTS } from './lib/page.ts';
import { leaveNothing, machineLine, type Rig, ROUNDS, runRig, tableOf } from './lib/report.ts';
import { replicas } from './replicas.ts';
import { searchQuality } from './search-quality.ts';
import { searchSpeed } from './search-speed.ts';
import { service } from './service.ts';
import { endAll } from './lib/programs.ts';
import { soak } from './soak.ts';
import { start } from './start.ts';
import { ticketToPost } from './ticket-to-post.ts';
import { workflows } from './workflows.ts';
import { writePage, writeResults } from './write-page.ts';

const RIGS: Record<(typeof SECTIONS | typeof VARIANTS)[number], Rig> = {
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
  workflows,
  soak,
};
/** These have no baseline and are only printed. */
const ALONE: Record<string, () => Promise<void>> = {
  'search-quality': searchQuality,
  'search-speed': searchSpeed,
};
/** These take long or need a server. */
const ONLY_NAMED = ['backlog', 'chat-to-ticket-on-server', 'million', 'soak', 'workflows'];
const isRig = (name: string): name is keyof typeof RIGS => name in RIGS;

const given = process.argv.slice(2).filter((name) => !(name in ALONE));
const unknown = given.find((name) => !isRig(name));
if (unknown !== undefined)
  throw new Error(`there is no rig "${unknown}"; there are ${Object.keys(RIGS).join(', ')}`);
const named = given.filter(isRig);

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
const unasked = Object.keys(RIGS)
  .filter(isRig)
  .filter((name) => !ONLY_NAMED.includes(name));
for (const name of named.length > 0 ? named : unasked) {
  const rig = RIGS[name];
  const began = performance.now();
  console.error(`${name}: ${ROUNDS} rounds, at most ${rig.minutes} minutes between two …`);
  try {
    const part = await runRig(rig, ROUNDS);
    console.log(`\n## ${part.title}\n\n${tableOf(part)}\n`);
    await writeResults(name, { date, machine, part });
  } catch (error) {
    process.exitCode = 1;
    console.error(`${name} failed, and what was found before is left as it was:`, error);
  }
  console.error(`${name}: ${Math.round((performance.now() - began) / 1000)} s`);
}
await writePage();
