import { type Answer, AnsweredError } from '../../client/index.ts';
import type { Bridge } from '../bridge.ts';
import { parseRef, type TicketRef } from './ticket-ref-rules.ts';
import { findByMessage } from '../threads/conversations.ts';
import type { Person } from '../people/people.ts';
import { escapeChat } from '../text/to-chat.ts';
import { standingOf } from './standing.ts';

export type Ticket = Answer<'readTicket'>;

/** Returns a ticket's record; undefined if it is gone, or not accessible with this key. */
export async function readTicket(
  bridge: Bridge,
  id: string,
  workspaceId?: string,
): Promise<Ticket | undefined> {
  try {
    return await bridge.service.readTicket({ params: { id }, query: { workspaceId } });
  } catch (error) {
    if (error instanceof AnsweredError && error.status === 404) return undefined;
    throw error;
  }
}

/**
 * Returns the ticket of a reference or an id: the key's home workspace's, else the first one offered in chat that has
 * it. Undefined and throws like `readTicket`.
 * @param workspaceId the only workspace to search.
 */
export async function readNamed(
  bridge: Bridge,
  named: string,
  workspaceId?: string,
): Promise<Ticket | undefined> {
  const ticket = await readTicket(bridge, named, workspaceId);
  if (ticket || workspaceId !== undefined) return ticket;
  const offered = await bridge.channels.offered();
  if (offered.length === 1) return undefined;
  for (const one of offered) {
    const found = await readTicket(bridge, named, one);
    if (found) return found;
  }
  return undefined;
}

/** Shown if the ticket of a button or modal is gone. */
export const TICKET_GONE = 'This ticket is gone.';

/** The ticket, or a message that says what was wrong and what to type instead (B36). */
type Found = { ticket: Ticket } | { refusal: string };

/** Returns the ticket that a user named, if they may see it: to others a private one does not exist (B35). */
export async function findTicket(
  bridge: Bridge,
  typed: string,
  channel: string,
  person: Person,
): Promise<Found> {
  const ref = parseRef(typed);
  const named = ref ? await nameOf(bridge, ref, channel) : { refusal: NO_REFERENCE(typed) };
  if ('refusal' in named) return named;
  const unknown = {
    refusal: `There is no ticket \`${escapeChat(named.said)}\` that you can see. Try \`${bridge.command} search <words>\`.`,
  };
  if (named.id === undefined) return unknown;
  try {
    const ticket = await readNamed(bridge, named.id, named.workspaceId);
    if (!ticket) return unknown;
    const offered = await bridge.channels.isOffered(ticket.queue?.workspaceId);
    return offered && (await standingOf(bridge, ticket, person)).sees ? { ticket } : unknown;
  } catch (error) {
    if (error instanceof AnsweredError && error.next === 'give-up') return unknown;
    throw error;
  }
}

const NO_REFERENCE = (typed: string) =>
  `\`${escapeChat(typed)}\` is no ticket reference. Type one such as \`IT-42\`, or \`#42\` in the queue's channel.`;

/** Returns the service's name for the ticket, and the answer about it. */
async function nameOf(
  bridge: Bridge,
  ref: TicketRef,
  channel: string,
): Promise<{ id: string | undefined; said: string; workspaceId?: string } | { refusal: string }> {
  switch (ref.kind) {
    case 'code':
      return { id: ref.code, said: ref.code };
    case 'id':
      return { id: ref.id, said: ref.id };
    case 'message': {
      const place = { team: bridge.bot.team, channel: ref.channel, ts: ref.ts };
      const conversation = await findByMessage(bridge.database.db, place);
      return { id: conversation?.ticket_id ?? undefined, said: 'of that message' };
    }
    case 'number': {
      const queue = await queueOf(bridge, channel);
      const code = `${queue?.prefix}-${ref.number}`;
      if (queue) return { id: code, said: code, workspaceId: queue.workspaceId };
      return {
        refusal: `\`#${ref.number}\` needs a channel that is linked to a queue. Type the whole reference, such as \`IT-${ref.number}\`.`,
      };
    }
  }
}

async function queueOf(
  { service, channels }: Bridge,
  channel: string,
): Promise<Answer<'readQueue'> | undefined> {
  const home = await channels.of(channel);
  return home && service.readQueue({ params: { id: home.queueId } });
}
