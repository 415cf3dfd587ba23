/** A record of a list, which its id identifies if it moves. */
export interface Row {
  id: string;
}

/** The rows of a list from its beginning, or one page of them. */
export interface Rows<Item> {
  items: Item[];
  totalCount: number;
  nextCursor: string | null;
}

/** Returns the query of the next page; undefined at the end. Another service may have no cursors, but offsets. */
export function restOf({ items, totalCount, nextCursor }: Rows<unknown>) {
  if (nextCursor !== null) return { cursor: nextCursor };
  return items.length > 0 && items.length < totalCount ? { offset: items.length } : undefined;
}

/**
 * Appends a page. A row that moved to it meanwhile is not repeated. Without cursors a page that adds no row is the last
 * one: the next offset would be the same.
 */
export function appendPage(rows: Rows<Row>, page: Rows<Row>): Rows<Row> {
  const added = new Set(page.items.map(({ id }) => id));
  const items = [...rows.items.filter(({ id }) => !added.has(id)), ...page.items];
  const isEnd = page.nextCursor === null && items.length <= rows.items.length;
  return { ...rows, items, nextCursor: page.nextCursor, ...(isEnd && { totalCount: items.length }) };
}
