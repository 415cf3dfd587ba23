/**
 * Runs once, as soon as anybody moves or types here: what keys and presses open is no part of the first page, and is
 * mostly there when it is asked for. What fails to load then is loaded again, or waited for, when it is opened
 * (part.ts).
 */
export function whenUsed(load: () => readonly Promise<unknown>[]): void {
  const waiting = new AbortController();
  const run = (event: Event) => {
    // A browser sends a move of no distance when a page appears beneath a pointer that rests.
    if (event instanceof PointerEvent && event.type === 'pointermove' && !event.movementX && !event.movementY)
      return;
    waiting.abort();
    void Promise.allSettled(load());
  };
  for (const event of ['keydown', 'pointerdown', 'pointermove'])
    document.addEventListener(event, run, { capture: true, signal: waiting.signal });
}
