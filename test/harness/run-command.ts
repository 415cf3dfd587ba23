import { parseArgs } from 'node:util';

import { vi } from 'vitest';

import { commands } from '../../src/commands/index.ts';
import { readConfig } from '../../src/config.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { createIds } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/log.ts';

/**
 * Runs a command inside the test's process, for what it does and prints: a process of its own takes a second
 * (`runCli`). One at a time.
 */
export async function runCommand(
  [name = '', ...rest]: string[],
  environment: Record<string, string>,
  clock: Clock = systemClock,
): Promise<{ code: number; out: string }> {
  const command = commands[name];
  if (!command) throw new Error(`there is no command ${name}`);
  const { values, positionals } = parseArgs({
    args: rest,
    options: command.options ?? {},
    allowPositionals: true,
  });
  const config = readConfig(environment);
  const run = await command.load();
  let out = '';
  const destination = { write: (line: string) => void (out += line) };
  const around = {
    log: createLog({ level: config.LOG_LEVEL ?? 'info', pretty: false, destination }),
    ...{ clock, newId: createIds(clock), random: Math.random, version: '0.0.0' },
  };
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  try {
    const code = await run({ config, around, values, positionals, terminal: false, began: new Date() });
    return { code: code ?? 0, out };
  } finally {
    spy.mockRestore();
  }
}
