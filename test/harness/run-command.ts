import { vi } from 'vitest';

import { main } from '../../src/main.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { createIds } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/log.ts';

/**
 * Runs a command line in the test's process: a separate one takes a second (`runCli`). Its log is part of
 * `out`, as on a terminal. Runs one at a time.
 */
export async function runCommand(
  args: string[],
  environment: Record<string, string>,
  clock: Clock = systemClock,
): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const write = (line: string) => void (out += line);
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      out += String(text);
      return true;
    }),
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      err += String(text);
      return true;
    }),
  ];
  try {
    const code = await main(args, new Date(), {
      environment,
      surround: ({ LOG_LEVEL: level = 'info' }, version) => ({
        log: createLog({ level, pretty: false, destination: { write } }),
        clock,
        newId: createIds(clock),
        random: Math.random,
        version,
      }),
    });
    return { code, out, err };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
