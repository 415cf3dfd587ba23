/**
 * Returns the changes when `id` moves to position `order`: it, and the others that make room, each moved as little as
 * possible. Positions are unique before and after.
 */
export function shifted(
  positions: ReadonlyMap<string, number>,
  id: string,
  order: number,
): Map<string, number> {
  const changed = new Map<string, number>();
  if (positions.get(id) !== order) changed.set(id, order);
  let taken = order;
  const others = [...positions].filter(([other]) => other !== id).sort(([, a], [, b]) => a - b);
  for (const [other, position] of others) {
    if (position < taken) continue;
    if (position > taken) break;
    taken = position + 1;
    changed.set(other, taken);
  }
  return changed;
}
