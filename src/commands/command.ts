import type { Config } from '../start/config.ts';
import { StartError } from '../platform/lifecycle.ts';
import type { Surroundings } from '../start/surroundings.ts';

export interface Invocation {
  config: Config;
  around: Surroundings;
  values: Record<string, string | boolean | (string | boolean)[] | undefined>;
  positionals: string[];
  /** Standard output is a terminal, so a banner helps. */
  terminal: boolean;
  /** When the command was started, as far as known: reported durations count from here. */
  began: Date;
}

/** Resolves when the command is done; a server's when it has stopped. A number is the exit code; default 0. */
export type Run = (invocation: Invocation) => Promise<number | undefined> | Promise<void>;

/** An option of `parseArgs`, with its text in the help. */
export type CommandOption =
  | { type: 'boolean'; does: string }
  | {
      type: 'string';
      /** Placeholder of its value in the help: `--role <role>`. */
      value: string;
      default?: string;
      does: string;
    };

/** One command of the command line. */
export interface CliCommand {
  /** One line for the help. */
  does: string;
  /** Every form of the command, without `deskbridge` in front. */
  usage: readonly string[];
  options?: Readonly<Record<string, CommandOption>>;
  /** Loads the implementation when the command runs, so that the help and other commands do not load it. */
  load(): Promise<Run>;
}

export function workspaceIn({ values }: Pick<Invocation, 'values'>): string | undefined {
  return typeof values['workspace'] === 'string' ? values['workspace'] : undefined;
}

/** The command line is invalid; the message shows the correct usage. */
export class UsageError extends StartError {
  override readonly name = 'UsageError';
}
