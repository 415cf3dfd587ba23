import { z } from 'zod';

import type { TicketWords } from './own-words.ts';
import type { ServiceHint } from './store.ts';

/**
 * The parts of an event that identify its ticket. Another implementation's body needs only a type and an id:
 * `ticket.id`, `data.ticketId`, `ticketId`, or the `id` (also of `data`) of what the type says.
 */
const Hint = z.object({
  type: z.string(),
  id: z.string().optional().catch(undefined),
  ticketId: z.string().optional().catch(undefined),
  ticket: z.object({ id: z.string() }).nullish().catch(undefined),
  data: z
    .looseObject({
      id: z.string().optional(),
      ticketId: z.string().optional(),
      chatThreads: z.array(z.object({ channelId: z.string(), messageTs: z.string() })).catch([]),
    })
    .nullish()
    .catch(undefined),
});

/** The parts of an event that show that a chat message was added to its ticket; other implementations may omit them. */
const Echo = z.object({
  type: z.literal('Message'),
  action: z.literal('created'),
  data: z.object({
    source: z.literal('CHAT'),
    id: z.string(),
    ticketId: z.string(),
    chatMessages: z.array(z.object({ channelId: z.string(), ts: z.string() })).catch([]),
  }),
});

/** Returns the message from chat that an event is about, if it is about nothing else. */
export function echoIn(team: string, body: unknown): TicketWords | undefined {
  const { data: event } = Echo.safeParse(body);
  if (!event) return undefined;
  const { ticketId, id, chatMessages } = event.data;
  return {
    ticketId,
    messageId: id,
    places: chatMessages.map(({ channelId, ts }) => ({ team, channel: channelId, ts })),
  };
}

/** Returns the ticket, or at least the message, that an event is about, or undefined. Never throws. */
export function parseServiceEvent(id: string, team: string, body: unknown): ServiceHint | undefined {
  const parsed = Hint.safeParse(body);
  if (!parsed.success) return undefined;
  const { type, ticket, data, ...own } = parsed.data;
  const recordId = data?.id ?? own.id;
  const isMessage = /message/i.test(type);
  const isTicket = !isMessage && /ticket/i.test(type);
  const ticketId = ticket?.id ?? data?.ticketId ?? own.ticketId ?? (isTicket ? recordId : undefined);
  const threads = (data?.chatThreads ?? []).map(({ channelId, messageTs }) => ({
    team,
    channel: channelId,
    root: messageTs,
  }));
  if (ticketId !== undefined) return { id, ticketId, threads };
  return isMessage && recordId !== undefined ? { id, messageId: recordId, threads } : undefined;
}
