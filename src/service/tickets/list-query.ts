import { type ParsedQuery, ticketListQuery } from '../../contract/index.ts';
import { readQuery } from '../lists/query.ts';
import { malformed } from '../problem.ts';

/**
 * Parses parameters of the ticket list that are part of a body, in the same way as those of the list's URL.
 * @param path the field of the body that contains them.
 * @throws 400 for an invalid value, and for an unknown parameter: ignoring a filter would select too many tickets.
 */
export function parseListQuery(given: Record<string, string>, path: string): ParsedQuery<'listTickets'> {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(ticketListQuery.shape, name));
  if (unknown !== undefined)
    throw malformed([{ path: `${path}.${unknown}`, message: 'The ticket list has no such parameter' }]);
  const { data, error } = ticketListQuery.safeParse(readQuery(ticketListQuery, given));
  if (data) return data;
  throw malformed(
    error.issues.map((issue) => ({ path: [path, ...issue.path].join('.'), message: issue.message })),
  );
}
