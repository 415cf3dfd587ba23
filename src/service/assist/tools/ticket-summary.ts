import { z } from 'zod';

import { priority, type Ticket } from '../../../contract/index.ts';
import { data, quote, quoteOrNull } from '../data.ts';
import { ASSIST_LIMITS } from '../limits.ts';
import type { Reading } from '../tool.ts';
import { peopleNamed, person } from './people.ts';

/** The summary of a ticket in tool results. */
export const ticketSummary = z.strictObject({
  id: z.string(),
  reference: z.string().describe('As people name it: IT-42.'),
  url: z.string(),
  title: data.nullable(),
  status: z.strictObject({ id: z.string(), name: data, group: data }),
  priority,
  queue: z.strictObject({ id: z.string(), name: data }).nullable(),
  requester: person.nullable(),
  assignee: person.nullable(),
  private: z.boolean().describe('Only the team and those who take part read it.'),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type TicketSummary = z.output<typeof ticketSummary>;

/** Input: a ticket by its id or its reference. */
export const ticketName = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[A-Za-z0-9_-]+$/, 'Expected an id or a reference such as IT-42')
  .describe('A ticket: its reference (IT-42) or its id.');

/** An id in an input, as answers have it. */
export const recordId = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[A-Za-z0-9_-]+$/, 'Expected the id of a record');

export async function ticketSummaries(run: Reading, tickets: readonly Ticket[]): Promise<TicketSummary[]> {
  const named = await peopleNamed(
    run,
    tickets.flatMap(({ requesterId, assigneeId }) => [requesterId, assigneeId]),
  );
  return tickets.map((ticket) => ({
    ...summaryOf(run, ticket),
    requester: named(ticket.requesterId),
    assignee: named(ticket.assigneeId),
  }));
}

/** Returns what a ticket says without its people. */
export function summaryOf(
  { publicUrl }: Pick<Reading, 'publicUrl'>,
  { id, code, title, status, priority, queue, private: isPrivate, createdAt, updatedAt }: Ticket,
): Omit<TicketSummary, 'requester' | 'assignee'> {
  const name = (text: string) => quote(text, ASSIST_LIMITS.name);
  return {
    id,
    reference: code,
    url: ticketUrl(publicUrl, code),
    title: quoteOrNull(title, ASSIST_LIMITS.excerpt),
    status: { id: status.id, name: name(status.label), group: name(status.statusGroup.label) },
    priority,
    queue: queue && { id: queue.id, name: name(queue.name) },
    private: isPrivate,
    createdAt,
    updatedAt,
  };
}

/** Returns where people read a ticket. */
export function ticketUrl(publicUrl: string, code: string): string {
  return `${publicUrl}/tickets/${encodeURIComponent(code)}`;
}
