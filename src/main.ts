import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { commands } from './commands/index.ts';
import { helpOf, helpOfAll } from './commands/help.ts';
import type { Config } from './start/config.ts';
import { StartError } from './platform/lifecycle.ts';
import type { Surroundings } from './start/surroundings.ts';

const version = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

/** The parts of its process that a command uses. */
interface From {
  /** Default the process's own. */
  environment?: NodeJS.ProcessEnv;
  /** Default the system's. */
  surround?: (config: Config, version: string, terminal: boolean) => Surroundings;
}

/**
 * Runs the given command and loads nothing else.
 * @param began when the command was started.
 * @returns the exit code.
 */
export async function main(
  args: readonly string[],
  began: Date,
  { environment, surround }: From = {},
): Promise<number> {
  try {
    const [name = 'start', ...rest] = args;
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (name === '--version') return printLine(version);
    if (name === 'help' || name === '--help' || name === '-h') return printLine(helpAbout(rest[0]));
    if (!command) return printLine(`Unknown command "${name}".\n\n${helpOfAll()}`, 2);
    const { values, positionals } = parseArgs({
      args: rest,
      options: { ...command.options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
      strict: true,
    });
    if (values['help'] === true) return printLine(helpAbout(name));
    const [run, { readConfig }, { systemSurroundings }] = await Promise.all([
      command.load(),
      import('./start/config.ts'),
      import('./start/surroundings.ts'),
    ]);
    const config = readConfig(environment);
    const around = (surround ?? systemSurroundings)(config, version, process.stdout.isTTY);
    const code = await run({ config, around, values, positionals, terminal: process.stdout.isTTY, began });
    return code ?? 0;
  } catch (error) {
    return fail(error);
  }
}

function helpAbout(name: string | undefined): string {
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  return name !== undefined && command ? helpOf(name, command) : helpOfAll();
}

function fail(error: unknown): number {
  const isForPeople = error instanceof StartError || isParseArgsError(error);
  const text =
    isForPeople && error instanceof Error
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error);
  process.stderr.write(`deskbridge cannot continue:\n${text.replaceAll(/^/gm, '  ')}\n`);
  return 1;
}

function isParseArgsError(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

function printLine(text: string, code = 0): number {
  process.stdout.write(`${text}\n`);
  return code;
}
