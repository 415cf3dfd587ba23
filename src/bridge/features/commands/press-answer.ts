import { ACTIONS } from '../../blocks/results.ts';
import { cardOf } from '../../blocks/card.ts';
import type { Bridge } from '../../bridge.ts';
import type { Turn } from '../../inbox/turn.ts';
import { personOf } from '../../people/people.ts';
import type { EventOf } from '../../slack/chat-event.ts';
import type { ChatAction } from '../../slack/interaction.ts';
import { type Answer, respond } from '../../slack/respond.ts';
import { findTicket } from '../../tickets/find-ticket.ts';
import { factsOf } from '../../tickets/ticket-facts.ts';
import { listTickets, readPage, sharedList } from './list-tickets.ts';
import { nextObserved } from './observed.ts';

/** Whether a button is one of those under an answer (B34). */
export function isAnswerAction(actionId: string): boolean {
  const { moreResults, shareResults, share, moreObserved } = ACTIONS;
  return [moreResults, shareResults, share, moreObserved].some((one) => one === actionId);
}

/** A button under an answer: another page of it, or the answer for the whole channel (B34). */
export async function pressAnswer(bridge: Bridge, turn: Turn<EventOf<'action'>>): Promise<void> {
  const { action } = turn.event;
  const answer = await answerOf(bridge, action);
  await turn.finish(`button ${action.actionId}`);
  if (answer) await respond(bridge, action.responseUrl, answer);
}

async function answerOf(
  bridge: Bridge,
  { team, channel, user, actionId, value }: ChatAction,
): Promise<Answer | undefined> {
  const person = await personOf(bridge, team, user);
  if (actionId === ACTIONS.moreResults) {
    const next = readPage(value);
    if (!next) return undefined;
    return { ...(await listTickets(bridge, person, next)), replaces: true };
  }
  if (actionId === ACTIONS.shareResults) {
    const page = readPage(value);
    return page && sharedList(bridge, person, page);
  }
  if (actionId === ACTIONS.moreObserved) {
    const next = await nextObserved(bridge, { team, channel }, value);
    return next && { ...next, replaces: true };
  }
  const found = await findTicket(bridge, value, channel, person);
  if ('refusal' in found) return { text: found.refusal };
  // What only some may see is not shown to a whole channel (B35).
  if (found.ticket.private) return { text: 'This ticket is private: it cannot be shared in a channel.' };
  return { ...cardOf(await factsOf(bridge, found.ticket)), shared: true };
}
