import { type ParsedQuery, ticketListQuery } from '../../contract/index.ts';
import { readQuery } from '../lists/query.ts';
import { malformed } from '../problem.ts';

/**
 * Parses parameters of the ticket list that are in a body, as the list itself parses its URL.
 * @param path where they are in the body.
 * @throws 400 for a wrong value; also for a parameter that the list does not have, whose result would be too long.
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
