import { request } from 'undici';

import { z } from 'zod';

import type { Db } from '../../platform/database/open.ts';
import type { Bridge } from '../bridge.ts';
import { readSetting, writeSetting } from '../settings.ts';
import type { BridgeTables } from '../schema/tables.ts';

export interface Answer {
  text: string;
  blocks?: readonly unknown[];
  /** Visible to everyone in the channel; otherwise only to the user. */
  shared?: boolean;
  /** Replaces the message whose button was pressed. */
  replaces?: boolean;
}

const TIMEOUT_MS = 5_000;

const REFUSED_KEY = 'answer-refused';
const RefusedAnswer = z.object({ origin: z.string(), at: z.coerce.date() });
export type RefusedAnswer = z.output<typeof RefusedAnswer>;

/** Returns the last answer that was not sent because its URL was not Slack's; undefined if there was none. */
export async function refusedAnswer(db: Db<BridgeTables>): Promise<RefusedAnswer | undefined> {
  return readSetting(db, REFUSED_KEY, RefusedAnswer);
}

/**
 * Answers a command or a button by its `response_url` (5 uses, 30 minutes;
 * https://docs.slack.dev/interactivity/handling-user-interaction). At most once: failures are logged, because the
 * answer only reports the effect (B0a).
 */
export async function respond(
  bridge: Pick<Bridge, 'log' | 'answersFrom' | 'database' | 'clock'>,
  responseUrl: string,
  answer: Answer,
): Promise<void> {
  // Slack sends none with what was pressed in a window.
  if (responseUrl === '') {
    bridge.log.info(
      { event: 'answer.no_place' },
      'an interaction had no response_url; its answer was not sent',
    );
    return;
  }
  // A response_url is always Slack's own; anything else would let others choose what we call.
  const origin = URL.parse(responseUrl)?.origin;
  if (origin === undefined || !bridge.answersFrom.includes(origin)) {
    bridge.log.warn(
      { event: 'answer.refused', origin, allowed: bridge.answersFrom },
      'response_url has an origin that is not Slack’s; the answer was not sent',
    );
    const refused = { origin: origin ?? responseUrl.slice(0, 100), at: bridge.clock.now() };
    await writeSetting(bridge.database.db, REFUSED_KEY, refused);
    return;
  }
  try {
    const { statusCode, body } = await request(responseUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        response_type: answer.shared ? 'in_channel' : 'ephemeral',
        text: answer.text,
        ...(answer.blocks ? { blocks: answer.blocks } : {}),
        replace_original: answer.replaces ?? false,
      }),
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    await body.dump();
    if (statusCode !== 200) bridge.log.warn({ event: 'answer.lost', statusCode }, 'Slack rejected an answer');
  } catch (error) {
    bridge.log.warn({ event: 'answer.lost', err: error }, 'an answer did not reach Slack');
  }
}
