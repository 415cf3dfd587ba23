import { keepPreviousData, useQuery } from '@tanstack/react-query';

import { call, Refusal } from './call.ts';
import { operationKey } from './query.ts';
import type { BodyOf } from './types.ts';

/** Counts of one request (LIMITS.ticketCounts of the contract). */
const MOST = 30;

/** How many tickets there are; `isCapped`: at least so many. */
export interface TicketCount {
  count: number;
  isCapped: boolean;
}

const NONE: ReadonlyMap<string, TicketCount> = new Map();

/**
 * How many tickets each filter finds, by its key, all in one request: of the first 30. Without the counts while they
 * are read for the first time, and where the service counts none.
 */
export function useTicketCounts(
  filters: BodyOf<'countTickets'>['filters'],
): ReadonlyMap<string, TicketCount> {
  const body = { filters: filters.slice(0, MOST) };
  const { data = NONE } = useQuery({
    queryKey: operationKey('countTickets', { body }),
    queryFn: async ({ signal }) => {
      try {
        return await call('countTickets', { body }, { signal });
      } catch (error) {
        // Another service may count none.
        if (error instanceof Refusal && error.isAbsent) return { counts: [] };
        throw error;
      }
    },
    select: ({ counts }) => new Map<string, TicketCount>(counts.map((each) => [each.key, each])),
    enabled: body.filters.length > 0,
    placeholderData: keepPreviousData,
  });
  return data;
}
