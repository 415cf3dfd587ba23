import { isDeepStrictEqual } from 'node:util';

import { WebAPIHTTPError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';
import { z } from 'zod';

import { Bench, CannotTry, type LiveFactsOptions } from './live-bench.ts';
import { PROBES } from './live-probes.ts';

/** The channel cannot be used for probes. The error's message says what to do. */
export class WrongChannelError extends Error {
  override readonly name = 'WrongChannelError';
}

export type Comparison = {
  fact: string;
  tries: string;
  /** Messages and files that could not be deleted afterwards. */
  left: string[];
} & (
  | { outcome: 'same' }
  | { outcome: 'differs'; expected: unknown; seen: unknown }
  | { outcome: 'not-tried'; why: string }
);

/** The call itself failed, so the fact is unknown. */
const FAILED_CALL = [CannotTry, WebAPIHTTPError, WebAPIRateLimitedError, WebAPIRequestError];

/**
 * Compares the assumptions of `slack-facts.md` with a real workspace, in one channel that the app is a member of, and
 * yields each result as soon as it is known. Makes a few hundred calls, and as many to delete what they created.
 * @throws WrongChannelError for a channel that must not be written to.
 * @throws CannotTry if the workspace does not even identify the app.
 */
export async function* liveFacts(options: LiveFactsOptions): AsyncGenerator<Comparison> {
  const bench = new Bench(options);
  bench.botId = String((await bench.must('auth.test'))['user_id']);
  const info = await bench.must('conversations.info', { channel: options.channel });
  const channel = z.looseObject({}).parse(info['channel']);
  if (channel['is_general'] === true || channel['is_archived'] === true)
    throw new WrongChannelError('Choose a channel made for testing, not #general or an archived channel.');
  if (channel['is_member'] !== true)
    throw new WrongChannelError('The app is not in that channel. Invite it first.');
  for (const [fact, tries, expected, run] of PROBES) {
    const result = await run(bench).then(
      (seen) =>
        isDeepStrictEqual(seen, expected)
          ? { outcome: 'same' as const }
          : { outcome: 'differs' as const, expected, seen },
      (error: unknown) => {
        if (!(error instanceof Error) || !FAILED_CALL.some((kind) => error instanceof kind)) throw error;
        return { outcome: 'not-tried' as const, why: error.message };
      },
    );
    yield { fact, tries, left: await bench.cleanUp(), ...result };
  }
}
