import { type KeyboardEvent as KeyPress, type RefObject, useEffect, useRef } from 'react';

const MOVES = new Set(['ArrowDown', 'ArrowUp', 'Home', 'End', 'PageDown', 'PageUp']);

/**
 * Lets a person type and press Enter without looking, in a search field with a list of options under it. React Aria
 * marks the first option as one types, but neither if the list stays as it is nor if the server finds options later.
 *
 * - The first option is marked after each change of the list, until the person moves through it or leaves the field: a
 *   mark would take the focus back.
 * - Enter waits for the options to what was typed: those to what stood there before are not chosen.
 *
 * @param isMarkedAtOnce also before anything is typed.
 * @param isLoading the options are not yet those to `text`.
 * @param choose chooses the first option, after an Enter that waited for it.
 * @returns what handles the keys of the search field, before React Aria does.
 */
export function useFirstChoice(
  { field, list }: { field: RefObject<HTMLInputElement | null>; list: RefObject<HTMLElement | null> },
  {
    text,
    isMarkedAtOnce = false,
    isLoading,
    choose,
  }: { text: string; isMarkedAtOnce?: boolean; isLoading: boolean; choose: () => void },
): (event: KeyPress<HTMLInputElement>) => void {
  const isMoving = useRef(false);
  const isWaiting = useRef(false);
  const isMarking = useRef(false);
  useEffect(() => {
    isMoving.current = false;
    const shown = list.current;
    const input = field.current;
    if (!(text || isMarkedAtOnce) || !shown) return undefined;
    const markFirst = () => {
      const option = shown.querySelector('[role=option]');
      if (!option || option.hasAttribute('data-focused') || isMoving.current) return;
      // As if it were pressed: there is no other way to mark an option from outside.
      isMarking.current = true;
      field.current?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Home', bubbles: true }));
      isMarking.current = false;
    };
    // After React Aria's own mark: if the marked option has gone, it marks a neighbour once the list has changed.
    let frame = requestAnimationFrame(markFirst);
    const observer = new MutationObserver(() => {
      markFirst();
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(markFirst);
    });
    observer.observe(shown, { childList: true, subtree: true });
    // React Aria makes an event of its own as it marks an option.
    const leave = ({ isTrusted }: FocusEvent) => {
      if (isTrusted) isMoving.current = true;
    };
    input?.addEventListener('blur', leave);
    return () => {
      observer.disconnect();
      input?.removeEventListener('blur', leave);
      cancelAnimationFrame(frame);
    };
  }, [field, list, text, isMarkedAtOnce]);
  useEffect(() => {
    if (isLoading || !isWaiting.current) return;
    isWaiting.current = false;
    choose();
  }, [isLoading, choose]);
  return (event) => {
    // No key of the person, who may have pressed Enter before.
    if (isMarking.current) return;
    isWaiting.current = event.key === 'Enter' && isLoading;
    if (isWaiting.current) {
      event.preventDefault();
      event.stopPropagation();
    }
    if (MOVES.has(event.key)) isMoving.current = true;
  };
}
