import { useCallback, useSyncExternalStore } from 'react';

import type { Source } from './source.ts';

/** Draws a component again each time one of the page's sources of state (`store`, `views`, `inspector`) has changed. */
export function useChanges(source: Source): void {
  const subscribe = useCallback(
    (onChange: () => void) => {
      source.addEventListener('change', onChange);
      return () => source.removeEventListener('change', onChange);
    },
    [source],
  );
  useSyncExternalStore(subscribe, () => source.version);
}
