import { type RefObject, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** Lists up to this length are drawn whole. */
const WHOLE = 120;
/** Rows that are drawn before and after those in view. */
const SPARE = 20;
/** Rows that are scrolled before other rows are rendered. */
const STEP = 10;

interface Range {
  from: number;
  to: number;
}

const around = (first: number, last: number): Range => ({
  from: Math.max(0, Math.floor((first - SPARE) / STEP) * STEP),
  to: Math.ceil((last + 1 + SPARE) / STEP) * STEP,
});

/**
 * Which rows of a long list are drawn: those in view, and some before and after them. All rows have the same height.
 * The list's parent scrolls, and is what its offset is measured from.
 */
export function useWindow(
  list: RefObject<HTMLElement | null>,
  { count, rowHeight }: { count: number; rowHeight: number },
) {
  const [range, setRange] = useState<Range>({ from: 0, to: WHOLE });
  const isWhole = count <= WHOLE;
  useEffect(() => {
    const scroller = list.current?.parentElement;
    if (isWhole || !scroller) return undefined;
    const look = () => {
      const top = scroller.scrollTop - (list.current?.offsetTop ?? 0);
      const next = around(Math.floor(top / rowHeight), Math.ceil((top + scroller.clientHeight) / rowHeight));
      setRange((before) => (before.from === next.from && before.to === next.to ? before : next));
    };
    look();
    scroller.addEventListener('scroll', look, { passive: true });
    window.addEventListener('resize', look);
    return () => {
      scroller.removeEventListener('scroll', look);
      window.removeEventListener('resize', look);
    };
  }, [isWhole, list, rowHeight]);
  // The list may be shorter than it was.
  const to = isWhole ? count : Math.min(range.to, count);
  const from = isWhole ? 0 : Math.min(range.from, Math.max(0, to - WHOLE));
  return {
    from,
    to,
    /** The room of the rows that are not drawn, as the list's padding. */
    padding: `${from * rowHeight}px 0 ${(count - to) * rowHeight}px`,
    /** Draws a row at once; not while something is being drawn. */
    draw: (at: number) => {
      if (at < from || at >= to) flushSync(() => setRange(around(at, at)));
    },
    /** Scrolls to where a row will be drawn. */
    scrollTo: (at: number) => {
      const top = (list.current?.offsetTop ?? 0) + (at - 5) * rowHeight;
      list.current?.parentElement?.scrollTo({ top });
    },
  };
}
