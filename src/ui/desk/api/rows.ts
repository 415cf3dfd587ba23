import { keepPreviousData, type QueryKey, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';

import { toastRefusal } from '../kit/toast-refusal.ts';
import { appendPage, restOf, type Row, type Rows } from './append-page.ts';
import { call } from './call.ts';
import { operationKey, queryClient } from './query.ts';
import type { Answer, Input, ItemOf, Operation, QueryOf } from './types.ts';

/** Rows of one page of a list; "Show more" adds as many. */
export const PAGE = 50;
/** Rows that one request asks for at most. */
const AT_ONCE = 200;

/** The lists whose rows have an id, which identifies a row that moved. */
type RowList = {
  [N in Operation]: ItemOf<N> extends Row ? (Answer<N> extends Rows<unknown> ? N : never) : never;
}[Operation];

export interface List<N extends RowList> {
  name: N;
  query: QueryOf<N> & object;
  page: number;
}

/** The query key of a list's rows, of any number; the server sends the first page with it (src/desk/first-data.ts). */
export const keyOfList = <N extends RowList>({ name, query, page }: List<N>): QueryKey =>
  operationKey(name, { query: { ...query, limit: page } });

const shownOf = <N extends RowList>(list: List<N>) => queryClient.getQueryData<Rows<Row>>(keyOfList(list));

/** Reads `limit` rows, from the beginning or after those before `rest`. Throws Refusal. */
export function readPage<N extends RowList>(
  { name, query }: List<N>,
  limit: number,
  { rest, signal }: { rest?: object; signal?: AbortSignal | undefined },
): Promise<Rows<Row>> {
  const input = { query: { ...query, ...rest, limit } } as unknown as Input<N>;
  return call(name, input, { signal }) as unknown as Promise<Rows<Row>>;
}

/** Reads as many rows of a list as are shown, or its first page. Throws Refusal. */
export async function readRows<N extends RowList>(list: List<N>, signal?: AbortSignal): Promise<Answer<N>> {
  // Looked up each time: "Show more" may add some meanwhile.
  const wanted = () => list.page * Math.max(1, Math.ceil((shownOf(list)?.items.length ?? 0) / list.page));
  let rows = await readPage(list, Math.min(AT_ONCE, wanted()), { signal });
  for (let rest = restOf(rows); rest && rows.items.length < wanted(); rest = restOf(rows)) {
    const limit = Math.min(AT_ONCE, wanted() - rows.items.length);
    rows = appendPage(rows, await readPage(list, limit, { rest, signal }));
  }
  return rows as unknown as Answer<N>;
}

/** Adds the next page to what is shown. Throws Refusal. */
async function readMore<N extends RowList>(list: List<N>): Promise<void> {
  const end = () => {
    const shown = shownOf(list);
    return shown && restOf(shown);
  };
  for (let rest = end(); rest; rest = end()) {
    const page = await readPage(list, list.page, { rest });
    // If the list was reloaded meanwhile it may end elsewhere, and then these rows do not follow.
    if (JSON.stringify(end()) !== JSON.stringify(rest)) continue;
    queryClient.setQueryData<Rows<Row>>(keyOfList(list), (shown) => shown && appendPage(shown, page));
    return;
  }
}

export interface More {
  /** Whether the list has more rows. */
  isThere: boolean;
  isReading: boolean;
  read: () => void;
}

/** Returns whether a list has more rows than are shown, and how to read them. */
export function useMore<N extends RowList>(
  list: List<N>,
  { data, isPlaceholderData }: { data: Partial<Rows<unknown>> | undefined; isPlaceholderData: boolean },
): More {
  const key = JSON.stringify(keyOfList(list));
  /** The list being read: another one may be shown by the time its rows arrive. */
  const [reading, setReading] = useState<string>();
  const { items = [], totalCount = 0, nextCursor = null } = data ?? {};
  return {
    isThere: restOf({ items, totalCount, nextCursor }) !== undefined,
    isReading: reading === key || isPlaceholderData,
    read: () => {
      setReading(key);
      void toastRefusal(() => readMore(list)).finally(() =>
        setReading((now) => (now === key ? undefined : now)),
      );
    },
  };
}

/** A list that is shown page by page: what is shown is kept up to date, and more is read where it ends. */
export function useRows<N extends RowList>(
  name: N,
  query: QueryOf<N> & object,
  { page = PAGE, ...options }: { page?: number; retry?: (count: number, error: Error) => boolean } = {},
): { read: UseQueryResult<Answer<N>>; more: More } {
  const list = { name, query, page };
  const read = useQuery({
    queryKey: keyOfList(list),
    queryFn: ({ signal }) => readRows(list, signal),
    placeholderData: keepPreviousData,
    ...options,
  });
  return { read, more: useMore(list, read as Parameters<typeof useMore>[1]) };
}
