import { type KeyboardEvent, useEffect, useRef } from 'react';

import { NativeButton, NativeIconButton } from '../kit/native-button.tsx';
import { api } from './api.ts';
import { attempt } from './attempt.ts';
import { Mrkdwn } from './blocks/mrkdwn.tsx';
import { showDetails } from './channel-details.tsx';
import { Composer, useDrops } from './composer.tsx';
import { Hints, startsAtHints } from './hints.tsx';
import { Home } from './home.tsx';
import { Icon } from './icons.tsx';
import { inspector } from './inspector/state.ts';
import { MessageList } from './message-list.tsx';
import { classNames } from './parts/class-names.ts';
import { reads } from './reads.ts';
import { store } from './store.ts';
import type { App, Channel } from './types.ts';
import { views } from './views.ts';

const COMPOSER = 'composer-channel';

/** The middle column: a channel's header, its messages and composer; or the Home of an app. */
export function ChannelColumn() {
  const channel = store.channel(store.current);
  const app = store.appIn(channel);
  const { isDropping, handlers } = useDrops(COMPOSER);
  useTellTab(app);
  return (
    <main id="channel" className={classNames('channel', isDropping && 'dropping')} {...handlers}>
      <div className="column-head">
        {channel ? <Head channel={channel} app={app} /> : <header className="channel-head" />}
      </div>
      <div className="column-body">
        {!channel ? (
          <p className="empty">There is no channel to show.</p>
        ) : app && store.tab === 'home' ? (
          <Home key={`${app.id} ${store.me}`} app={app} />
        ) : (
          <Talk key={`${channel.id} ${store.me}`} channel={channel} />
        )}
      </div>
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

function Talk({ channel }: { channel: Channel }) {
  const isMember = channel.members.includes(store.me);
  const roots = store
    .sorted()
    .filter(({ thread_ts, subtype }) => thread_ts === undefined || subtype === 'thread_broadcast');
  return (
    <>
      <MessageList
        label={`Messages in ${store.titleOf(channel)}`}
        startsAtTop={startsAtHints(channel)}
        messages={roots}
        newFrom={reads.mark}
        top={<Hints channel={channel} isMember={isMember} />}
      />
      <Foot channel={channel} isMember={isMember} />
    </>
  );
}

function Foot({ channel, isMember }: { channel: Channel; isMember: boolean }) {
  const title = store.titleOf(channel);
  if (channel.is_archived)
    return (
      <div className="join-bar">
        <Icon name="archive" />
        {title} is archived: nobody can write in it.
      </div>
    );
  if (!isMember)
    return (
      <div className="join-bar">
        {store.nameOf(store.me)} is not a member of {title}.
        <NativeButton
          kind="primary"
          onClick={() => void attempt(api.join({ channel: channel.id, user: store.me }))}
        >
          Join
        </NativeButton>
      </div>
    );
  const label = `Message ${title}`;
  return <Composer id={COMPOSER} label={label} placeholder={label} channel={channel.id} />;
}

function Head({ channel, app }: { channel: Channel; app: App | undefined }) {
  const count = channel.members.length;
  return (
    <header className="channel-head">
      <span className="menu-button">
        <NativeIconButton label="Channels and people" onClick={() => store.showMenu(!store.isMenuOpen)}>
          <Icon name="menu" />
        </NativeIconButton>
      </span>
      <h1>
        {channel.kind === 'group' && <Icon name="lock" />}
        {channel.kind === 'group' ? channel.name : store.titleOf(channel)}
      </h1>
      {app && <AppTabs />}
      {channel.topic && (
        <p className="topic" title={channel.topic}>
          <Mrkdwn text={channel.topic} />
        </p>
      )}
      <span className="spring" />
      {channel.kind !== 'im' && (
        <NativeButton
          title={channel.members.map((id) => store.nameOf(id)).join(', ')}
          aria-label={`${count} members: details of the channel`}
          onClick={() => showDetails(channel)}
        >
          <Icon name="people" />
          <span aria-hidden="true">{count}</span>
        </NativeButton>
      )}
      <NativeButton
        title="Inspector: what the app is sent and what it calls (Ctrl+I)"
        aria-label="Inspector"
        aria-pressed={inspector.open}
        onClick={() => inspector.toggle()}
      >
        <Icon name="inspect" />
        <span className="wide-only" aria-hidden="true">
          Inspector
        </span>
      </NativeButton>
    </header>
  );
}

const TABS = [
  ['home', 'Home'],
  ['messages', 'Messages'],
] as const;

function AppTabs() {
  const move = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    const other = event.currentTarget.querySelector<HTMLElement>('[aria-selected=false]');
    other?.focus();
    other?.click();
  };
  return (
    <div className="tabs" role="tablist" aria-label="Views of the app" onKeyDown={move}>
      {TABS.map(([tab, label]) => (
        <button
          key={tab}
          type="button"
          role="tab"
          aria-selected={store.tab === tab}
          tabIndex={store.tab === tab ? 0 : -1}
          onClick={() => store.show(tab)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
