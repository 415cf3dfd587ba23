import { ServiceError } from '../../../client/index.ts';
import { createJobs } from '../../../platform/jobs/index.ts';
import { messageIn, MESSAGE_ACTIONS, sayingModal, SERVICE_AWAY } from '../../blocks/modals.ts';
import type { Bridge } from '../../bridge.ts';
import { ChatError } from '../../slack/errors.ts';
import { respond } from '../../slack/respond.ts';
import type { EventOf } from '../../slack/chat-event.ts';
import type { Turn } from '../../inbox/turn.ts';
import type { ChatPlace } from '../../slack/ids.ts';
import { personOf } from '../../people/people.ts';
import { deadLettersOf } from '../../inbox/dead-letters.ts';
import { explainMessage } from './explain-message.ts';

/** Returns whether an action is *Why?* or *Retry* of a message. */
export function isMessageAction(actionId: string): boolean {
  return Object.values<string>(MESSAGE_ACTIONS).includes(actionId);
}

/**
 * Handles *Why?* and *Retry* in *Ticket actions* of a message, and *Retry* in the failure notice to its author (B54,
 * B55). Everyone who sees the message may press both: at worst, a retry fails again.
 */
export async function pressMessageAction(bridge: Bridge, turn: Turn<EventOf<'action'>>): Promise<void> {
  const { team, user, actionId, value, view, responseUrl } = turn.event.action;
  const message = messageIn(value);
  if (!message) return turn.finish('not a message of ours');
  const place = { team, ...message };
  const isWhy = actionId === MESSAGE_ACTIONS.why;
  const text = isWhy ? await whyText(bridge, place, user) : await retry(bridge, place);
  await turn.finish(isWhy ? 'B55 why' : 'B54 retry');
  if (!view) return respond(bridge, responseUrl, { text });
  try {
    await bridge.modals.change(view.id, sayingModal(isWhy ? 'Why?' : 'Retry', text));
  } catch (error) {
    // Closed meanwhile.
    if (!(error instanceof ChatError && error.next === 'give-up')) throw error;
  }
}

async function whyText(bridge: Bridge, place: ChatPlace, user: string): Promise<string> {
  try {
    return await explainMessage(bridge, place, await personOf(bridge, place.team, user));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return SERVICE_AWAY;
  }
}

/** Retries the dead letters of a message, like `deskbridge dead-letters retry`. */
async function retry(bridge: Bridge, place: ChatPlace): Promise<string> {
  const ids = await deadLettersOf(bridge, place);
  const retried =
    ids.length === 0
      ? 0
      : await createJobs({ database: bridge.database, log: bridge.log }).retryDeadLetters(ids);
  return retried === 0
    ? 'Nothing of this message has failed. *Why?* in its *Ticket actions* shows what became of it.'
    : 'It is tried again now. The :warning: goes when it worked.';
}
