import type { ParseArgsOptionsConfig } from 'node:util';

import type { Config } from '../config.ts';
import type { Surroundings } from '../programs.ts';

export interface Invocation {
  config: Config;
  around: Surroundings;
  values: Record<string, string | boolean | (string | boolean)[] | undefined>;
  positionals: string[];
  /** Somebody is watching: a banner helps. */
  terminal: boolean;
}

/** One command of the command line. */
export interface CliCommand {
  /** One line of the help. */
  does: string;
  options?: ParseArgsOptionsConfig;
  /** Resolves when the command is done; a server's when it has stopped. A number is the exit code, else it is 0. */
  run(invocation: Invocation): Promise<number | undefined> | Promise<void>;
}

/** Which chat workspace a command is about, where several have installed the app. */
export const WORKSPACE = { workspace: { type: 'string' } } as const satisfies ParseArgsOptionsConfig;

export function workspaceIn({ values }: Pick<Invocation, 'values'>): string | undefined {
  return typeof values['workspace'] === 'string' ? values['workspace'] : undefined;
}

/** The command was typed in a way that means nothing; the message says how it is typed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
