import { CARD_ACTIONS, ticketOfControls } from '../../blocks/card.ts';
import type { Bridge } from '../../bridge.ts';
import { personOf } from '../../people/people.ts';
import type { ChatAction } from '../../slack/interaction.ts';
import { assignTo, chooseStatus, closeOrReopen, type Refusable } from '../../tickets/act.ts';
import { readTicket, TICKET_GONE } from '../../tickets/find-ticket.ts';

/** Handles a card's controls that change a ticket at once (B25, B26). */
export async function pressCard(bridge: Bridge, action: ChatAction): Promise<Refusable> {
  const { team, user, actionId, blockId, value } = action;
  const ticket = await readTicket(bridge, ticketOfControls(blockId) ?? '');
  if (!ticket) return { text: TICKET_GONE, refused: true };
  const person = await personOf(bridge, team, user);
  switch (actionId) {
    case CARD_ACTIONS.assignMe:
      return assignTo(bridge, ticket, person);
    case CARD_ACTIONS.status:
      return chooseStatus(bridge, ticket, person, value);
    default:
      return closeOrReopen(bridge, ticket, person, actionId === CARD_ACTIONS.close ? 'close' : 'reopen');
  }
}

/** Returns whether an action changes its ticket at once. */
export function isCardPress(actionId: string): boolean {
  const { assignMe, status, close, reopen } = CARD_ACTIONS;
  return [assignMe, status, close, reopen].some((one) => one === actionId);
}
