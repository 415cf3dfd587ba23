import { z } from 'zod';

import { LIMITS, priority, type RouteAnswer } from '../../../contract/index.ts';
import { data, quote } from '../data.ts';
import { ASSIST_LIMITS } from '../limits.ts';
import { type Reading, readingTool } from '../tool.ts';
import { recordId, ticketName, ticketSummaries, ticketSummary } from './ticket-summary.ts';

const limit = z.int().min(1).max(ASSIST_LIMITS.tickets).default(10).describe('Number of tickets.');

const found = z.strictObject({
  ...ticketSummary.shape,
  passages: z
    .array(
      z.strictObject({
        audience: z.enum(['requester and team', 'team only']),
        text: data,
      }),
    )
    .describe('Where it holds the words of the search.'),
});

type Search = RouteAnswer<'semanticSearch'>;

/** Returns the tickets of a search with its passages, best first. */
async function foundTickets(run: Reading, { items, matches }: Search): Promise<z.output<typeof found>[]> {
  const passages = new Map(matches.map(({ ticketId, snippets }) => [ticketId, snippets]));
  return (await ticketSummaries(run, items)).map((ticket) => ({
    ...ticket,
    passages: (passages.get(ticket.id) ?? []).map(({ field, text }) => ({
      audience: field === 'note' ? ('team only' as const) : ('requester and team' as const),
      text: quote(text, ASSIST_LIMITS.excerpt),
    })),
  }));
}

export const searchTickets = readingTool({
  name: 'search_tickets',
  title: 'Search tickets',
  description:
    'Finds tickets by words, best first, or lists them by filters, newest first. Finds what means the same too. Only tickets that the caller may read.',
  input: z.object({
    query: z.string().max(LIMITS.shortText).optional().describe('Words to look for. Leave it out to list.'),
    queueId: recordId.optional(),
    statusId: recordId.optional(),
    assigneeId: recordId.optional(),
    requesterId: recordId.optional(),
    priority: priority.optional(),
    open: z.boolean().optional().describe('True: only tickets that are not done or closed.'),
    limit,
    cursor: z.string().max(LIMITS.url).optional().describe('nextCursor of a list, for its next page.'),
  }),
  output: z.strictObject({
    tickets: z.array(found),
    total: z.int().describe('Of a list: how many there are. Of a search: how many are here.'),
    nextCursor: z.string().nullable(),
  }),
  async answer(run, { query, open, cursor, limit: most, ...filters }) {
    const shared = { ...filters, openFilter: open, limit: most };
    if (query?.trim()) {
      const search = await run.read('semanticSearch', { query: { ...shared, query } });
      const tickets = await foundTickets(run, search);
      return { tickets, total: tickets.length, nextCursor: null };
    }
    const list = await run.read('listTickets', {
      query: { ...shared, cursor, sortBy: 'updatedAt', sortDirection: 'desc' },
    });
    const tickets = await ticketSummaries(run, list.items);
    return {
      tickets: tickets.map((ticket) => ({ ...ticket, passages: [] })),
      total: list.totalCount,
      nextCursor: list.nextCursor,
    };
  },
});

export const findSimilar = readingTool({
  name: 'find_similar',
  title: 'Find similar tickets',
  description:
    'Finds tickets like a given one, to see how they were solved or whether it is a duplicate. Read one of them with get_ticket.',
  input: z.object({ ticket: ticketName, limit: limit.default(5) }),
  output: z.strictObject({ ticketId: z.string(), tickets: z.array(found) }),
  async answer(run, { ticket: name, limit: most }) {
    const ticket = await run.read('readTicket', { params: { id: name } });
    const words = [ticket.title, ticket.description]
      .filter(Boolean)
      .join(' ')
      .slice(0, ASSIST_LIMITS.similar);
    const search = await run.read('semanticSearch', {
      query: { query: words, excludeTicketId: ticket.id, limit: ASSIST_LIMITS.tickets },
    });
    // A merged ticket is a duplicate that was dealt with, and says nothing of how it was solved.
    const items = search.items.filter(({ mergedIntoId }) => mergedIntoId === null).slice(0, most);
    return { ticketId: ticket.id, tickets: await foundTickets(run, { ...search, items }) };
  },
});

export const myWork = readingTool({
  name: 'my_work',
  title: 'My work',
  description:
    'Lists what waits for the caller: open tickets that are assigned to them, approvals that they are asked for, and their own open requests.',
  input: z.object({ limit }),
  output: z.strictObject({
    assigned: z.array(ticketSummary),
    toApprove: z.array(ticketSummary),
    requested: z.array(ticketSummary),
  }),
  async answer(run, { limit: most }) {
    const { personId } = run.caller;
    if (personId === null) return { assigned: [], toApprove: [], requested: [] };
    const list = async (filters: object) => {
      const query = {
        ...filters,
        openFilter: true,
        limit: most,
        sortBy: 'updatedAt',
        sortDirection: 'desc',
      } as const;
      return ticketSummaries(run, (await run.read('listTickets', { query })).items);
    };
    return {
      assigned: await list({ assigneeId: personId }),
      toApprove: await list({ approverId: personId, undecidedFilter: true }),
      requested: await list({ requesterId: personId }),
    };
  },
});
