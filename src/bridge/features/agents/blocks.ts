import type { KnownBlock } from '@slack/types';

/** Action ids of the buttons below an AI agent's answer (B42). */
export const RATING_ACTIONS = { helped: 'answer_helped', failed: 'answer_failed' } as const;

/** Returns 👍 and 👎 for a ticket message; the same for every viewer, so permissions are checked on press. */
export function ratingButtons(messageId: string): KnownBlock {
  const button = (action_id: string, text: string, accessibility_label: string) => ({
    type: 'button' as const,
    action_id,
    value: messageId,
    accessibility_label,
    text: { type: 'plain_text' as const, emoji: true, text },
  });
  return {
    type: 'actions',
    elements: [
      button(RATING_ACTIONS.helped, ':+1:', 'This answer helped'),
      button(RATING_ACTIONS.failed, ':-1:', 'This answer did not help'),
    ],
  };
}
