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
  const [least = Infinity] = roundsOfLibrary();
  // Also if it is no number.
  return !(ms <= atMost * slowness(least));
}

/**
 * How many times slower this process is at the moment than on the machine for which limits are stated, at least 1: for
 * what was measured once, so by an ordinary round of the library and not by its fastest one. To be asked in the process
 * that was measured: on a machine that shares its memory with others, one may be slow while another one is not.
 */
export function slownessNow(): number {
  const rounds = roundsOfLibrary();
  return slowness(rounds[Math.floor(rounds.length / 2)] ?? Infinity);
}

const slowness = (ms: number) => Math.max(1, ms / STATED_MS);

/** Milliseconds of processor time of each round, the fastest first. */
function roundsOfLibrary(): number[] {
  const library = new MarkdownIt();
  const render = () => {
    const before = cpuMs();
    library.render(TEXT);
    return cpuMs() - before;
  };
  // The first round includes compilation.
  render();
  return Array.from({ length: ROUNDS }, render).toSorted((a, b) => a - b);
}
