import { z } from 'zod';

import type { ServiceHint } from './store.ts';

/**
 * As much of an event as is needed to know which ticket to look at. Another implementation's body need only carry a
 * type and an id: `ticket.id`, `data.ticketId`, or for a ticket `data.id`.
 */
const Hint = z.object({
  type: z.string(),
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

/** The ticket that an event is about; undefined when it is about none. Never throws. */
export function parseServiceEvent(id: string, team: string, body: unknown): ServiceHint | undefined {
  const parsed = Hint.safeParse(body);
  if (!parsed.success) return undefined;
  const { type, ticket, data } = parsed.data;
  const ticketId = ticket?.id ?? data?.ticketId ?? (/^ticket$/i.test(type) ? data?.id : undefined);
  if (ticketId === undefined) return undefined;
  const threads = (data?.chatThreads ?? []).map(({ channelId, messageTs }) => ({
    team,
    channel: channelId,
    root: messageTs,
  }));
  return { id, ticketId, threads };
}
