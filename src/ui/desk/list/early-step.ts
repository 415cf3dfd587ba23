import { useEffect, useEffectEvent, useRef } from 'react';

type Step = 1 | -1;

/**
 * Returns how to step from row to row: a step that is asked for before the rows are there is taken then, and is neither
 * lost nor taken among the rows of the list that was shown before.
 */
export function useEarlyStep(
  { areThere, areComing }: { areThere: boolean; areComing: boolean },
  move: (by: Step) => void,
): (by: Step) => void {
  const early = useRef<Step>(undefined);
  const take = useEffectEvent(() => {
    if (areThere && early.current !== undefined) move(early.current);
    early.current = undefined;
  });
  useEffect(() => {
    if (!areComing) take();
  }, [areThere, areComing]);
  return (by) => {
    if (areThere) move(by);
    else if (areComing) early.current = by;
  };
}

/** Stands behind rows whose code may be loaded later; says when they are shown. */
export function Arrived({ onChange }: { onChange: (areShown: boolean) => void }) {
  useEffect(() => {
    onChange(true);
    return () => onChange(false);
  }, [onChange]);
  return null;
}
