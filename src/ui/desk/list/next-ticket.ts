import { useEffect, useEffectEvent } from 'react';

/** Finds the ticket below the open one; returns how to open it. */
type Finder = () => (() => void) | undefined;

/** That of the list that stands beside the open ticket. */
let finder: Finder | undefined;

/** Lets others open the next ticket of a list while it is shown. */
export function useNextTicket(find: Finder): void {
  const current = useEffectEvent(find);
  useEffect(() => {
    finder = () => current();
    return () => void (finder = undefined);
  }, []);
}

/** Returns how to open the next ticket of the list that is shown; undefined at its end. */
export const nextTicket: Finder = () => finder?.();
