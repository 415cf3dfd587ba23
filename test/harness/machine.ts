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
 * Returns a limit of processor time for this machine as it is now: `ms` on the machine for which limits are stated, in
 * proportion more on a slower one. It is measured by the work of a library, so that code of ours which became slower is
 * still found; and each time anew, as a machine that shares its memory with others is slower at some times.
 */
export function limitMs(ms: number): number {
  const library = new MarkdownIt();
  let least = Infinity;
  // The first round includes compilation.
  for (let round = 0; round <= ROUNDS; round++) {
    const before = cpuMs();
    library.render(TEXT);
    least = Math.min(least, cpuMs() - before);
  }
  return ms * Math.max(1, least / STATED_MS);
}
