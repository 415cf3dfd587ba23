import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';

import { decodeCursor, encodeCursor, type KeyKind, type KeyValue } from './cursor.ts';

/** A field to sort or group a list by. The expression must never be null, or rows would be missing from pages. */
export interface SortKey {
  kind: KeyKind;
  expression: RawBuilder<unknown>;
}

export const timeKey = (column: string): SortKey => ({ kind: 'time', expression: sql.ref(column) });
/** For columns where null means "never", and so sorts last in ascending order. */
export const optionalTimeKey = (column: string | RawBuilder<unknown>): SortKey => ({
  kind: 'time',
  expression: sql`coalesce(${typeof column === 'string' ? sql.ref(column) : column}, '9999-12-31T23:59:59.999Z'::timestamptz)`,
});
export const textKey = (column: string): SortKey => ({
  kind: 'text',
  expression: sql`coalesce(${sql.ref(column)}, '')`,
});
export const numberKey = (column: string): SortKey => ({ kind: 'number', expression: sql.ref(column) });
export const booleanKey = (column: string): SortKey => ({ kind: 'boolean', expression: sql.ref(column) });

/** The shared parameters, validated (specification, Shared list parameters). */
export interface ListParameters {
  limit: number;
  skip?: number | null | undefined;
  offset?: number | null | undefined;
  cursor?: string | null | undefined;
  sortBy?: string | null | undefined;
  sortDirection?: Direction | null | undefined;
  groupBy?: string | null | undefined;
  groupDirection?: Direction | null | undefined;
}

type Direction = 'asc' | 'desc';

export interface ListOrder {
  /** Sort keys by name, as in the API's `sortBy` and `groupBy`. */
  keys: Record<string, SortKey>;
  sortBy: string;
  sortDirection: Direction;
  /** The id column, which makes every order total. */
  id: string;
  /** About how many bytes a record takes in memory, where it may be many: read before the record itself. */
  bytes?: RawBuilder<number>;
}

/** One page of a list, before its records are read (`readPage`). */
export interface Page {
  rows: readonly PageRow[];
  totalCount: number;
  /** Continues after the page; null at the end of the list. */
  nextCursor: string | null;
  /** Continues after a row of the page; absent if the page was not asked for by cursor, so that it must be complete. */
  cursorAfter?: (row: PageRow) => string;
}

export interface PageRow {
  id: string;
  /** Size of the record by `ListOrder.bytes`; 0 without it. */
  bytes: number;
  /** The values of the sort keys. */
  keys: KeyValue[];
}

/** The sizes of texts in bytes: known to the database without reading them. */
export function textBytesOf(...texts: readonly string[]): RawBuilder<number> {
  const sizes = texts.map((text) => sql`coalesce(octet_length(${sql.ref(text)}), 0)`);
  return sql<number>`(${sql.join(sizes, sql` + `)})`;
}

/** The sizes of JSON columns as texts, in bytes. */
export function jsonBytesOf(...columns: readonly string[]): RawBuilder<number> {
  const sizes = columns.map((column) => sql`coalesce(octet_length(${sql.ref(column)}::text), 0)`);
  return sql<number>`(${sql.join(sizes, sql` + `)})`;
}

/** About how many bytes the rows `x` of a join take in the record that shows them, with names of fields around. */
export function bytesOfRows(from: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`coalesce((select sum(200 + octet_length(x::text)) from ${from}), 0)`;
}

const SQL_TYPE = { text: 'text', time: 'timestamptz', number: 'integer', boolean: 'boolean' } as const;

/**
 * Returns one page of the rows of `rows` (a query with filters but no selection). Pages by keyset: a row that was
 * present throughout is neither missed nor repeated while others are written.
 */
