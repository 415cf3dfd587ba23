import { route } from '../route.ts';
import { semanticSearchQuery } from '../search.ts';
import { thinTicketList, ticketList } from '../ticket.ts';

export const searchRoutes = {
  semanticSearch: route({
    method: 'GET',
    path: '/tickets/semantic-search',
    role: 'read',
    ext: false,
    summary: 'Find tickets by what they say, best first',
    query: semanticSearchQuery,
    answer: ticketList,
    thin: thinTicketList,
    errors: ['UNPROCESSABLE_CONTENT'],
  }),
};
