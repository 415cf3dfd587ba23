import { focusHeading } from './skip-link.tsx';

/** Frames to wait before moving the focus: a closing dialog restores it itself. */
const FRAMES = 4;

/**
 * Keeps the focus on the page for keyboard users: if the focused element disappears (with its row or its page), the
 * focus moves to the current row of the list, or else to the heading. However late that is: a dialog closes with a key,
 * and another element once a slow service has answered it. Called once on a page.
 * @param focused what had the focus last: it may have gone before this code was loaded.
 */
export function keepFocus(focused: Element | null): void {
  /** The mouse needs no focus. */
  let isByKeys = true;
  let frame = 0;
  const isLost = () =>
    isByKeys && focused !== null && document.activeElement === document.body && !focused.checkVisibility();
  const look = (framesLost: number) => {
    frame = 0;
    if (!isLost()) return;
    // If there is nothing yet that can have it, the next change of the page is looked at.
    if (framesLost > FRAMES) restoreFocus();
    else frame = requestAnimationFrame(() => look(framesLost + 1));
  };
  const onChange = () => {
    if (!frame) look(0);
  };
  new MutationObserver(onChange).observe(document.body, { childList: true, subtree: true, attributes: true });
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element) focused = target;
  });
  for (const event of ['keydown', 'pointerdown'])
    document.addEventListener(
      event,
      () => {
        isByKeys = event === 'keydown';
        onChange();
      },
      { capture: true },
    );
  onChange();
}

/** Gives the focus to the current row of the list, or to the heading. */
function restoreFocus(): void {
  const row = document.querySelector<HTMLElement>('[role=main] [data-current] a');
  if (row) row.focus();
  else focusHeading();
}
