import { useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react';

import { holdKeys } from '../../kit/held-keys.ts';

type Step = 1 | -1;

/**
 * Returns how to step from row to row: a step that is asked for before the rows are there is taken then, and is neither
 * lost nor taken among the rows of the list that was shown before. Keys that follow it go on from its row.
 * @param isFocused a step gives its row the focus; otherwise it opens its ticket.
 */
export function useEarlyStep(
  { areThere, areComing, isFocused }: { areThere: boolean; areComing: boolean; isFocused: boolean },
  move: (by: Step) => void,
): (by: Step) => void {
  const early = useRef<Step>(undefined);
  const release = useRef<() => void>(undefined);
  const end = () => {
    early.current = undefined;
    release.current?.();
    release.current = undefined;
  };
  const take = useEffectEvent(() => {
    if (areThere && early.current !== undefined) move(early.current);
    end();
  });
  useEffect(() => {
    if (!areComing) take();
  }, [areThere, areComing]);
  useEffect(() => end, []);
  return (by) => {
    if (areThere) move(by);
    else if (areComing) {
      early.current = by;
      if (isFocused) release.current ??= holdKeys();
    }
  };
}

/** Stands behind rows whose code may be loaded later; says when they are shown. */
export function Arrived({ onChange }: { onChange: (areShown: boolean) => void }) {
  // Before the next key: after an effect, rows that are seen would not be there for it yet.
  useLayoutEffect(() => {
    onChange(true);
    return () => onChange(false);
  }, [onChange]);
  return null;
}
