import { Suspense, useEffect } from 'react';

import { part } from '../kit/part.ts';
import { Toasts } from '../kit/toast.tsx';
import { ChannelColumn } from './channel.tsx';
import { focusComposer } from './composer.tsx';
import { Bar } from './inspector/bar.tsx';
import { inspector } from './inspector/state.ts';
import { AppModal } from './modal.tsx';
import { classNames } from './parts/class-names.ts';
import { OpenedDialogs } from './parts/dialog.tsx';
import { Sidebar } from './sidebar.tsx';
import { store } from './store.ts';
import { openSwitcher } from './switcher.tsx';
import { Thread } from './thread.tsx';
import { useChanges } from './use-changes.ts';
import { views } from './views.ts';

/** Loaded when it is first opened. */
const InspectorPanel = part(() => import('./inspector/panel.tsx').then(({ Panel }) => Panel));

/** The page: the workspace at the left, a channel, a thread and the inspector beside it. */
export function App() {
  useChanges(store);
  useChanges(views);
  useChanges(inspector);
  useEffect(() => {
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  const isStarted = store.me !== '';
  const mentions = [...store.unread.values()].reduce((sum, unread) => sum + unread.mentions, 0);
  useEffect(() => {
    if (isStarted)
      document.title = `${mentions > 0 ? `(${mentions}) ` : ''}${store.team.name} · sandbox workspace`;
  });
  return (
    <>
      <div
        className={classNames(
          'app',
          store.thread !== undefined && 'with-thread',
          inspector.open && 'with-inspector',
          store.isMenuOpen && 'menu-open',
        )}
      >
        <Bar />
        {isStarted && (
          <>
            <Sidebar />
            <ChannelColumn />
            <div id="scrim" className="scrim" onClick={() => store.showMenu(false)} />
            <Thread />
          </>
        )}
        <aside id="inspector" className="inspector" aria-label="Inspector" hidden={!inspector.open}>
          {isStarted && inspector.open && (
            <Suspense>
              <InspectorPanel />
            </Suspense>
          )}
        </aside>
      </div>
      {isStarted && <AppModal />}
      <OpenedDialogs />
      <Toasts />
    </>
  );
}

function onKeyDown(event: KeyboardEvent): void {
  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand && event.key === 'k') {
    event.preventDefault();
    openSwitcher();
  } else if (isCommand && event.key === 'i' && !(event.target instanceof HTMLTextAreaElement)) {
    event.preventDefault();
    inspector.toggle();
  } else if (event.key === 'Escape' && !event.defaultPrevented) closeTopLayer();
}

/** Closes the topmost layer: the menu, then the thread; from a message the focus returns to the composer. */
function closeTopLayer(): void {
  if (document.querySelector('[role=dialog], [role=menu], [data-opening]')) return;
  if (store.isMenuOpen) store.showMenu(false);
  else if (store.thread) {
    store.openThread(undefined);
    focusComposer();
  } else if (document.activeElement?.closest('.message')) focusComposer();
}
