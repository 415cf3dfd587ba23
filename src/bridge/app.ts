import type { App, Receiver } from '@slack/bolt';
import type { ModalView } from '@slack/types';

import { GiveUp } from '../platform/engine/index.ts';
import type { Bridge } from './bridge.ts';
import { agentListeners } from './features/agents/listeners.ts';
import { approvalListeners } from './features/approvals/listeners.ts';
import { askWindow } from './features/approvals/press.ts';
import { cardListeners } from './features/cards/listeners.ts';
import { cardWindow, refuseModal } from './features/cards/windows.ts';
import { commandListeners } from './features/commands/listeners.ts';
import { deliveryStatusListeners } from './features/delivery-status/listeners.ts';
import { answerForm } from './features/forms/answer.ts';
import { formListeners } from './features/forms/listeners.ts';
import { formWindow } from './features/forms/open-form.ts';
import { homeListeners } from './features/home/listeners.ts';
import { notificationListeners } from './features/notifications/listeners.ts';
import { reactionListeners } from './features/reactions/listeners.ts';
import { unfurlListeners } from './features/unfurls/listeners.ts';
import type { AnswerAtOnce } from './inbox/answer-in-time.ts';
import type { Listeners } from './inbox/listener.ts';
import type { ChatEvent } from './slack/chat-event.ts';
import { linesOf, sdkLogger } from './slack/client.ts';
import { threadListeners } from './threads/listeners.ts';

/** Every listener of the app. Exactly one works an envelope; one that none takes is ignored. */
export const LISTENERS: readonly Listeners[] = [
  threadListeners,
  reactionListeners,
  commandListeners,
  formListeners,
  cardListeners,
  approvalListeners,
  homeListeners,
  agentListeners,
  deliveryStatusListeners,
  notificationListeners,
  unfurlListeners,
];

/** Answers within the request, of envelopes that are not stored; undefined for all others. */
type Answer = (
  bridge: Bridge,
  event: ChatEvent | undefined,
  body: unknown,
) => AnswerAtOnce | Promise<AnswerAtOnce> | undefined;

/** The choices of a menu, and what is wrong in a form that was submitted. */
export const ANSWERED: readonly Answer[] = [answerForm, refuseModal];

/**
 * A window that is opened, empty, once its envelope is stored: a trigger lives for three seconds. Its listener fills
 * it.
 */
export type Window = (bridge: Bridge, event: ChatEvent) => Promise<ModalView | undefined>;

export const WINDOWS: readonly Window[] = [formWindow, cardWindow, askWindow];

/**
 * Creates the Bolt app of one Slack workspace. The receiver stores what arrives and acknowledges it; from there the
 * engine hands it to the app, in order and until it succeeds. Bolt is loaded here: it would be a sixth of what a start
 * loads, and nothing needs it before the first event.
 */
export async function createApp(bridge: Bridge, receiver: Receiver): Promise<App> {
  const { App: BoltApp } = await import('@slack/bolt');
  const { team: teamId, botId, userId: botUserId } = bridge.bot;
  const app = new BoltApp({
    receiver,
    logger: sdkLogger(linesOf(bridge.log)),
    // The bot's own posts are recognised with everything else that is decided about a message.
    ignoreSelf: false,
    convoStore: false,
    authorize: async () => ({ teamId, botId, botUserId }),
    clientOptions: { fetch: refuseCall, retryConfig: { retries: 0 } },
  });
  // A listener that failed must fail its work, or that would count as done.
  app.error(async (error) => {
    throw error;
  });
  for (const listeners of LISTENERS) listeners(app, bridge);
  return app;
}

/** For `say`, `respond`, `client` and the like: what they send would be lost in a crash, or sent twice. */
async function refuseCall(): Promise<never> {
  throw new GiveUp('a listener calls Slack by Bolt; it has to plan a post, which is sent once and in order');
}
