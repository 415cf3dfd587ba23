import { useEffect } from 'react';

import { focusHeading } from './skip-link.tsx';

/** For so long after a key what had the focus may still go away: a dialog fades, an answer of the service arrives. */
const WATCHED_MS = 2_000;
/** For so many frames others may give the focus back first: a dialog that closes does. */
const FRAMES = 4;

/**
 * Keeps the focus of who works by keys: if what has it goes away (a row that is closed, a page that is left), the current
 * row of the page's list gets it, without one the heading. Once, in the shell.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let had: Element | null = null;
    let until = 0;
    let lost = 0;
    let frame = 0;
    const look = ({ timeStamp }: { timeStamp: number }) => {
      const isLost = document.activeElement === document.body && had !== null && !had.checkVisibility();
      lost = isLost ? lost + 1 : 0;
      if (lost > FRAMES && giveFocus()) lost = 0;
      frame = timeStamp < until ? requestAnimationFrame((now) => look({ timeStamp: now })) : 0;
    };
    const onFocus = ({ target }: FocusEvent) => {
      if (target instanceof Element) had = target;
    };
    const onKey = (event: KeyboardEvent) => {
      until = event.timeStamp + WATCHED_MS;
      if (!frame) look(event);
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

function giveFocus(): boolean {
  const row = document.querySelector<HTMLElement>('[role=main] [data-current] a');
  row?.focus();
  return row !== null || focusHeading();
}
