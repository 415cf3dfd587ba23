import { useEffect, useState } from 'react';

/** Somebody who only passes by on their way to another ticket has gone on by then. */
export const SETTLED_MS = 800;

/**
 * Whether the ticket is looked at, not passed by with `j` and `k`: only then it counts as read, and what stands further
 * down is loaded.
 */
export function useSettled(): boolean {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), SETTLED_MS);
    return () => clearTimeout(timer);
  }, []);
  return isSettled;
}
