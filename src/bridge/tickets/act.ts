import type { Bridge } from '../bridge.ts';
import type { Answer } from '../slack/respond.ts';
import { type Act, may } from './may-rules.ts';
import { hasEnded } from './status-rules.ts';
import type { Person } from '../people/people.ts';
import { escapeChat } from '../text/to-chat.ts';
import type { Ticket } from './find-ticket.ts';
import { setGroup } from './set-group.ts';
import { setStatus } from './set-status.ts';
import { standingOf } from './standing.ts';
import { ticketLink } from './ticket-facts.ts';
import { updateTicket } from './update-ticket.ts';

export type Refusable = Answer & { refused?: boolean };

/** Closes or reopens a ticket for its requester (B25). */
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

export async function assignTo(bridge: Bridge, ticket: Ticket, person: Person): Promise<Refusable> {
  const refusal = await refusalFor(bridge, ticket, person, 'assign');
  if (refusal) return refusal;
  const { user_id: assigneeId } = person;
  if (assigneeId === null)
    return { text: 'The help desk’s service does not know you as a user yet.', refused: true };
  const reference = ticketLink(bridge, ticket.code);
  if (ticket.assigneeId === assigneeId) return { text: `${reference} is yours already.`, refused: true };
  // An agent took over: the AI agent no longer answers (B57).
  await updateTicket(bridge, assigneeId, ticket.id, { assigneeId, disableAIResponse: true });
  return { text: `${reference} is yours now.` };
}

export async function chooseStatus(
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

/** Returns the action of a status: requesters may only close and reopen (B25). */
export function actOfStatus(ticket: Ticket, chosen: { statusGroup: { label: string } }): Act {
  if (chosen.statusGroup.label === 'Closed') return 'close';
  return hasEnded(ticket.status.statusGroup.label) && chosen.statusGroup.label === 'Open'
    ? 'reopen'
    : 'status';
}

/** Returns why a user may not do this; undefined if they may (B25). */
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

/** Returns the message for a user without permission. */
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
