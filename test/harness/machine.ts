import MarkdownIt from 'markdown-it';

import { cpuMs } from './event-loop.ts';

/** An ordinary text of 100,000 characters. */
const TEXT =
  'A paragraph with **words** and `code`, as [people](https://example.com) write it.\n\n- one\n- two\n\n'
    .repeat(1_100)
    .slice(0, 100_000);
/** What a library takes to render it on the machine for which limits of processor time are stated. */
const STATED_MS = 20;
const ROUNDS = 3;

/**
 * Whether something took more processor time than it may: `atMost` milliseconds on the machine for which limits are
 * stated, in proportion more on a slower one. How slow this one is, the work of a library shows, so that code of ours
 * which became slower is still found; each time anew, as a machine that shares its memory with others is slower at some
 * times.
 */
export function isTooSlow(ms: number, atMost: number): boolean {
  if (ms <= atMost) return false;
  const library = new MarkdownIt();
  let least = Infinity;
  // The first round includes compilation.
  for (let round = 0; round <= ROUNDS; round++) {
    const before = cpuMs();
    library.render(TEXT);
    least = Math.min(least, cpuMs() - before);
  }
  // Also if it is no number.
  return !(ms <= atMost * Math.max(1, least / STATED_MS));
}
