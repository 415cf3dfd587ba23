import { CARD_ACTIONS, ticketOfControls } from '../../blocks/card.ts';
import type { Bridge } from '../../bridge.ts';
import type { Answer } from '../../slack/respond.ts';
import { type Act, may } from '../../tickets/may-rules.ts';
import { hasEnded } from '../../tickets/status-rules.ts';
import type { ChatAction } from '../../slack/interaction.ts';
import { type Person, personOf } from '../../people/people.ts';
import { escapeChat } from '../../text/to-chat.ts';
import { readTicket, type Ticket, TICKET_GONE } from '../../tickets/find-ticket.ts';
import { setGroup } from '../../tickets/set-group.ts';
import { setStatus } from '../../tickets/set-status.ts';
import { standingOf } from '../../tickets/standing.ts';
import { ticketLink } from '../../tickets/ticket-facts.ts';
import { updateTicket } from '../../tickets/update-ticket.ts';

export type Refusable = Answer & { refused?: boolean };

/** What a card's controls change at once (B25, B26). */
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

/** Whether an action is one of a card that changes its ticket at once. */
export function isCardPress(actionId: string): boolean {
  const { assignMe, status, close, reopen } = CARD_ACTIONS;
  return [assignMe, status, close, reopen].some((one) => one === actionId);
}

/** What requesters may do with what they asked for (B25). */
export async function closeOrReopen(
  bridge: Bridge,
  ticket: Ticket,
  person: Person,
  act: 'close' | 'reopen',
): Promise<Refusable> {
  const refusal = await refusalFor(bridge, ticket, person, act);
  if (refusal) return refusal;
  const reference = ticketLink(bridge, ticket.code);
  const group = ticket.status.statusGroup.label;
  if (hasEnded(group) === (act === 'close'))
    return {
      text: `${reference} is ${group === 'Closed' ? 'closed' : group === 'Done' ? 'done' : 'open'} already.`,
      refused: true,
    };
  await setGroup(bridge, ticket, act === 'close' ? 'Closed' : 'Open', person.user_id);
  return { text: `${reference} is ${act === 'close' ? 'closed' : 'open again'}.` };
}

async function assignTo(bridge: Bridge, ticket: Ticket, person: Person): Promise<Refusable> {
  const refusal = await refusalFor(bridge, ticket, person, 'assign');
  if (refusal) return refusal;
  const { user_id: assigneeId } = person;
  if (assigneeId === null)
    return { text: 'The help desk’s service does not know you as a user yet.', refused: true };
  const reference = ticketLink(bridge, ticket.code);
  if (ticket.assigneeId === assigneeId) return { text: `${reference} is yours already.`, refused: true };
  // Who takes a ticket speaks for the desk: the automated agent is silent on it from now on (B57).
  await updateTicket(bridge, assigneeId, ticket.id, { assigneeId, disableAIResponse: true });
  return { text: `${reference} is yours now.` };
}

async function chooseStatus(
  bridge: Bridge,
  ticket: Ticket,
  person: Person,
  statusId: string,
): Promise<Refusable> {
  const chosen = (await bridge.statuses.of(ticket)).find(({ id }) => id === statusId);
  if (!chosen) return { text: 'This status is not there any more.', refused: true };
  const refusal = await refusalFor(bridge, ticket, person, actOfStatus(ticket, chosen));
  if (refusal) return refusal;
  return setStatus(bridge, ticket, chosen, person.user_id);
}

/** A requester may not set any status, but take back or take up again what they asked for (B25). */
export function actOfStatus(ticket: Ticket, chosen: { statusGroup: { label: string } }): Act {
  if (chosen.statusGroup.label === 'Closed') return 'close';
  return hasEnded(ticket.status.statusGroup.label) && chosen.statusGroup.label === 'Open'
    ? 'reopen'
    : 'status';
}

/** Why somebody may not do this, politely; undefined where they may (B25). */
export async function refusalFor(
  bridge: Bridge,
  ticket: Ticket,
  person: Person,
  act: Act,
): Promise<Refusable | undefined> {
  const standing = await standingOf(bridge, ticket, person);
  if (standing.sees && may(act, standing)) return undefined;
  return { text: refusalText(ticket, standing), refused: true };
}

/** The words for somebody who may not. */
export function refusalText(
  ticket: Pick<Ticket, 'queue'>,
  { sees, isRequester }: { sees: boolean; isRequester: boolean },
): string {
  if (!sees) return 'This ticket is not yours to see.';
  const team = ticket.queue ? `the team of ${escapeChat(ticket.queue.name)}` : 'its team';
  return isRequester
    ? `Only ${team} can do that. You can close your request, or open it again, and everything you write in the thread reaches them.`
    : `Only ${team} can do that. What you write in the thread reaches them.`;
}
