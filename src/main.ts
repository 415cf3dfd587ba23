import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { commands, UsageError } from './commands/index.ts';
import { ConfigError, readConfig } from './config.ts';
import { systemClock } from './platform/clock.ts';
import { EmbeddedPostgresError } from './platform/database/embedded.ts';
import { MigrationError } from './platform/database/migrate.ts';
import { ListenError } from './platform/http/index.ts';
import { createIds } from './platform/ids.ts';
import { StartError } from './platform/lifecycle.ts';
import { createLog } from './platform/log.ts';
import { systemRandom } from './platform/random.ts';
import { SandboxStartError } from './sandbox/index.ts';

/** Errors that a person mends: their message is the whole story, a stack would only hide it. */
const FOR_PEOPLE = [
  ConfigError,
  EmbeddedPostgresError,
  ListenError,
  MigrationError,
  SandboxStartError,
  StartError,
  UsageError,
];

const version = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

// Whatever still holds the process open after its command is done has nothing left to do.
process.exit(await main(process.argv.slice(2)));

async function main(args: string[]): Promise<number> {
  try {
    const [name = 'start', ...rest] = args;
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (name === '--version') return say(version);
    if (!command)
      return name === 'help' || name === '--help'
        ? say(help())
        : say(`There is no command "${name}".\n\n${help()}`, 2);
    const { values, positionals } = parseArgs({
      args: rest,
      options: { ...command.options },
      allowPositionals: true,
      strict: true,
    });
    const config = readConfig();
    const pretty = config.LOG_PRETTY ?? process.stdout.isTTY;
    const log = createLog({ level: config.LOG_LEVEL ?? 'info', pretty });
    const around = { log, clock: systemClock, newId: createIds(systemClock), random: systemRandom, version };
    const code = await command.run({ config, around, values, positionals, terminal: process.stdout.isTTY });
    return code ?? 0;
  } catch (error) {
    return fail(error);
  }
}

function fail(error: unknown): number {
  const isForPeople = FOR_PEOPLE.some((kind) => error instanceof kind) || isParseArgsError(error);
  const text =
    isForPeople && error instanceof Error
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error);
  process.stderr.write(`deskbridge cannot go on:\n${text.replaceAll(/^/gm, '  ')}\n`);
  return 1;
}

function isParseArgsError(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

function help(): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length)) + 1;
  const lines = Object.entries(commands).map(([name, { does }]) => `  ${name.padEnd(width)}${does}`);
  return [
    'deskbridge: the help desk that lives in chat',
    '',
    'deskbridge <command>',
    ...lines,
    '',
    'Settings come from the environment; the README lists them.',
  ].join('\n');
}

function say(text: string, code = 0): number {
  process.stdout.write(`${text}\n`);
  return code;
}
