import { useEffect } from 'react';

import { focusHeading } from './skip-link.tsx';

/** How long after a key the focused element may still disappear: a dialog fades out, a response arrives. */
const WATCHED_MS = 2_000;
/** Frames to wait before moving the focus: a closing dialog restores it itself. */
const FRAMES = 4;

/**
 * Keeps the focus on the page for keyboard users: if the focused element disappears (with its row or its page), the focus
 * moves to the current row of the list, or else to the heading. Used once, in the shell.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let focused: Element | null = null;
    let watchedUntil = 0;
    let framesLost = 0;
    let frame = 0;
    const checkFocus = ({ timeStamp }: { timeStamp: number }) => {
      const isLost =
        document.activeElement === document.body && focused !== null && !focused.checkVisibility();
      framesLost = isLost ? framesLost + 1 : 0;
      if (framesLost > FRAMES && restoreFocus()) framesLost = 0;
      frame = timeStamp < watchedUntil ? requestAnimationFrame((now) => checkFocus({ timeStamp: now })) : 0;
    };
    const onFocus = ({ target }: FocusEvent) => {
      if (target instanceof Element) focused = target;
    };
    const onKey = (event: KeyboardEvent) => {
      watchedUntil = event.timeStamp + WATCHED_MS;
      if (!frame) checkFocus(event);
    };
    document.addEventListener('focusin', onFocus);
    document.addEventListener('keydown', onKey, true);
    return () => {
      document.removeEventListener('focusin', onFocus);
      document.removeEventListener('keydown', onKey, true);
      cancelAnimationFrame(frame);
    };
  }, []);
}

/** Returns whether it found an element to focus. */
function restoreFocus(): boolean {
  const row = document.querySelector<HTMLElement>('[role=main] [data-current] a');
  row?.focus();
  return row !== null || focusHeading();
}
