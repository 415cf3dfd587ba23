import { keepPreviousData, useQuery } from '@tanstack/react-query';

import { call, Refusal } from '../api/call.ts';
import { operation } from '../api/query.ts';
import type { Answer, Input, Ticket } from '../api/types.ts';
import { type Current, useMe, withMe } from './views.ts';

/** Rows of one page of a list; more are loaded by as many. */
export const PAGE = 50;
/** The best results that a search shows. */
export const BEST = 20;

export type Match = Answer<'semanticSearch'>['matches'][number];

interface Found {
  items: Ticket[];
  totalCount: number;
  matches?: Match[];
  /** False: meaning was left out of the search. */
  meaning?: boolean;
}

/** The query of a list, as the server also sends it with the page (src/desk/first-data.ts). */
export function listInput(
  { filters, sortBy, sortDirection, search }: Current,
  limit: number,
  me: string | null | undefined,
) {
  return {
    query: { ...withMe(filters, me), ...(search && { search }), sortBy, sortDirection, limit },
  } as unknown as Input<'listTickets'>;
}

/** Whether a search shows its best matches, in their own order. */
export const isByMatch = ({ search, isByWords }: Current): boolean => search !== '' && !isByWords;

/** The tickets of a list: by order, or for a search the best matches first, each with its reason. */
export function useTickets(current: Current, limit: number) {
  const me = useMe();
  const input = listInput(current, limit, me);
  const isBest = isByMatch(current);
  const list = operation('listTickets', input);
  return useQuery({
    queryKey: isBest ? ['semanticSearch', ...list.queryKey.slice(1)] : list.queryKey,
    queryFn: async ({ signal }): Promise<Found> => {
      if (isBest)
        try {
          const query = { ...withMe(current.filters, me), query: current.search, limit: BEST };
          return await call('semanticSearch', { query } as unknown as Input<'semanticSearch'>, { signal });
        } catch (error) {
          // Another service may have no such search.
          if (!(error instanceof Refusal) || ![400, 404, 405].includes(error.status)) throw error;
        }
      return call('listTickets', input, { signal });
    },
    placeholderData: keepPreviousData,
  });
}
