import { useEffect, useEffectEvent } from 'react';

/** Finds the ticket below the open one; returns how to open it. */
type Finder = (open: {
  /** The reference of the open ticket. */
  code: string;
  /** Whether there is no next one if the open ticket is not in the list; otherwise that is the first. */
  isListed?: boolean;
}) => (() => void) | undefined;

/** That of the list that stands beside the open ticket. */
let finder: Finder | undefined;

/** Lets others open the next ticket of a list while it is shown. */
export function useNextTicket(find: Finder): void {
  const current = useEffectEvent(find);
  useEffect(() => {
    finder = (open) => current(open);
    return () => void (finder = undefined);
  }, []);
}

/**
 * Returns how to open the next ticket of the list that is shown; undefined at its end, or if another ticket is open.
 */
export const nextTicket: Finder = (open) => finder?.(open);
