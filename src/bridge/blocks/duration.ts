const STEPS = [
  ['minute', 60],
  ['hour', 3_600],
  ['day', 86_400],
] as const;

/** "3 hours": seconds in the largest unit that fits, rounded. */
export function durationOf(seconds: number): string {
  const [unit, size] = STEPS.findLast(([, one]) => seconds >= one) ?? STEPS[0];
  const count = Math.max(1, Math.round(seconds / size));
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
