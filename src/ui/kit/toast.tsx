import { Suspense, useSyncExternalStore } from 'react';

import { loadPart, part } from './part.ts';
import type { ToastText } from './types.ts';

export type { ToastText } from './types.ts';

/** Loaded with the first message. */
const load = () => import('./toast-region.tsx');
const Region = part(() => load().then(({ Region }) => Region));

let isNeeded = false;
/** How many messages have offered an undo. */
let offers = 0;
/** What was begun last that ends with such an offer. */
let begun: Promise<unknown> | undefined;
const watchers = new Set<() => void>();

/** Says what happened, in a corner that covers nothing. Errors stay until they are closed. */
export function showToast(toast: ToastText): void {
  isNeeded = true;
  if (toast.undo) offers++;
  for (const watcher of watchers) watcher();
  void loadPart(load).then(({ addToast }) => addToast(toast));
}

/** Names what ends with an offer to undo it: until then, undoing waits for it. Returns the same. */
export function endsWithUndo<Result>(work: Promise<Result>): Promise<Result> {
  const own = work
    .catch(() => undefined)
    .finally(() => {
      if (begun === own) begun = undefined;
    });
  begun = own;
  return work;
}

/** Undoes what was done last, of what is still shown: also what is still being done, and nothing else if it fails. */
export async function undoLastToast(): Promise<void> {
  const before = offers;
  if (begun) {
    await begun;
    if (offers === before) return;
  }
  if (isNeeded) (await loadPart(load)).undoLast();
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
