import type { Workbench } from './workbench.ts';

/** Tries one assumed row of `slack-facts.md`, or a part of it, against a workspace. */
export interface Probe {
  /** The row's behaviour, word for word. */
  fact: string;
  /** What of it is tried, in a few words. */
  tries: string;
  /** What `run` gives where the workspace does as the sandbox does. */
  expected: unknown;
  /** What was seen. Leaves nothing behind that `Workbench.afterwards` was not told of. */
  run(bench: Workbench): Promise<unknown>;
}
