import type { queues } from '../../messages/queues.ts';

/**
 * A queue's switches from the contract (`settings`), by the tab that has them. Switches that are only stored, such as
 * those about e-mail, are left out: they would have no effect.
 */
export const QUEUE_SWITCHES = {
  intake: ['autoCreateTickets', 'allowGuestUsers', 'enableUserEmojis'],
  chat: ['enableUserActions', 'enableEmojiUpdates', 'enableGranularChatNotifications', 'silentMode'],
  times: ['pauseWhileWaiting', 'openOnReply', 'countAutomatedReplies'],
  notifications: ['sendAllTicketToTriageChannel', 'enableCSAT'],
  ai: [
    'aiEnabled',
    'respondOnMention',
    'autoClassify',
    'autoTag',
    'negativeFeedbackAutoCreate',
    'mcpMayRead',
    'mcpPrivate',
  ],
} as const satisfies Record<string, readonly (keyof typeof queues.switches)[]>;

export type SwitchTab = keyof typeof QUEUE_SWITCHES;
