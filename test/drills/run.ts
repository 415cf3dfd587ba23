/**
 * `npm run test:drills [-- --long] [--seed N] [vitest's own arguments]`: runs the drills with one seed for
 * all of them. CI runs the short form.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const args = process.argv.slice(2);
const long = args.includes('--long');
const at = args.indexOf('--seed');
const seed = at < 0 ? String(Math.floor(Math.random() * 2 ** 32)) : args[at + 1];
if (seed === undefined || !/^\d+$/.test(seed)) throw new Error('--seed takes a whole number');
const others = args.filter(
  (arg, index) => arg !== '--long' && (at < 0 || (index !== at && index !== at + 1)),
);
console.log(`drills: seed ${seed}, ${long ? 'long' : 'short'} form`);

// npm adds its programs to the PATH.
const child = spawn('vitest', ['run', '--config', '.config/vitest.drills.ts', ...others], {
  stdio: 'inherit',
  env: { ...process.env, DRILL_SEED: seed, DRILL_LONG: long ? 'yes' : '' },
});
const [code] = (await once(child, 'exit')) as [number | null];
process.exitCode = code ?? 1;
