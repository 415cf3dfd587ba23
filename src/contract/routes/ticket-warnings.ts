import { route } from '../route.ts';
import { ticketWarningList, ticketWarningListQuery } from '../ticket-warning.ts';

export const ticketWarningRoutes = {
  listTicketWarnings: route({
    method: 'GET',
    path: '/ticket-warnings',
    role: 'read',
    person: 'agent',
    ext: true,
    summary: 'List what was told of targets whose time is nearly up, or over, newest first',
    query: ticketWarningListQuery,
    answer: ticketWarningList,
  }),
};
