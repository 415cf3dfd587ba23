import { request } from 'undici';

import type { Bridge } from '../bridge.ts';

export interface Answer {
  text: string;
  blocks?: readonly unknown[];
  /** For everybody in the channel; otherwise only the person who asked sees it. */
  shared?: boolean;
  /** Takes the place of the message whose button was pressed. */
  replaces?: boolean;
}

const TIMEOUT_MS = 5_000;

/**
 * Answers a command or a button by its `response_url` (5 uses, 30 minutes;
 * https://docs.slack.dev/interactivity/handling-user-interaction). At most once: what cannot be delivered is logged,
 * for the answer is news, not the effect (B0a).
 */
export async function respond(
  bridge: Pick<Bridge, 'log' | 'answersFrom'>,
  responseUrl: string,
  answer: Answer,
): Promise<void> {
  // A response_url is only ever chat's own; anything else would be somebody making us call them.
  const origin = URL.parse(responseUrl)?.origin;
  if (origin === undefined || !bridge.answersFrom.includes(origin)) {
    bridge.log.warn(
      { event: 'answer.refused', origin, allowed: bridge.answersFrom },
      'response_url has an origin that is not Slack’s; the answer was not sent',
    );
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
    if (statusCode !== 200)
      bridge.log.warn({ event: 'answer.lost', statusCode }, 'an answer was not taken by chat');
  } catch (error) {
    bridge.log.warn({ event: 'answer.lost', err: error }, 'an answer did not reach chat');
  }
}
