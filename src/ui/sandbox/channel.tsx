import { Suspense, useEffect, useRef } from 'react';

import { part } from '../kit/part.ts';
import { api } from './api.ts';
import { attempt } from './attempt.ts';
import { ChannelHead } from './channel-head.tsx';
import { CHANNEL_COMPOSER, useDrops } from './composer.tsx';
import { classNames } from './parts/class-names.ts';
import { store } from './store.ts';
import { Talk } from './talk.tsx';
import type { App } from './types.ts';
import { views } from './views.ts';

const AppTabs = part(() => import('./app-tabs.tsx').then(({ AppTabs }) => AppTabs));

/** The middle column: a channel's header, its messages and composer; or the Home of an app. */
export function ChannelColumn() {
  const channel = store.channel(store.current);
  const app = store.appIn(channel);
  const { isDropping, handlers } = useDrops(CHANNEL_COMPOSER);
  useTellTab(app);
  return (
    <main id="channel" className={classNames('channel', isDropping && 'dropping')} {...handlers}>
      {!channel ? (
        <>
          <header className="channel-head" />
          <div className="column-body">
            <p className="empty">There is no channel to show.</p>
          </div>
        </>
      ) : app ? (
        <Suspense fallback={<ChannelHead channel={channel} />}>
          <AppTabs channel={channel} app={app} />
        </Suspense>
      ) : (
        <>
          <ChannelHead channel={channel} />
          <div className="column-body">
            <Talk key={`${channel.id} ${store.me}`} channel={channel} />
          </div>
        </>
      )}
    </main>
  );
}

/** Sends `app_home_opened` each time the person comes to a tab of an app. */
function useTellTab(app: App | undefined): void {
  const now = app ? `${app.id} ${store.me} ${store.tab}` : '';
  const told = useRef('');
  useEffect(() => {
    if (told.current === now) return;
    told.current = now;
    if (now !== '') void attempt(api.openHome({ user: store.me, tab: store.tab })).then(() => views.reload());
  }, [now]);
}
