import {
  keepPreviousData,
  QueryCache,
  QueryClient,
  type QueryKey,
  queryOptions,
  useQuery,
  type UseQueryResult,
} from '@tanstack/react-query';

import { call, Refusal } from './call.ts';
import type { Answer, Input, Operation } from './types.ts';

/** Reads are kept fresh by the live stream; without it they are read again when they are this old. */
const FRESH_MS = 30_000;

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // What a person may no longer read is not shown from what was read before.
    onError: (error, query) => {
      if (error instanceof Refusal && error.isAbsent && query.state.data !== undefined)
        query.setState({ data: undefined });
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      gcTime: 15 * 60_000,
      retry: (count, error) =>
        error instanceof Refusal && (error.status === 0 || error.status >= 500) && count < 2,
    },
  },
});

const sorted = (values: object | undefined) =>
  Object.fromEntries(
    Object.entries(values ?? {})
      .filter(([, value]) => value !== undefined && value !== null && value !== '')
      .map(([key, value]) => [key, String(value)] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );

/** The key of a read: the same for the same parameters in any order. */
export const operationKey = (
  name: Operation,
  { params, query, body }: { params?: object; query?: object; body?: object } = {},
): QueryKey => [name, sorted(params), sorted(query), ...(body ? [body] : [])];

/** Changes the records of every list of an operation that this page has read, shown or not. */
export function changeCached<Item>(name: Operation, change: (item: Item) => Item): void {
  queryClient.setQueriesData<{ items: Item[] }>(
    { queryKey: [name] },
    (known) => known && { ...known, items: known.items.map(change) },
  );
}

/** A read of an operation, for `useQuery`, `prefetchQuery` and `setQueryData`. */
export function operation<N extends Operation>(name: N, input: Input<N> = {}) {
  return queryOptions({
    queryKey: operationKey(name, input as { params?: object; query?: object }),
    queryFn: ({ signal }) => call(name, input, { signal }),
  });
}

/** Reads an operation; while its input changes the former answer stays. */
export function useOperation<N extends Operation>(
  name: N,
  input: Input<N> = {},
  {
    enabled = true,
    keep = false,
    isFresh = false,
    everyMs,
  }: {
    enabled?: boolean;
    keep?: boolean;
    /** Never from what was read before: others change what it says, and no event tells of it. */
    isFresh?: boolean;
    /** Read again so often while it is shown, where it could be read at all. */
    everyMs?: number;
  } = {},
): UseQueryResult<Answer<N>> {
  return useQuery({
    ...operation(name, input),
    enabled,
    ...(keep && { placeholderData: keepPreviousData }),
    ...(isFresh && { gcTime: 0, staleTime: 0 }),
    ...(everyMs && {
      refetchInterval: ({ state }: { state: { data: unknown } }) =>
        state.data === undefined ? false : everyMs,
    }),
  });
}

/** All items of a short list of choices, such as queues; empty while unknown, or where the service has no such list. */
export function useChoices<N extends Operation>(
  name: N,
  enabled = true,
): Answer<N> extends { items: infer Items } ? Items : never {
  const { data } = useQuery({ ...choices(name), enabled, staleTime: CHOICES_STALE_MS });
  return (data ?? NONE) as Answer<N> extends { items: infer Items } ? Items : never;
}

const NONE: never[] = [];

/** A list of choices is read again after this time, or once something in it has changed. */
export const CHOICES_STALE_MS = 5 * 60_000;

export function choices(name: Operation) {
  const input = { query: { limit: 1000 } } as unknown as Input<Operation>;
  return queryOptions({
    queryKey: operationKey(name, input as { query: object }),
    queryFn: async ({ signal }) => {
      try {
        return await call(name, input, { signal });
      } catch (error) {
        if (error instanceof Refusal && error.isAbsent) return { items: [] };
        throw error;
      }
    },
    select: (answer) => (answer as { items: unknown[] }).items,
  });
}
