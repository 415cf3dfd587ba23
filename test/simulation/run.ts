/**
 * `npm run simulate`: worlds of sandbox, service and bridges in one process, on virtual time, each from one seed. Prints the
 * story of each seed that fails. Options: `--seeds` how many, `--seed` the first (default: drawn),
 * `--actions` of people in each, `--minutes` after which no further seed begins, `--story` prints every story.
 */
import { parseArgs } from 'node:util';

import { Chance } from './chance.ts';
import { installFetching, resetFetching } from './fetching.ts';
import { Network } from './network.ts';
import { VirtualTime } from './time.ts';

const START = new Date('2026-03-02T09:00:00Z');
const REPLACED = [
  'clocks and timers',
  'randomness',
  'sockets and the connections of fetch',
  'Postgres, by PGlite: one session, so no waiting for locks, no deadlocks, and session locks are rows',
];

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10' },
    seed: { type: 'string' },
    actions: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '60' },
    story: { type: 'boolean', default: false },
  },
});
const first = options.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(options.seed);
const secondsSince = (began: number) => ((realNow() - began) / 1_000).toFixed(1);

// They are made with the sockets of the process, at their first use.
void [process.stdout, process.stderr];
const realNow = performance.now.bind(performance);
const began = realNow();
const time = new VirtualTime(START);
const chance = new Chance(first);
const network = new Network(time, chance);
time.install();
chance.install();
network.install();
installFetching();

// Loaded only now, as they may keep what was replaced; and all at once, as a program would load them while time stands.
const { World } = await import('./world.ts');
const { SimulatedPostgres } = await import('./postgres.ts');
const { runSeed } = await import('./seed.ts');
for (const part of ['sandbox', 'service', 'bridge', 'platform/http'])
  await import(`../../src/${part}/index.ts`);

const databases = {
  service: await SimulatedPostgres.open(network),
  bridge: await SimulatedPostgres.open(network),
};
const template = new World(databases);
for (const name of ['sandbox', 'service', 'bridge'] as const)
  await time.whileRunning(template.start(name), `the first start of the ${name}`);
await time.whileRunning(template.stop(), 'the first stop');
await databases.service.keep('service');
await databases.bridge.keep('bridge');
console.info(`Replaced: ${REPLACED.join('; ')}.\nReady after ${secondsSince(began)} s.`);

const faults: Record<string, number> = {};
const failed: number[] = [];
let done = 0;
for (; done < Number(options.seeds) && (realNow() - began) / 60_000 < Number(options.minutes); done++) {
  const seed = first + done;
  const seedBegan = realNow();
  time.reset(START);
  chance.reset(seed);
  resetFetching();
  for (const database of Object.values(databases)) await database.reset();
  const world = new World(databases);
  const {
    story,
    trouble,
    trace,
    virtualMs,
    faults: had,
  } = await runSeed({
    world,
    time,
    chance,
    actions: Number(options.actions),
  });
  await time.whileRunning(world.stop(), 'the stop');
  for (const [fault, times] of Object.entries(had)) faults[fault] = (faults[fault] ?? 0) + times;
  const minutes = (virtualMs / 60_000).toFixed(1);
  console.info(
    `seed ${seed}: ${secondsSince(seedBegan)} s for ${minutes} minutes, trace ${trace.slice(0, 12)}`,
  );
  if (trouble.length > 0) failed.push(seed);
  if (trouble.length > 0 || options.story)
    console.info([...story, ...trouble].map((line) => `  ${line}`).join('\n'));
}
console.info(
  `${done} seeds from ${first} in ${secondsSince(began)} s; ${Object.entries(faults)
    .map(([fault, times]) => `${fault}: ${times}`)
    .join(', ')}`,
);
console.info(`${done - failed.length} passed, ${failed.length} failed`);
// What the programs would wait for never comes.
process.exit(failed.length > 0 ? 1 : 0);
