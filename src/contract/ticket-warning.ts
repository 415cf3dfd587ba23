import { z } from 'zod';

import { slaTarget, warningRecipient } from './enums.ts';
import { id, instant, timestamp } from './fields.ts';
import { list, listQuery } from './lists.ts';

/**
 * A share of a ticket's target has passed (beyond the specification), and this was told: to the assignee and the team,
 * or to a person or a channel in chat that the queue names. Each is told once.
 */
export const ticketWarning = z
  .strictObject({
    id,
    ticketId: id,
    target: slaTarget,
    /** Of the target's business time; from 100 on it is missed. */
    percent: z.int(),
    recipient: warningRecipient,
    /** The person. */
    userId: id.nullable(),
    /** The channel in chat. */
    chatChannelId: z.string().nullable(),
    /** When the target ends, or ended. */
    dueAt: timestamp.nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'TicketWarning' });
export type TicketWarning = z.output<typeof ticketWarning>;

export const ticketWarningList = list(ticketWarning);

export const ticketWarningListQuery = listQuery({
  sortBy: ['createdAt'],
  groupBy: ['ticketId'],
  filters: { ticketId: id.nullish(), createdFrom: instant.nullish() },
});
