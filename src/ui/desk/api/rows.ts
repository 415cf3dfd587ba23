import { keepPreviousData, type QueryKey, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';

import { showToast } from '../kit/toast.tsx';
import { call, Refusal } from './call.ts';
import { keyOf, queryClient } from './query.ts';
import type { Answer, Input, ItemOf, Operation, QueryOf } from './types.ts';

/** Rows of one page of a list; "Show more" adds as many. */
export const PAGE = 50;
/** Rows that one request asks for at most. */
const AT_ONCE = 200;

/** The lists whose rows have an id, by which a row that moved is recognized. */
type RowList = {
  [N in Operation]: ItemOf<N> extends Row ? (Answer<N> extends Rows<unknown> ? N : never) : never;
}[Operation];

interface Row {
  id: string;
}

interface Rows<Item> {
  items: Item[];
  totalCount: number;
  nextCursor: string | null;
}

/** How the rows after these are asked for; undefined at the end. Another service may have no cursors. */
export function restOf({ items, totalCount, nextCursor }: Rows<unknown>) {
  if (nextCursor !== null) return { cursor: nextCursor };
  return items.length > 0 && items.length < totalCount ? { offset: items.length } : undefined;
}

/** Adds a page at the end. A row that moved there since is not shown twice; a page without news is the last one. */
function appended(rows: Rows<Row>, page: Rows<Row>): Rows<Row> {
  const added = new Set(page.items.map(({ id }) => id));
  const items = [...rows.items.filter(({ id }) => !added.has(id)), ...page.items];
  const isEnd = page.nextCursor === null && items.length <= rows.items.length;
  return { ...rows, items, nextCursor: page.nextCursor, ...(isEnd && { totalCount: items.length }) };
}

export interface List<N extends RowList> {
  name: N;
  query: QueryOf<N> & object;
  page: number;
}

/** The key of a list's rows, however many: with it the server sends the first page (src/desk/first-data.ts). */
export const keyOfList = <N extends RowList>({ name, query, page }: List<N>): QueryKey =>
  keyOf(name, { query: { ...query, limit: page } });

const shownOf = <N extends RowList>(list: List<N>) => queryClient.getQueryData<Rows<Row>>(keyOfList(list));

/** Reads `limit` rows from the beginning, or from the end of others. Throws Refusal. */
export function readPage<N extends RowList>(
  { name, query }: List<N>,
  limit: number,
  { rest, signal }: { rest?: object; signal?: AbortSignal | undefined },
): Promise<Rows<Row>> {
  const input = { query: { ...query, ...rest, limit } } as unknown as Input<N>;
  return call(name, input, { signal }) as unknown as Promise<Rows<Row>>;
}

/** Reads as many pages of a list as are shown, or the first one. Throws Refusal. */
export async function readRows<N extends RowList>(list: List<N>, signal?: AbortSignal): Promise<Answer<N>> {
  // Looked up each time: more may be added meanwhile.
  const wanted = () => list.page * Math.max(1, Math.ceil((shownOf(list)?.items.length ?? 0) / list.page));
  let rows = await readPage(list, Math.min(AT_ONCE, wanted()), { signal });
  for (let rest = restOf(rows); rest && rows.items.length < wanted(); rest = restOf(rows)) {
    const limit = Math.min(AT_ONCE, wanted() - rows.items.length);
    rows = appended(rows, await readPage(list, limit, { rest, signal }));
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
    // If it was read again meanwhile, it may end elsewhere, and these are not the rows that follow.
    if (JSON.stringify(end()) !== JSON.stringify(rest)) continue;
    queryClient.setQueryData<Rows<Row>>(keyOfList(list), (shown) => shown && appended(shown, page));
    return;
  }
}

export interface More {
  /** Whether the list goes on. */
  isThere: boolean;
  isReading: boolean;
  read: () => void;
}

/** How a list goes on after what is shown of it. */
export function useMore<N extends RowList>(
  list: List<N>,
  { data, isPlaceholderData }: { data: Partial<Rows<unknown>> | undefined; isPlaceholderData: boolean },
): More {
  const key = JSON.stringify(keyOfList(list));
  /** The list that more is read of: by the time it comes, another one may be shown. */
  const [reading, setReading] = useState<string>();
  const { items = [], totalCount = 0, nextCursor = null } = data ?? {};
  return {
    isThere: restOf({ items, totalCount, nextCursor }) !== undefined,
    isReading: reading === key || isPlaceholderData,
    read: () => {
      setReading(key);
      readMore(list)
        .catch((error: unknown) => {
          if (!(error instanceof Refusal)) throw error;
          showToast({ kind: 'error', text: error.message });
        })
        .finally(() => setReading((now) => (now === key ? undefined : now)));
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
