const STEPS = [
  ['minute', 60],
  ['hour', 3_600],
  ['day', 86_400],
] as const;

/** Returns "3 hours": seconds in the largest unit that fits, rounded. */
export function durationOf(seconds: number): string {
  const [unit, size] = STEPS.findLast(([, one]) => seconds >= one) ?? STEPS[0];
  const count = Math.max(1, Math.round(seconds / size));
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

const MINUTES_IN = 5;

/** Returns "2 hours", rounded up: minutes in steps of five. */
export function durationWithin(seconds: number): string {
  const [unit, size] = STEPS.findLast(([, one]) => seconds >= one) ?? STEPS[0];
  const count = Math.ceil(seconds / size);
  return durationOf((unit === 'minute' ? Math.ceil(count / MINUTES_IN) * MINUTES_IN : count) * size);
}
