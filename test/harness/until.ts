import { setTimeout as pause } from 'node:timers/promises';

/** The wait before the second look; each wait is half as long again as the one before, up to the longest. */
const FIRST_MS = 5;
const LONGEST_MS = 150;
/** For what takes seconds on an idle machine: the whole of CI runs several programs on each core, on slow ones too. */
const DEFAULT_MS = 120_000;

/**
 * Polls until `check` returns a value (not undefined, false or null), and returns it. For events in other
 * processes, which cannot signal the test; fails with `label` and the last state seen.
 */
export async function until<Found>(
  label: string,
  check: () => Promise<Found | undefined | false | null>,
  { withinMs = DEFAULT_MS, seen }: { withinMs?: number; seen?: () => Promise<unknown> } = {},
): Promise<Found> {
  const deadline = Date.now() + withinMs;
  for (let wait = FIRST_MS; ; wait = Math.min(wait * 1.5, LONGEST_MS)) {
    const found = await check();
    if (found !== undefined && found !== false && found !== null) return found;
    if (Date.now() > deadline) {
      const last = seen ? `\n${JSON.stringify({ seen: await seen() }, undefined, 1).slice(0, 6_000)}` : '';
      throw new Error(`waited ${withinMs} ms in vain: ${label}${last}`);
    }
    await pause(wait);
  }
}
