/**
 * `npm run test:drills [-- --long] [--seed N] [name …] [vitest's own arguments]`: runs the drills of these names, all
 * without one, with one seed for all of them. CI runs the short form.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';

const args = process.argv.slice(2);
const long = args.includes('--long');
const at = args.indexOf('--seed');
const seed = at < 0 ? String(Math.floor(Math.random() * 2 ** 32)) : args[at + 1];
if (seed === undefined || !/^\d+$/.test(seed)) throw new Error('--seed takes a whole number');
const others = args.filter(
  (arg, index) => arg !== '--long' && (at < 0 || (index !== at && index !== at + 1)),
);
// Vitest passes over a name that no file has, if another one has it.
const ending = '.test.ts';
const drills = readdirSync(import.meta.dirname).filter((file) => file.endsWith(ending));
const firstOption = others.findIndex((arg) => arg.startsWith('-'));
for (const name of firstOption < 0 ? others : others.slice(0, firstOption))
  if (!drills.some((file) => file.includes(name)))
    throw new Error(
      `no drill is called ${name}: there are ${drills.map((file) => file.slice(0, -ending.length)).join(', ')}`,
    );
console.log(`drills: seed ${seed}, ${long ? 'long' : 'short'} form`);

// npm adds its programs to the PATH.
const child = spawn('vitest', ['run', '--config', '.config/vitest.drills.ts', ...others], {
  stdio: 'inherit',
  env: { ...process.env, DRILL_SEED: seed, DRILL_LONG: long ? 'yes' : '' },
});
const [code] = (await once(child, 'exit')) as [number | null];
process.exitCode = code ?? 1;
