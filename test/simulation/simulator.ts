// First: what is loaded after it may keep weak references.
import './references.ts';

import { Chance } from './chance.ts';
import { installFetching, resetFetching } from './fetching.ts';
import { installFiles } from './files.ts';
import { Network } from './network.ts';
import { drawPlan, leftOut } from './plan.ts';
import { installPrograms } from './program.ts';
import { VirtualTime } from './time.ts';
import type { Beginning } from './postgres.ts';
import type { Outcome } from './seed.ts';

/** What the simulation replaces; nothing else of the product is. */
export const REPLACED = [
  'clocks and timers',
  'randomness',
  'sockets and the connections of fetch',
  'files, which are read and written at once',
  'Postgres, by PGlite: one session, so no waiting for locks, no deadlocks, and session locks are rows',
];

const START = new Date('2026-03-02T09:00:00Z');
/** Longer than any time limit of what was begun. */
const LEFT_BEHIND_MS = 10 * 60_000;

// They are made with the sockets of the process, at their first use.
void [process.stdout, process.stderr];
const time = new VirtualTime(START);
// What all seeds start from is the same for all.
const chance = new Chance(0);
const network = new Network(time, chance);
time.install();
chance.install();
installPrograms();
network.install();
installFetching();
installFiles();

// Loaded only now, as they may keep what was replaced; and all at once, as a program would load them while time stands.
const { World } = await import('./world.ts');
const { SimulatedPostgres } = await import('./postgres.ts');
const { runSeed } = await import('./seed.ts');
for (const part of ['sandbox', 'service', 'bridge', 'platform/http'])
  await import(`../../src/${part}/index.ts`);

/** What the databases of each world begin with. */
interface Beginnings {
  service: Beginning;
  bridge: Beginning;
}

/** Runs worlds, one after the other, each from its seed. A process has one: it replaces the clocks of all that runs there. */
export class Simulator {
  readonly #beginnings: Beginnings;

  private constructor(beginnings: Beginnings) {
    this.#beginnings = beginnings;
  }

  /** Starts each program once, on empty databases: seeds begin with what they made there. */
  static async open(): Promise<Simulator> {
    const databases = await openDatabases();
    const world = new World(databases);
    for (const name of ['sandbox', 'service', 'bridge'] as const)
      await time.whileRunning(world.start(name), `the first start of the ${name}`);
    await end(world);
    return new Simulator({
      service: await databases.service.keep(),
      bridge: await databases.bridge.keep(),
    });
  }

  /**
   * Runs a seed with so many acts of people.
   * @param without the parts of its plan that are left out.
   * @returns what it showed, and what the programs logged.
   */
  async run(
    seed: number,
    actions: number,
    without: ReadonlySet<string> = new Set(),
  ): Promise<Outcome & { log: InstanceType<typeof World>['log'] }> {
    time.reset(START);
    chance.reset(seed);
    network.reset();
    const databases = await openDatabases(this.#beginnings);
    const world = new World(databases);
    const plan = leftOut(drawPlan(seed, actions), without);
    const outcome = await runSeed({ world, time, network, plan });
    await end(world);
    databases.service.close();
    databases.bridge.close();
    return { ...outcome, log: world.log };
  }
}

async function openDatabases(from?: Beginnings) {
  return {
    service: await SimulatedPostgres.open(network, chance.next(), from?.service),
    bridge: await SimulatedPostgres.open(network, chance.next(), from?.bridge),
  };
}

/** Ends what a world has begun, and lets the time pass that what it leaves behind takes. */
async function end(world: InstanceType<typeof World>): Promise<void> {
  await time.whileRunning(world.stop(), 'the stop');
  await time.whileRunning(resetFetching(), 'the end of all connections');
  await time.run(() => false, time.now + LEFT_BEHIND_MS);
}
