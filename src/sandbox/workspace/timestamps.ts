/** Microseconds between two timestamps that fall on the same millisecond, as in Slack's `…000100`, `…000200`. */
export const TS_STEP_US = 100;

/** `1700000000.000100`: ten digits of seconds, six of microseconds. Fixed width, so it sorts as text. */
export function formatTs(microseconds: number): string {
  const seconds = Math.floor(microseconds / 1_000_000);
  return `${seconds.toString().padStart(10, '0')}.${(microseconds % 1_000_000).toString().padStart(6, '0')}`;
}

export function isTs(text: string): boolean {
  return /^\d{10}\.\d{6}$/.test(text);
}

/**
 * A bound given by a caller (`oldest`, `latest`): Slack takes whole seconds and shorter fractions too.
 * Undefined when it is no number.
 */
export function parseBound(text: string): string | undefined {
  const match = /^(\d{1,10})(?:\.(\d{1,6}))?$/.exec(text);
  if (!match) return undefined;
  return `${(match[1] ?? '').padStart(10, '0')}.${(match[2] ?? '').padEnd(6, '0')}`;
}

/** The second of a moment as an edit carries it: recorded events show `1736207110.000000`. */
export function editTs(now: Date): string {
  return `${Math.floor(now.getTime() / 1000)}.000000`;
}
