import { ACTIONS } from '../blocks/answers.ts';
import { cardOf } from '../blocks/card.ts';
import type { Bridge } from '../bridge.ts';
import { type Answer, respond } from '../chat/respond.ts';
import type { ChatAction, EventOf } from '../intake/chat-event.ts';
import type { Turn } from '../intake/turn.ts';
import { personOf } from '../links/people.ts';
import { findTicket } from './find-ticket.ts';
import { readNextPage, searchTickets } from './search-tickets.ts';
import { factsOf } from './ticket-facts.ts';

/** A button of an answer: the next page of a search, or a ticket shown to the channel (B34). */
export async function pressButton(bridge: Bridge, turn: Turn<EventOf<'action'>>): Promise<void> {
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
    const next = readNextPage(value);
    if (!next) return undefined;
    return { ...(await searchTickets(bridge, next.words, person, next.cursor)), replaces: true };
  }
  if (actionId === ACTIONS.share) {
    const found = await findTicket(bridge, value, channel, person);
    if ('refusal' in found) return { text: found.refusal };
    // What only some may see is not shown to a whole channel (B35).
    if (found.ticket.private) return { text: 'This ticket is private: it cannot be shared in a channel.' };
    return { ...cardOf(await factsOf(bridge, found.ticket)), shared: true };
  }
  return undefined;
}
