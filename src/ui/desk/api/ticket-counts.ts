import { keepPreviousData, useQuery } from '@tanstack/react-query';

import { call, Refusal } from './call.ts';
import { operationKey } from './query.ts';
import type { Answer, BodyOf } from './types.ts';

/** Counts of one request (LIMITS.ticketCounts of the contract). */
const MOST = 30;

/** How many tickets there are; `isCapped`: at least so many. */
export interface TicketCount {
  count: number;
  isCapped: boolean;
}

const NONE: ReadonlyMap<string, TicketCount> = new Map();

type Filters = BodyOf<'countTickets'>['filters'];

/**
 * How many tickets each filter finds, by its key, of the first 30. Without the counts while they are read for the first
 * time, and of those that the service does not count.
 */
export function useTicketCounts(filters: Filters): ReadonlyMap<string, TicketCount> {
  const body = { filters: filters.slice(0, MOST) };
  const { data = NONE } = useQuery({
    queryKey: operationKey('countTickets', { body }),
    queryFn: async ({ signal }) => ({ counts: await countTickets(body.filters, signal) }),
    select: ({ counts }) => new Map<string, TicketCount>(counts.map((each) => [each.key, each])),
    enabled: body.filters.length > 0,
    placeholderData: keepPreviousData,
  });
  return data;
}

/**
 * Counts all in one request. What the service refuses together is asked in halves: its searches have too many words, or
 * one of them is wrong, and that must not leave all others without their counts.
 */
async function countTickets(
  filters: Filters,
  signal: AbortSignal,
): Promise<Answer<'countTickets'>['counts']> {
  try {
    return (await call('countTickets', { body: { filters } }, { signal })).counts;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // Another service may count none.
    if (error.isAbsent) return [];
    if (error.status !== 400 && error.status !== 422) throw error;
    if (filters.length === 1) return [];
    const middle = Math.ceil(filters.length / 2);
    return [
      ...(await countTickets(filters.slice(0, middle), signal)),
      ...(await countTickets(filters.slice(middle), signal)),
    ];
  }
}
