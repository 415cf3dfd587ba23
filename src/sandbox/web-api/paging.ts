import { SlackError } from './method.ts';

/** Cursors are opaque text; Slack's own are Base64 of `next_ts:…` or `offset:…`-like words. */
export function makeCursor(kind: 'next_ts' | 'offset', value: string): string {
  return Buffer.from(`${kind}:${value}`).toString('base64');
}

export function readCursor(kind: 'next_ts' | 'offset', cursor: string | undefined): string | undefined {
  if (cursor === undefined || cursor === '') return undefined;
  const [found, value] = Buffer.from(cursor, 'base64').toString('utf8').split(':', 2);
  if (found !== kind || !value) throw new SlackError('invalid_cursor');
  return value;
}

/** One page of a list held in memory. */
export function pageOf<Item>(
  items: readonly Item[],
  cursor: string | undefined,
  limit: number,
): { page: Item[]; response_metadata: { next_cursor: string } } {
  const start = Number(readCursor('offset', cursor) ?? 0);
  if (!Number.isInteger(start)) throw new SlackError('invalid_cursor');
  const end = start + limit;
  return {
    page: items.slice(start, end),
    response_metadata: { next_cursor: end < items.length ? makeCursor('offset', String(end)) : '' },
  };
}
