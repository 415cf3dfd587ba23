import { z } from 'zod';

import type { TicketWords } from './own-words.ts';
import type { ServiceHint } from './store.ts';

/**
 * As much of an event as is needed to know which ticket to look at. Another implementation's body need only carry a
 * type and an id: `ticket.id`, `data.ticketId`, `ticketId`, or the `id` (also of `data`) of what the type says.
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

/** As much of an event as says that a message of chat was put on its ticket; another implementation's need not say it. */
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

/** The words that came from chat of which an event tells, and so of nothing else of their ticket. */
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

/** The ticket, or at least the message, that an event is about; undefined when it is about neither. Never throws. */
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
