import { type Answer, AnsweredError } from '../../client/index.ts';
import type { Bridge } from '../bridge.ts';
import { parseRef, type TicketRef } from '../decide/ticket-ref.ts';
import { findByMessage } from '../links/conversations.ts';
import type { Person } from '../links/people.ts';
import { escapeChat } from '../text/to-chat.ts';
import { standingOf } from './standing.ts';

export type Ticket = Answer<'readTicket'>;

/** A ticket's record; undefined where it is gone, or not for this key to see. */
export async function readTicket(bridge: Bridge, id: string): Promise<Ticket | undefined> {
  try {
    return await bridge.service.readTicket({ params: { id } });
  } catch (error) {
    if (error instanceof AnsweredError && error.status === 404) return undefined;
    throw error;
  }
}

/** What somebody reads whose button or window is about such a ticket. */
export const TICKET_GONE = 'This ticket is gone.';

/** The ticket, or the sentence that tells the person what was wrong and what to type instead (B36). */
export type Found = { ticket: Ticket } | { refusal: string };

/** The ticket that somebody named, if they may see it: a private one is as unknown to others as one that never was (B35). */
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
    const ticket = await bridge.service.readTicket({ params: { id: named.id } });
    const offered = await bridge.channels.isOffered(ticket.queue?.workspaceId);
    return offered && (await standingOf(bridge, ticket, person)).sees ? { ticket } : unknown;
  } catch (error) {
    if (error instanceof AnsweredError && error.next === 'give-up') return unknown;
    throw error;
  }
}

const NO_REFERENCE = (typed: string) =>
  `\`${escapeChat(typed)}\` is no ticket reference. Type one such as \`IT-42\`, or \`#42\` in the queue's channel.`;

/** What the service knows the ticket by, and how the person is answered about it. */
async function nameOf(
  bridge: Bridge,
  ref: TicketRef,
  channel: string,
): Promise<{ id: string | undefined; said: string } | { refusal: string }> {
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
      const prefix = await prefixOf(bridge, channel);
      if (prefix) return { id: `${prefix}-${ref.number}`, said: `${prefix}-${ref.number}` };
      return {
        refusal: `\`#${ref.number}\` needs a channel that is linked to a queue. Type the whole reference, such as \`IT-${ref.number}\`.`,
      };
    }
  }
}

async function prefixOf({ service, channels }: Bridge, channel: string): Promise<string | undefined> {
  const home = await channels.of(channel);
  if (!home) return undefined;
  const queue = await service.readQueue({ params: { id: home.queueId } });
  return queue.prefix;
}
