import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

import { PLANTS } from './plants.ts';

const RUN = path.join(import.meta.dirname, 'run.ts');
/** The exit code of a run in which a seed failed. */
const FOUND = 1;

/**
 * Plants each bug in a run of its own, some runs at a time, and prints after how many seeds it was found. Without names:
 * all of them.
 * @returns how many were not.
 */
export async function findPlants(
  options: readonly string[],
  { names, atOnce }: { names: readonly string[]; atOnce: number },
): Promise<number> {
  const left = names.length > 0 ? [...names] : [...PLANTS.keys()];
  let missed = 0;
  const work = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const child = spawn(process.execPath, [RUN, ...options, '--plant', name, '--until-found'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let printed = '';
      child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
      const [code] = (await once(child, 'exit')) as [number | null];
      // A run that broke off has found nothing.
      const seeds = /^(\d+) seeds from /m.exec(printed)?.[1];
      const trouble = /^ {2}broken: .*\n {4}(.*)$/m.exec(printed)?.[1];
      const isFound = code === FOUND && seeds !== undefined && trouble !== undefined;
      if (!isFound) missed += 1;
      console.info(
        `${name}: ${isFound ? `found by seed ${seeds}: ${trouble}` : `not found in ${seeds ?? 'no'} seeds`}`,
      );
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return missed;
}
