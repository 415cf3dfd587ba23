/** A sandbox in its own process, for tests that kill it: `node sandbox-process.ts <file>`. */
import { systemClock } from '../../src/platform/clock.ts';
import { createIds } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/log.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { SEED } from './seed.ts';

const sandbox = await startSandbox({
  file: process.argv[2] ?? ':memory:',
  log: createLog({ level: 'error', pretty: false }),
  clock: systemClock,
  newId: createIds(systemClock),
  random: Math.random,
  host: '127.0.0.1',
  port: 0,
  seed: SEED,
});
console.log(sandbox.url);
