/**
 * The time from a command to its line `ready`, and to the end of a command that needs no server: `node
 * bench/start.ts`. The baseline is Bolt with an empty listener on the same sandbox.
 */
import { freePorts } from '../test/harness/ports.ts';
import { startDesk } from './lib/desk.ts';
import type { Figure } from './lib/figures.ts';
import { type Program, runDeskbridge, scratch, startDeskbridge, startNpm } from './lib/programs.ts';
import { type Rig, runAlone, tellRound } from './lib/report.ts';

/** Commands that load none of the programs. */
const COMMANDS = [['help'], ['--version'], ['manifest'], ['keys', '--help'], ['doctor', '--help']];
const SECONDS = { command: 0.5, existing: 1.5, demo: 3 };
const TIMES_BOLT = 4;

export const start: Rig = { title: 'From the command to ready', minutes: 10, measure };

async function measure(rounds: number): Promise<Figure[]> {
  const desk = await startDesk();
  const existing = scratch();
  // Creates the database, and builds what the first start of a checkout builds.
  await (await startDeskbridge(['start'], await placeOf(existing))).stop();
  const seconds = { bolt: [] as number[], launch: [] as number[], npm: [] as number[], demo: [] as number[] };
  const commands = COMMANDS.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    tellRound(start.title, round, rounds);
    seconds.bolt.push(await untilReady(() => desk.startBot('bare-bolt.ts')));
    const placed = await placeOf(existing);
    seconds.launch.push(await untilReady(() => startDeskbridge(['start'], placed)));
    seconds.npm.push(await untilReady(() => startNpm(placed)));
    const fresh = await placeOf(scratch());
    seconds.demo.push(await untilReady(() => startNpm(fresh)));
    for (const [index, args] of COMMANDS.entries()) commands[index]?.push((await runDeskbridge(args)) / 1000);
  }
  const baseline = { name: 'Bolt with an empty listener', values: seconds.bolt };
  return [
    {
      name: 'start on an existing database, without npm',
      unit: 's',
      ours: seconds.launch,
      baseline,
      goal: { atMost: TIMES_BOLT },
    },
    {
      name: 'npm start on an existing database',
      unit: 's',
      ours: seconds.npm,
      baseline,
      goal: { under: SECONDS.existing },
    },
    {
      name: 'npm start for the first time, with the demo',
      unit: 's',
      ours: seconds.demo,
      baseline,
      goal: { under: SECONDS.demo },
    },
    ...COMMANDS.map((args, index): Figure => ({
      name: `deskbridge ${args.join(' ')}`,
      unit: 's',
      ours: commands[index] ?? [],
      baseline,
      goal: { under: SECONDS.command },
    })),
  ];
}

/** New ports for each start: the previous process may not have released its own yet. */
async function placeOf(directory: string): Promise<Record<string, string>> {
  const [port = 0, sandboxPort = 0] = await freePorts(2);
  return { DATA_DIR: directory, PORT: String(port), SANDBOX_PORT: String(sandboxPort) };
}

async function untilReady(begin: () => Promise<Program>): Promise<number> {
  const program = await begin();
  await program.stop();
  return program.startedMs / 1000;
}

if (import.meta.main) await runAlone(start);
