import type { KnownBlock } from '@slack/types';

import { FORM_BUTTONS } from '../forms/blocks.ts';
import { button } from '../commands/results.ts';

/** Over what one may press in the assistant pane (B61). */
export const PROMPTS_TITLE = 'What can I do for you?';

/** The first words in a new thread of the pane. */
export const PANE_GREETING =
  'Hello! Write what you need and it becomes a request; the answers come here. Or choose below.';

/** How one searches, for who only said that they want to. */
export const HOW_TO_SEARCH = 'Write `search:` and a few words, for example `search: vpn`.';

/** What chat shows behind the bot's name while it looks for tickets. */
export const LOOKING = 'is looking …';

/** What is needed? The next message says it (B6), or the form with its kinds of requests does (B37). */
export function requestBlocks(question: string): KnownBlock[] {
  return [
    { type: 'section', text: { type: 'mrkdwn', verbatim: true, text: question } },
    { type: 'actions', elements: [button(FORM_BUTTONS.open, 'Fill in the form', 'pane')] },
  ];
}
