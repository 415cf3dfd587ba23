/** Records read by one statement: processing them takes a few milliseconds. */
const SLICE = 500;

/**
 * Reads the records of many ids in slices, so that a list of 10,000 does not block the event loop.
 * @returns them in the order of `ids`.
 */
export async function inSlices<Row>(
  ids: readonly string[],
  read: (ids: readonly string[]) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let from = 0; from < ids.length; from += SLICE)
    rows.push(...(await read(ids.slice(from, from + SLICE))));
  return rows;
}
