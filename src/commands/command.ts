import type { Config } from '../config.ts';
import { StartError } from '../platform/lifecycle.ts';
import type { Surroundings } from '../surroundings.ts';

export interface Invocation {
  config: Config;
  around: Surroundings;
  values: Record<string, string | boolean | (string | boolean)[] | undefined>;
  positionals: string[];
  /** Somebody is watching: a banner helps. */
  terminal: boolean;
  /** When the command was typed, as far as that is known: what it says of its own speed counts from here. */
  began: Date;
}

/** Resolves when the command is done; a server's when it has stopped. A number is the exit code, else it is 0. */
export type Run = (invocation: Invocation) => Promise<number | undefined> | Promise<void>;

/** An option as `parseArgs` takes it, and what the command's help says of it. */
export type CommandOption =
  | { type: 'boolean'; does: string }
  | {
      type: 'string';
      /** What stands for its value in the help: `--role <role>`. */
      value: string;
      default?: string;
      does: string;
    };

/** One command of the command line. */
export interface CliCommand {
  /** One line of the help. */
  does: string;
  /** Every way to type it, without `deskbridge` in front. */
  usage: readonly string[];
  options?: Readonly<Record<string, CommandOption>>;
  /** What it runs, loaded when it is run: the help, and every other command, go without it. */
  load(): Promise<Run>;
}

export function workspaceIn({ values }: Pick<Invocation, 'values'>): string | undefined {
  return typeof values['workspace'] === 'string' ? values['workspace'] : undefined;
}

/** The command was typed in a way that means nothing; the message says how it is typed. */
export class UsageError extends StartError {
  override readonly name = 'UsageError';
}
