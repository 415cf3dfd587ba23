import type { KnownBlock } from '@slack/types';

import { AnsweredError } from '../../../client/index.ts';
import { actions, button, plain, section } from '../../blocks/kit.ts';
import { CARD_ACTIONS } from '../../blocks/card.ts';
import { inAnswer } from '../../blocks/results.ts';
import { hasEnded } from '../../tickets/rules.ts';
import { controlsOf } from '../../tickets/ticket-facts.ts';
import type { Bridge } from '../../bridge.ts';
import { checkWritten } from '../../inbox/store.ts';
import { respond } from '../../slack/respond.ts';
import type { ChatAction } from '../../slack/interaction.ts';
import { type Person, personOf } from '../../people/people.ts';
import { readTicket, permissionsFor, type Ticket } from '../../tickets/find-ticket.ts';
import type { ActionAnswer } from '../../tickets/update-ticket.ts';
import { ticketOfMessage } from '../../tickets/ticket-messages.ts';
import type { EventOf } from '../../slack/chat-event.ts';
import type { EventContext } from '../../inbox/event-context.ts';
import type { Done } from '../../work.ts';
import { answerInTime } from '../../inbox/answer-in-time.ts';

/** Action ids of the buttons below an AI agent's answer (B42). */
export const RATING_ACTIONS = { helped: 'answer_helped', failed: 'answer_failed' } as const;

/** Returns 👍 and 👎 for a ticket message; the same for every viewer, so permissions are checked on press. */
export function ratingButtons(messageId: string): KnownBlock {
  const emoji = (action_id: string, text: string, accessibility_label: string) => ({
    ...button(action_id, text, messageId),
    accessibility_label,
    text: { ...plain(text), emoji: true },
  });
  return actions([
    emoji(RATING_ACTIONS.helped, ':+1:', 'This answer helped'),
    emoji(RATING_ACTIONS.failed, ':-1:', 'This answer did not help'),
  ]);
}

/**
 * Handles 👍 or 👎 on an AI agent's answer (B42): the user's reaction `+1` or `-1` on the ticket message, never both. The
 * service handles the effect of a 👎. Throws ServiceError.
 */
async function rateAnswer(
  bridge: Bridge,
  { team, user, actionId, value: messageId }: ChatAction,
): Promise<ActionAnswer> {
  const refuse = (text: string) => ({ text, refused: true });
  const ticketId = await ticketOfMessage(bridge, messageId);
  const ticket = ticketId === undefined ? undefined : await readTicket(bridge, ticketId);
  if (!ticket) return refuse('The ticket for this answer no longer exists.');
  const person = await personOf(bridge, team, user);
  if (!(await permissionsFor(bridge, ticket, person)).sees) return refuse('You cannot see this ticket.');
  const { user_id: authorId } = person;
  if (authorId === null)
    return refuse('You are not a user of the help desk yet. Write in the thread instead.');
  const [emoji, other] = actionId === RATING_ACTIONS.helped ? ['+1', '-1'] : ['-1', '+1'];
  const params = { id: messageId };
  try {
    await bridge.service.removeReaction({ params, body: { emoji: other, authorId } });
    await bridge.service.addReaction({ params, body: { emoji, authorId } });
    await checkWritten(bridge, ticket.id);
  } catch (error) {
    if (!(error instanceof AnsweredError && error.next === 'give-up')) throw error;
    if (error.status === 409) return refuse('This answer was deleted.');
    if (error.missing)
      return refuse('This help desk does not store ratings. Write what you need in the thread instead.');
    throw error;
  }
  if (emoji === '+1') return thanksFor(bridge, ticket, person);
  const after = await readTicket(bridge, ticket.id);
  return {
    text: after?.disableAIResponse ? 'Thanks. A teammate will reply here.' : 'Thanks for your feedback.',
  };
}

/** Thanks for a 👍. A requester whose request is still open gets a button to close it. */
async function thanksFor(bridge: Bridge, ticket: Ticket, person: Person): Promise<ActionAnswer> {
  const { isRequester } = await permissionsFor(bridge, ticket, person);
  const text = 'Thanks for your feedback.';
  if (!isRequester || hasEnded(ticket.status.statusGroup.label)) return { text };
  const { version } = await controlsOf(bridge, ticket, 'requester');
  const close = button(CARD_ACTIONS.close, 'Close my request', ticket.id);
  const says = `${text} Is this solved?`;
  return { text: says, blocks: [section(says), actions([close], `${inAnswer(version)} ${ticket.id}`)] };
}

/** A person pressed 👍 or 👎. */
export async function pressRating(bridge: Bridge, ctx: EventContext<EventOf<'action'>>): Promise<Done> {
  const { action } = ctx.event;
  return answerInTime(
    bridge,
    ctx,
    (answer) => respond(bridge, action.responseUrl, answer),
    { changes: true, outcome: `button ${action.actionId}` },
    () => rateAnswer(bridge, action),
  );
}
