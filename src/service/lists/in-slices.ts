import { ownTurn } from '../../platform/own-turn.ts';

/** Records read by one statement at most, and at first: processing them takes a few milliseconds. */
const MOST = 500;
const FIRST = 100;
/** Bytes of the records read by one statement; a single larger record is read by itself. */
const SLICE_BYTES = 1024 * 1024;

/** A record to be read, and about how many bytes it takes; 0 if nobody knows. */
export interface Sized {
  id: string;
  bytes: number;
}

/**
 * Reads the records of many ids in slices, so that neither the event loop nor the memory is full of them: each slice
 * has about a megabyte, by what is known of the sizes and by what the slice before it had.
 * @yields the records of one slice, in the order of `rows`, each with its bytes as JSON.
 */
export async function* inSlices<Item>(
  rows: readonly Sized[],
  read: (ids: readonly string[]) => Promise<Item[]>,
): AsyncGenerator<{ item: Item; bytes: number }[]> {
  let most = FIRST;
  for (let from = 0; from < rows.length;) {
    let [to, bytes] = [from, 0];
    do bytes += rows[to++]?.bytes ?? 0;
    while (to < rows.length && to - from < most && bytes + (rows[to]?.bytes ?? 0) <= SLICE_BYTES);
    const ids = rows.slice(from, to).map(({ id }) => id);
    const records = await read(ids);
    await ownTurn();
    const items = records.map((item) => ({ item, bytes: Buffer.byteLength(JSON.stringify(item)) }));
    yield items;
    const each = items.reduce((sum, one) => sum + one.bytes, 0) / ids.length;
    most = Math.max(1, Math.min(MOST, most * 2, Math.floor(SLICE_BYTES / Math.max(1, each))));
    from = to;
  }
}
