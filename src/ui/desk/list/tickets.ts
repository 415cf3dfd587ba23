import { keepPreviousData, useQuery } from '@tanstack/react-query';

import { call, Refusal } from '../api/call.ts';
import { keyOfList, type List, PAGE, readRows, useMore } from '../api/rows.ts';
import type { Answer, QueryOf, Ticket } from '../api/types.ts';
import type { Grouping } from './display.ts';
import { type Current, useMe, asQuery } from './views.ts';

/** The best results that a search shows. */
export const BEST = 20;

export type Match = Answer<'semanticSearch'>['matches'][number];

/** Returns what is shown of a match besides the title. */
export const passageOf = ({ snippets }: Match): Match['snippets'][number] | undefined =>
  snippets.find(({ field }) => field !== 'title' && field !== 'reference');

/** Returns where a ticket opens that was found in a message: there. */
export function foundAt(match: Match | undefined): { hash?: string } {
  const messageId = match && passageOf(match)?.messageId;
  return messageId ? { hash: messageId } : {};
}

interface Found {
  items: Ticket[];
  totalCount: number;
  nextCursor?: string | null;
  matches?: Match[];
  /** False: meaning was left out of the search. */
  meaning?: boolean;
}

/** The list as the server also sends it with the page (src/desk/first-data.ts). */
export const ticketList = (
  { filters, sortBy, sortDirection, search }: Current,
  me: string | null | undefined,
  groupBy: Grouping | undefined,
): List<'listTickets'> => ({
  name: 'listTickets',
  query: {
    ...asQuery(filters, me),
    ...(search && { search }),
    sortBy,
    sortDirection,
    // A ticket may have several tags: the service has no such order.
    ...(groupBy && groupBy !== 'tagId' && { groupBy }),
  } as unknown as QueryOf<'listTickets'>,
  page: PAGE,
});

/** Whether a search shows its best matches, in their own order. */
export const isByMatch = ({ search, isByWords }: Current): boolean => search !== '' && !isByWords;

/**
 * The tickets of a list: by group and order, or for a search the best matches first, each with its reason.
 */
export function useTickets(current: Current, groupBy: Grouping | undefined) {
  const me = useMe();
  const list = ticketList(current, me, groupBy);
  const isBest = isByMatch(current);
  const key = keyOfList(list);
  const tickets = useQuery({
    queryKey: isBest ? ['semanticSearch', ...key.slice(1)] : key,
    queryFn: async ({ signal }): Promise<Found> => {
      if (isBest)
        try {
          const query = { ...asQuery(current.filters, me), query: current.search, limit: BEST };
          return await call('semanticSearch', { query }, { signal });
        } catch (error) {
          // Another service may have no such search.
          if (!(error instanceof Refusal) || ![400, 404, 405].includes(error.status)) throw error;
        }
      return readRows(list, signal);
    },
    placeholderData: keepPreviousData,
  });
  const more = useMore(list, tickets);
  return { tickets, more: { ...more, isThere: more.isThere && !isBest } };
}
