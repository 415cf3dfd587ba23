import type { CliCommand, CommandOption } from './command.ts';
import { commands } from './index.ts';

/** Returns the output of `deskbridge help`. */
export function helpOfAll(): string {
  return [
    'deskbridge: a help desk in Slack',
    '',
    'deskbridge <command>',
    ...columns(Object.entries(commands).map(([name, { does }]) => [name, does])),
    '',
    '`deskbridge <command> --help` shows the usage of a command.',
    'Settings come from the environment; docs/settings.md lists them.',
  ].join('\n');
}

/** Returns the output of `deskbridge <command> --help`. */
export function helpOf(name: string, { does, usage, options = {} }: CliCommand): string {
  const all: Record<string, CommandOption> = { ...options, help: { type: 'boolean', does: 'print this' } };
  return [
    `deskbridge ${name}: ${does}`,
    '',
    'Usage',
    ...usage.map((way) => `  deskbridge ${way}`),
    '',
    'Options',
    ...columns(
      Object.entries(all).map(([option, about]) => [
        about.type === 'string' ? `--${option} <${about.value}>` : `--${option}`,
        about.does,
      ]),
    ),
    '',
    'Settings come from the environment; docs/settings.md lists them.',
  ].join('\n');
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([first]) => first.length)) + 1;
  return rows.map(([first, second]) => `  ${first.padEnd(width)}${second}`);
}
