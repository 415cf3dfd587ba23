import { isDeepStrictEqual } from 'node:util';

import { WebAPIHTTPError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';

import { FILE_PROBES } from './files.ts';
import { LIMIT_PROBES } from './bounds.ts';
import { PEOPLE_PROBES } from './people.ts';
import { POST_PROBES } from './posts.ts';
import type { Probe } from './probe.ts';
import { CannotTry } from './read.ts';
import { THREAD_PROBES } from './threads.ts';
import type { Workbench } from './workbench.ts';

/** Every assumed row of `slack-facts.md` that a bot token can try in one channel; the rest is listed there, with why. */
export const PROBES: readonly Probe[] = [
  ...POST_PROBES,
  ...THREAD_PROBES,
  ...LIMIT_PROBES,
  ...PEOPLE_PROBES,
  ...FILE_PROBES,
];

type Result =
  | { outcome: 'same' }
  | { outcome: 'differs'; expected: unknown; seen: unknown }
  | { outcome: 'not-tried'; why: string };

export type Comparison = Result &
  Pick<Probe, 'fact' | 'tries'> & {
    /** What could not be put away afterwards. */
    left: string[];
  };

/** Tries one fact after the other, and puts away what each has left before the next begins. */
export async function* compareFacts(bench: Workbench, probes = PROBES): AsyncGenerator<Comparison> {
  for (const probe of probes) {
    const result = await attempt(bench, probe);
    const left = await bench.cleanUp();
    yield { fact: probe.fact, tries: probe.tries, left, ...result };
  }
}

async function attempt(bench: Workbench, probe: Probe): Promise<Result> {
  try {
    const { expected } = probe;
    const seen = await probe.run(bench);
    return isDeepStrictEqual(seen, expected) ? { outcome: 'same' } : { outcome: 'differs', expected, seen };
  } catch (error) {
    if (error instanceof CannotTry || FAILED_CALL.some((kind) => error instanceof kind))
      return { outcome: 'not-tried', why: error instanceof Error ? error.message : String(error) };
    throw error;
  }
}

/** The call itself went wrong: nothing was learnt of the fact. */
const FAILED_CALL = [WebAPIHTTPError, WebAPIRateLimitedError, WebAPIRequestError];
