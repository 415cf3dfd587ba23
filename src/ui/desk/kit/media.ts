import { useCallback, useSyncExternalStore } from 'react';

/** A screen that is touched: keys are not named there. */
export const TOUCH = '(pointer: coarse)';

/** Whether a media query matches, such as `(min-width: 900px)`; kept up to date. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      const media = matchMedia(query);
      media.addEventListener('change', changed);
      return () => media.removeEventListener('change', changed);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
