import { Suspense, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl';

import { part } from './part.ts';
import { useCommands } from './commands.ts';
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
  void load().then(({ addToast }) => addToast(toast));
}

export function Toasts() {
  const t = useTranslations('common');
  const isShown = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => isNeeded,
  );
  const undo = () => void (isNeeded && load().then(({ undoLast }) => undoLast()));
  useCommands([{ id: 'undo', group: t('general'), label: t('undo'), keys: 'z', run: undo }]);
  return <Suspense>{isShown && <Region />}</Suspense>;
}
