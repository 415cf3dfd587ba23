/**
 * Leaves out parts of what fails, as many as possible, halves first: what remains fails in the same way, and no single
 * part of it can be left out, unless the time is over before.
 * @param fails whether it still fails in the same way without these parts.
 * @returns the parts that are left out.
 */
export async function shrink(
  parts: readonly string[],
  fails: (without: ReadonlySet<string>) => Promise<boolean>,
  hasTime: () => boolean,
): Promise<ReadonlySet<string>> {
  let without: ReadonlySet<string> = new Set();
  for (let size = Math.ceil(parts.length / 2); size > 0;) {
    let isSmaller = false;
    const left = parts.filter((part) => !without.has(part));
    for (let at = 0; at < left.length; at += size) {
      if (!hasTime()) return without;
      const fewer = new Set([...without, ...left.slice(at, at + size)]);
      if (!(await fails(fewer))) continue;
      without = fewer;
      isSmaller = true;
    }
    // What could not be left out before may be, now that others are; a half of one part is nothing.
    if (!isSmaller || size > 1) size = Math.floor(size / 2);
  }
  return without;
}
