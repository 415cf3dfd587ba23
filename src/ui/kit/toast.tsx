import { Suspense, useSyncExternalStore } from 'react';

import { loadPart, part } from './part.ts';
import type { ToastText } from './types.ts';

export type { ToastText } from './types.ts';

/** Loaded with the first message. */
const load = () => import('./toast-region.tsx');
const Region = part(() => load().then(({ Region }) => Region));

let isNeeded = false;
const watchers = new Set<() => void>();

/** Says what happened, in a corner that covers nothing. Errors stay until they are closed. */
export function showToast(toast: ToastText): void {
  isNeeded = true;
  for (const watcher of watchers) watcher();
  void loadPart(load).then(({ addToast }) => addToast(toast));
}

/** Undoes what was done last, of what is still shown. */
export async function undoLastToast(): Promise<void> {
  if (isNeeded) (await load()).undoLast();
}

/** Where the messages are shown; once on a page. */
export function Toasts() {
  const isShown = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => isNeeded,
  );
  return <Suspense>{isShown && <Region />}</Suspense>;
}
