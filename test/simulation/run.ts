/**
 * `npm run simulate`: worlds of sandbox, service and bridges in one process, on virtual time, each from one seed. Prints the
 * story of each seed that fails; exits non-zero if one does. Options:
 * `--seeds` how many, `--seed` the first (default: drawn), `--actions` of people in each,
 * `--minutes` after which no further seed begins,
 * `--twice` runs all of them again, the last first: the same seed must do the same, byte by byte,
 * `--story` prints every story, `--trace` writes what each seed did and logged into this directory,
 * `--plant` breaks the program in a way that `plants.ts` names, `--until-found` ends with the first seed that fails,
 * `--plants` tries each of those ways until a seed finds it.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10' },
    seed: { type: 'string' },
    actions: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '60' },
    twice: { type: 'boolean', default: false },
    story: { type: 'boolean', default: false },
    trace: { type: 'string' },
    plant: { type: 'string' },
    plants: { type: 'boolean', default: false },
    'until-found': { type: 'boolean', default: false },
  },
});
const count = Number(options.seeds);
const firstSeed = options.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(options.seed);

if (options.plants) {
  const { seeds, actions, minutes } = options;
  const each = ['--seed', String(firstSeed), '--seeds', seeds, '--actions', actions, '--minutes', minutes];
  const { findPlants } = await import('./find-plants.ts');
  process.exit((await findPlants(each, availableParallelism())) > 0 ? 1 : 0);
}
if (options.plant !== undefined) (await import('./plants.ts')).plant(options.plant);

const realNow = performance.now.bind(performance);
const secondsSince = (from: number) => ((realNow() - from) / 1_000).toFixed(1);
const began = realNow();
// From here on the clocks of this process are virtual.
const { REPLACED, Simulator } = await import('./simulator.ts');
const simulator = await Simulator.open();
console.info(`Replaced: ${REPLACED.join('; ')}.\nReady after ${secondsSince(began)} s.`);

/** The traces of the seeds that ran. */
const traces = new Map<number, string>();
const failed = new Set<number>();
const faults: Record<string, number> = {};

async function runOnce(seed: number): Promise<void> {
  const seedBegan = realNow();
  const {
    story,
    trouble,
    trace,
    virtualMs,
    faults: had,
    log,
  } = await simulator.run(seed, Number(options.actions));
  const before = traces.get(seed);
  if (before !== undefined && before !== trace) trouble.push('it did something else than the first time');
  traces.set(seed, trace);
  if (options.trace !== undefined) {
    const lines = [...story, ...log.map((line) => JSON.stringify(line))];
    const name = before === undefined ? `${seed}.txt` : `${seed}-again.txt`;
    writeFileSync(path.join(options.trace, name), `${lines.join('\n')}\n`);
  }
  for (const [fault, times] of Object.entries(had)) faults[fault] = (faults[fault] ?? 0) + times;
  const minutes = (virtualMs / 60_000).toFixed(1);
  console.info(
    `seed ${seed}: ${secondsSince(seedBegan)} s for ${minutes} minutes, trace ${trace.slice(0, 12)}`,
  );
  if (trouble.length > 0) failed.add(seed);
  if (trouble.length > 0 || options.story)
    console.info([...story, ...trouble].map((line) => `  ${line}`).join('\n'));
}

for (let seed = firstSeed; seed < firstSeed + count; seed++) {
  if ((realNow() - began) / 60_000 >= Number(options.minutes)) break;
  if (options['until-found'] && failed.size > 0) break;
  await runOnce(seed);
}
if (options.twice) for (const seed of [...traces.keys()].reverse()) await runOnce(seed);

const had = Object.entries(faults).sort(([, a], [, b]) => b - a);
console.info(`Faults: ${had.map(([fault, times]) => `${fault} ${times}`).join(', ')}`);
const never = had.filter(([, times]) => times === 0).map(([fault]) => fault);
if (never.length > 0) console.info(`Never happened: ${never.join(', ')}`);
console.info(
  `${traces.size} seeds from ${firstSeed} in ${secondsSince(began)} s: ${traces.size - failed.size} passed, ${failed.size} failed`,
);
// What the programs would wait for never comes.
process.exit(failed.size > 0 ? 1 : 0);
