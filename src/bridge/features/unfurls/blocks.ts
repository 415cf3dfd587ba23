import type { KnownBlock } from '@slack/types';

import { type CardFacts, cardOf } from '../../blocks/card.ts';

/** Returns the preview of a ticket's link (B41): its card without controls, or only that it is private. */
export function unfurlOf(facts: CardFacts | undefined): KnownBlock[] {
  if (facts) return cardOf(facts).blocks;
  return [{ type: 'context', elements: [{ type: 'mrkdwn', text: ':lock: A private ticket' }] }];
}
