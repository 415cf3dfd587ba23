import { malformed } from '../problem.ts';

/** The type of a sort key, so that a cursor's values can be validated before the database sees them. */
export type KeyKind = 'text' | 'time' | 'number' | 'boolean';
export type KeyValue = string | number | boolean;

/** The end of a page: its order, and the keys of its last row. */
export interface Position {
  /** Names the order, so that a cursor of another order is rejected. */
  order: string;
  keys: KeyValue[];
  id: string;
  /** Number of records in the list when its first page was read. */
  total: number;
}

export function encodeCursor({ order, keys, id, total }: Position): string {
  return Buffer.from(JSON.stringify([order, keys, id, total])).toString('base64url');
}

/** Parses a cursor of the same order; anything else is the caller's mistake (400). */
export function decodeCursor(cursor: string, order: string, kinds: readonly KeyKind[]): Position {
  const value = parse(cursor);
  if (Array.isArray(value) && value.length === 4) {
    const [cursorOrder, keys, id, total] = value as unknown[];
    if (
      cursorOrder === order &&
      typeof id === 'string' &&
      !id.includes('\0') &&
      isCount(total) &&
      Array.isArray(keys) &&
      keys.length === kinds.length &&
      kinds.every((kind, index) => isOf(kind, keys[index]))
    )
      return { order, keys: keys as KeyValue[], id, total };
  }
  throw malformed([{ path: 'cursor', message: 'Not a cursor of this list in this order' }]);
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isOf(kind: KeyKind, value: unknown): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string' && !value.includes('\0');
    case 'time':
      return (
        typeof value === 'string' &&
        /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(value) &&
        !Number.isNaN(Date.parse(value))
      );
    case 'number':
      return Number.isSafeInteger(value) && Math.abs(value as number) <= MAX_INTEGER;
    case 'boolean':
      return typeof value === 'boolean';
  }
}

/** Numeric sort keys are Postgres integers. */
const MAX_INTEGER = 2 ** 31 - 1;