export async function selectPage<DB, TB extends keyof DB>(
  rows: SelectQueryBuilder<DB, TB, unknown>,
  order: ListOrder,
  parameters: ListParameters,
): Promise<Page> {
  const { columns, name } = resolveOrder(order, parameters);
  const select = columns.map(({ key }, index) => key.expression.as(`key${index}`));
  let query = rows.select([
    ...select,
    sql<string>`${sql.ref(order.id)}`.as('record_id'),
    sql<number>`${order.bytes ?? sql`0`}::float8`.as('record_bytes'),
  ]);
  for (const { key, direction } of columns) query = query.orderBy(key.expression, direction);
  const idDirection = columns.at(-1)?.direction ?? 'asc';
  query = query.orderBy(sql.ref(order.id), idDirection).limit(parameters.limit + 1);
  const kinds = columns.map(({ key }) => key.kind);
  const position = parameters.cursor ? decodeCursor(parameters.cursor, name, kinds) : undefined;
  if (position) {
    query = query.where(rowsAfter(columns, position.keys, sql.ref(order.id), position.id));
  } else {
    query = query.offset(parameters.skip ?? parameters.offset ?? 0);
  }
  const found = (await query.execute()) as unknown as (Record<string, KeyValue | Date> & {
    record_id: string;
    record_bytes: number;
  })[];
  const shown = found.slice(0, parameters.limit).map((record): PageRow => ({
    id: record.record_id,
    bytes: record.record_bytes,
    keys: columns.map((_, index) => toKeyValue(record[`key${index}`])),
  }));
  const total = position?.total ?? (await totalOf(rows, parameters, found.length));
  const cursorAfter = ({ id, keys }: PageRow) => encodeCursor({ order: name, keys, id, total });
  const last = found.length > shown.length ? shown.at(-1) : undefined;
  const byOffset = (parameters.skip ?? parameters.offset ?? null) !== null;
  return {
    rows: shown,
    totalCount: total,
    nextCursor: last ? cursorAfter(last) : null,
    ...(!byOffset && { cursorAfter }),
  };
}

/**
 * Returns the total for the first page; later pages have it in their cursor. Counting reads every row, so it is skipped
 * if the page itself shows it: it is the last one, and the number of skipped rows is known.
 */
async function totalOf<DB, TB extends keyof DB>(
  rows: SelectQueryBuilder<DB, TB, unknown>,
  { skip, offset, limit }: ListParameters,
  found: number,
): Promise<number> {
  const skipped = skip ?? offset ?? 0;
  if (found <= limit && (found > 0 || skipped === 0)) return skipped + found;
  const counted = await rows.select(sql<number>`count(*)`.as('total')).executeTakeFirst();
  return (counted as { total: number } | undefined)?.total ?? 0;
}

interface OrderColumn {
  key: SortKey;
  direction: Direction;
}

function resolveOrder(
  order: ListOrder,
  parameters: ListParameters,
): { columns: OrderColumn[]; name: string } {
  const columns: OrderColumn[] = [];
  const names: string[] = [];
  const add = (field: string, direction: Direction): void => {
    const key = order.keys[field];
    // The API's enums and this table are maintained side by side; a test reads every list by every field.
    if (!key) throw new TypeError(`no sort key "${field}"`);
    columns.push({ key, direction });
    names.push(`${field} ${direction}`);
  };
  if (parameters.groupBy) add(parameters.groupBy, parameters.groupDirection ?? 'asc');
  const sortBy = parameters.sortBy ?? order.sortBy;
  add(sortBy, parameters.sortDirection ?? (sortBy === order.sortBy ? order.sortDirection : 'asc'));
  return { columns, name: names.join(',') };
}

/**
 * Returns the rows after a position: a >= x and (a > x or (a = x and (b > y or (b = y and id > z)))), each with its own
 * direction. The first condition says nothing new, but an index begins there: without it, a page reads all before it.
 */
function rowsAfter(
  columns: readonly OrderColumn[],
  keys: readonly KeyValue[],
  idColumn: RawBuilder<unknown>,
  id: string,
): RawBuilder<boolean> {
  const idDirection = columns.at(-1)?.direction ?? 'asc';
  let condition = sql<boolean>`${idColumn} ${comparisonFor(idDirection)} ${id}`;
  for (const [index, { key, direction }] of [...columns.entries()].reverse()) {
    const value = sql`${keys[index]}::${sql.raw(SQL_TYPE[key.kind])}`;
    condition = sql<boolean>`(${key.expression} ${comparisonFor(direction)} ${value} or (${key.expression} = ${value} and ${condition}))`;
    if (index === 0)
      condition = sql<boolean>`${key.expression} ${comparisonFor(direction)}= ${value} and ${condition}`;
  }
  return condition;
}

function comparisonFor(direction: Direction): RawBuilder<unknown> {
  return direction === 'asc' ? sql`>` : sql`<`;
}

function toKeyValue(value: KeyValue | Date | undefined): KeyValue {
  return value instanceof Date ? value.toISOString() : (value ?? '');
}
