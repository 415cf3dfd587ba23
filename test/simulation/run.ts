/**
 * `npm run simulate`: worlds of sandbox, service and bridges in one process, on virtual time, each from one seed. Prints the
 * story of each seed that fails; exits non-zero if one does. Options:
 * `--seeds` how many, `--seed` the first (default: drawn), `--actions` of people in each,
 * `--minutes` after which no further seed begins,
 * `--twice` runs so many of them again, the last first: the same seed must do the same, byte by byte,
 * `--failed` runs the seeds of `failed-seeds.ts` instead,
 * `--shrink` looks for so many minutes for the smallest part of a failing seed that fails in the same way,
 * `--story` prints every story, `--trace` writes what each seed did and logged into this directory,
 * `--plant` breaks the program in a way that `plants.ts` names, `--until-found` ends with the first seed that fails,
 * `--plants` tries each of those ways until a seed finds it, or only those that `--plant` names, `--at-once` so many at a time.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';

import { FAILED_SEEDS } from './failed-seeds.ts';

// Most of what a world makes is garbage soon: collecting it less often takes less time. In MB.
setFlagsFromString('--max-semi-space-size=64');

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10' },
    seed: { type: 'string' },
    actions: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '60' },
    twice: { type: 'string', default: '0' },
    failed: { type: 'boolean', default: false },
    shrink: { type: 'string', default: '0' },
    story: { type: 'boolean', default: false },
    trace: { type: 'string' },
    plant: { type: 'string', multiple: true, default: [] },
    plants: { type: 'boolean', default: false },
    'at-once': { type: 'string', default: String(availableParallelism()) },
    'until-found': { type: 'boolean', default: false },
  },
});
const firstSeed = options.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(options.seed);

if (options.plants) {
  const { seeds, actions, minutes } = options;
  const each = ['--seed', String(firstSeed), '--seeds', seeds, '--actions', actions, '--minutes', minutes];
  const { findPlants } = await import('./find-plants.ts');
  const missed = await findPlants(each, { names: options.plant, atOnce: Number(options['at-once']) });
  process.exit(missed > 0 ? 1 : 0);
}
const { plant } = await import('./plants.ts');
for (const name of options.plant) plant(name);

const realNow = performance.now.bind(performance);
const secondsSince = (from: number) => ((realNow() - from) / 1_000).toFixed(1);
const minutesSince = (from: number) => (realNow() - from) / 60_000;
const began = realNow();
// From here on the clocks of this process are virtual.
const { REPLACED, Simulator } = await import('./simulator.ts');
const { drawPlan, partsOf } = await import('./plan.ts');
const { knownOutcomes } = await import('./outcomes.ts');
const { shrink } = await import('./shrink.ts');
const simulator = await Simulator.open();
console.info(`Replaced: ${REPLACED.join('; ')}.\nReady after ${secondsSince(began)} s.`);

interface Run {
  seed: number;
  actions: number;
}
type Outcome = Awaited<ReturnType<typeof simulator.run>>;

const actionsOfAll = Number(options.actions);
const runs: readonly Run[] = options.failed
  ? FAILED_SEEDS
  : Array.from({ length: Number(options.seeds) }, (_, at) => ({
      seed: firstSeed + at,
      actions: actionsOfAll,
    }));

/** The traces of the seeds that ran. */
const traces = new Map<Run, string>();
const failed = new Set<Run>();
const counts = {
  faults: new Map<string, number>(),
  acts: new Map<string, number>(),
  outcomes: new Map(knownOutcomes().map((name) => [name, 0])),
};

async function runOnce(run: Run): Promise<void> {
  const runBegan = realNow();
  const { seed, actions } = run;
  const outcome = await simulator.run(seed, actions);
  const { trace, virtualMs, trouble } = outcome;
  const before = traces.get(run);
  const isSame = before === undefined || before === trace;
  traces.set(run, trace);
  if (options.trace !== undefined) writeTrace(before === undefined ? `${seed}` : `${seed}-again`, outcome);
  for (const counted of ['faults', 'acts', 'outcomes'] as const)
    for (const [name, times] of Object.entries(outcome[counted]))
      counts[counted].set(name, (counts[counted].get(name) ?? 0) + times);
  const minutes = (virtualMs / 60_000).toFixed(1);
  console.info(
    `seed ${seed}: ${secondsSince(runBegan)} s for ${minutes} minutes, trace ${trace.slice(0, 12)}`,
  );
  if (!isSame) console.info('  broken: it did something else than the first time');
  if (trouble.length > 0 || !isSame) failed.add(run);
  if (trouble.length > 0 || options.story) printStory(outcome);
  if (trouble.length > 0 && before === undefined && Number(options.shrink) > 0)
    await printSmallest(run, outcome);
}

function printStory({ story, trouble }: Outcome): void {
  const broken = trouble.map(({ promise, what }) => `broken: ${promise}\n    ${what}`);
  console.info([...story, ...broken].map((line) => `  ${line}`).join('\n'));
}

/** Prints the smallest story found that breaks the same promise as this one. */
async function printSmallest({ seed, actions }: Run, { trouble }: Outcome): Promise<void> {
  const shrinkBegan = realNow();
  const promise = trouble[0]?.promise;
  const parts = partsOf(drawPlan(seed, actions));
  let smallest: Outcome | undefined;
  let tries = 0;
  const without = await shrink(
    parts,
    async (left) => {
      tries += 1;
      const outcome = await simulator.run(seed, actions, left);
      const isSame = outcome.trouble.some((one) => one.promise === promise);
      if (isSame) smallest = outcome;
      return isSame;
    },
    () => minutesSince(shrinkBegan) < Number(options.shrink),
  );
  const kept = parts.filter((part) => !without.has(part));
  console.info(
    `smallest of ${tries} tries in ${secondsSince(shrinkBegan)} s, of ${parts.length} parts ${kept.length} are left: ${kept.join('; ')}`,
  );
  if (smallest) printStory(smallest);
}

function writeTrace(name: string, { story, log }: Outcome): void {
  const lines = [...story, ...log.map((line) => JSON.stringify(line))];
  writeFileSync(path.join(options.trace ?? '.', `${name}.txt`), `${lines.join('\n')}\n`);
}

for (const run of runs) {
  if (minutesSince(began) >= Number(options.minutes)) break;
  if (options['until-found'] && failed.size > 0) break;
  await runOnce(run);
}
for (const run of [...traces.keys()].slice(0, Number(options.twice)).reverse()) await runOnce(run);

for (const [label, had] of [
  ['Faults', counts.faults],
  ['Acts', counts.acts],
  ['Outcomes', counts.outcomes],
] as const) {
  const sorted = [...had].sort(([, a], [, b]) => b - a);
  console.info(`${label}: ${sorted.map(([name, times]) => `${name} ${times}`).join(', ')}`);
  const never = sorted.filter(([, times]) => times === 0).map(([name]) => name);
  if (never.length > 0) console.info(`Never happened: ${never.join(', ')}`);
}
const together = createHash('sha256')
  .update([...traces.values()].join())
  .digest('hex');
console.info(`The hash of all traces: ${together.slice(0, 12)}`);
console.info(
  `${traces.size} seeds from ${runs[0]?.seed ?? firstSeed} in ${secondsSince(began)} s: ${traces.size - failed.size} passed, ${failed.size} failed`,
);
// What the programs would wait for never comes.
process.exit(failed.size > 0 ? 1 : 0);
