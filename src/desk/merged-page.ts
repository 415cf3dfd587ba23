import { z } from 'zod';

import { AnsweredError } from '../client/index.ts';
import { LIMITS, type Match, priority } from '../contract/index.ts';

export interface Page {
  items: Record<string, unknown>[];
  totalCount: number;
  nextCursor: string | null;
  /** Of a search. */
  matches?: Match[];
  meaning?: boolean;
}

/** Calls the operation with other values in its query. */
export type Ask = (more: Record<string, string | undefined>) => Promise<unknown>;

export type Query = Record<string, string | number | boolean | undefined>;

/**
 * Where the list of one workspace goes on. The service has cursors for the ends of its pages only, so `taken` of the
 * page that begins there are already shown, and are read once more. A number is an offset: a service may have no
 * cursors.
 */
const position = z.object({
  workspaceId: z.string(),
  from: z.union([z.string(), z.int().min(0)]),
  taken: z.int().min(0).max(LIMITS.list.maxLimit),
});
const cursor = z.object({ total: z.int().min(0), positions: z.array(position).min(1) });
type Position = z.output<typeof position>;

/** What is read of one workspace: `at` is the next row. */
interface Part extends Position {
  page: Page;
  at: number;
}

/**
 * Returns a page of the lists of several workspaces in one order, each read once and by `limit` rows. It may end before
 * its limit, where the next row of a workspace is on a page that is not read yet; only `nextCursor: null` is the end.
 * @throws AnsweredError 400 for a cursor that is none.
 */
export async function mergedPage(ask: Ask, workspaceIds: readonly string[], query: Query): Promise<Page> {
  const limit = Number(query['limit'] ?? LIMITS.list.defaultLimit);
  const begun = query['cursor'] ? readCursor(String(query['cursor'])) : undefined;
  const positions =
    begun?.positions ?? workspaceIds.map((workspaceId): Position => ({ workspaceId, from: 0, taken: 0 }));
  const parts = await Promise.all(positions.map((from) => readPart(ask, from, limit)));
  const isBefore = inOrder(query);
  const items: Page['items'] = [];
  while (items.length < limit && !parts.some((part) => isRead(part) && next(part))) {
    let best: Part | undefined;
    for (const part of parts) if (!isRead(part) && (!best || isBefore(rowOf(part), rowOf(best)))) best = part;
    if (!best) break;
    items.push(rowOf(best));
    best.at++;
  }
  const left = parts.flatMap((part) => next(part) ?? []);
  const total = begun?.total ?? parts.reduce((sum, { page }) => sum + page.totalCount, 0);
  const nextCursor = left.length > 0 ? JSON.stringify({ total, positions: left }) : null;
  return { ...parts[0]?.page, items, totalCount: total, nextCursor };
}

async function readPart(ask: Ask, { workspaceId, from, taken }: Position, limit: number): Promise<Part> {
  const page = (await ask({
    workspaceId,
    cursor: typeof from === 'string' ? from : undefined,
    offset: typeof from === 'number' && from > 0 ? String(from) : undefined,
    // At least one row that is not shown yet, or the list would not go on.
    limit: String(Math.max(limit, taken + 1)),
  })) as Page;
  return { workspaceId, from, taken, page, at: Math.min(taken, page.items.length) };
}

const isRead = ({ at, page }: Part): boolean => at >= page.items.length;
const rowOf = ({ at, page }: Part): Record<string, unknown> => page.items[at] ?? {};

/** Where a workspace goes on after the rows that were taken; undefined at the end of its list. */
function next(part: Part): Position | undefined {
  const { workspaceId, from, page, at } = part;
  if (!isRead(part)) return { workspaceId, from, taken: at };
  if (page.nextCursor !== null) return { workspaceId, from: page.nextCursor, taken: 0 };
  if (typeof from === 'string' || page.items.length === 0) return undefined;
  const end = from + page.items.length;
  return end < page.totalCount ? { workspaceId, from: end, taken: 0 } : undefined;
}

function readCursor(text: string): z.output<typeof cursor> {
  const { data } = z.preprocess(parsed, cursor).safeParse(text);
  if (data) return data;
  throw refusal(400, 'BAD_REQUEST', { path: 'cursor', message: 'Not a cursor of this list' });
}

/** Returns the answer to a list of several workspaces that cannot be made, as if the service had given it. */
export function refusal(
  status: number,
  code: string,
  issue: { path: string; message: string },
): AnsweredError {
  const { message } = issue;
  const detail = { code, message, issues: [issue], conflict: null, requestId: null };
  return new AnsweredError('a list of several workspaces', status, detail, undefined);
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}

/** Later than every time: where the service puts what has none. */
const NEVER = '9999';

/** Returns whether one record stands before another in the order of a list, as the service orders them. */
function inOrder({ sortBy, sortDirection }: Query) {
  const by = String(sortBy);
  const sign = sortDirection === 'desc' ? -1 : 1;
  return (one: Record<string, unknown>, other: Record<string, unknown>): boolean => {
    const [a, b] = [valueOf(one, by), valueOf(other, by)];
    return sign === 1 ? a < b : a > b;
  };
}

function valueOf(item: Record<string, unknown>, by: string): string | number {
  if (by === 'priority') return priority.options.findIndex((each) => each === item[by]);
  if (by === 'due') {
    const times = ['firstReplyDueAt', 'resolutionDueAt', 'dueAt'].map((name) => valueOf(item, name));
    return times.reduce((one, other) => (other < one ? other : one));
  }
  const value = item[by];
  if (typeof value === 'number' || typeof value === 'string') return value;
  return by.endsWith('At') ? NEVER : '';
}
