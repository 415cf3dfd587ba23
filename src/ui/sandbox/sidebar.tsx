import { Archive, Hash, Lock, Plus } from 'lucide-react';
import type { ReactNode } from 'react';

import { NativeIconButton } from '../kit/native-button.tsx';
import { api } from './api.ts';
import { openNewChannel } from './channel-new.tsx';
import { notifyError } from './notice.ts';
import { classNames } from './parts/class-names.ts';
import { store } from './store.ts';
import type { App, Channel, Person } from './types.ts';

/** The channels and direct messages of the workspace, and the menu of acting persons. */
export function Sidebar() {
  return (
    <nav id="sidebar" className="sidebar" aria-label="Workspace">
      <header className="side-head">
        <img src="/page/icon.svg" alt="" width={28} height={28} />
        <div>
          <strong>{store.team.name}</strong>
          <small>sandbox workspace</small>
        </div>
      </header>
      <div className="side-scroll">
        <ChannelList />
        <DirectList />
      </div>
      <footer className="side-foot">
        {store.apps.map((app) => (
          <AppLine key={app.id} app={app} />
        ))}
        <People />
      </footer>
    </nav>
  );
}

function ChannelList() {
  return (
    <section>
      <div className="side-title">
        <h2>Channels</h2>
        <NativeIconButton label="Create a channel" onClick={openNewChannel}>
          <Plus size={18} aria-hidden />
        </NativeIconButton>
      </div>
      <ul>
        {store.visible().map((channel) => (
          <Entry
            key={channel.id}
            id={channel.id}
            mark={channel.kind === 'group' ? <Lock size={16} aria-hidden /> : <Hash size={16} aria-hidden />}
            name={channel.name}
            isAway={!channel.members.includes(store.me)}
          />
        ))}
      </ul>
      <Archived />
    </section>
  );
}

function Archived() {
  const old = store.channels.filter(
    ({ is_archived, members, kind }) =>
      is_archived && (kind === 'channel' || (kind === 'group' && members.includes(store.me))),
  );
  if (old.length === 0) return null;
  const isCurrent = old.some(({ id }) => id === store.current);
  return (
    <details key={String(isCurrent)} className="side-archived" open={isCurrent}>
      <summary>Archived ({old.length})</summary>
      <ul>
        {old.map(({ id, name }) => (
          <Entry key={id} id={id} mark={<Archive size={16} aria-hidden />} name={name} isAway />
        ))}
      </ul>
    </details>
  );
}

function DirectList() {
  const known = store.direct();
  const partners = new Set(known.flatMap(({ members }) => members));
  const offered = store.apps.filter(({ botUserId }) => !partners.has(botUserId));
  return (
    <section>
      <h2>Direct messages</h2>
      <ul>
        {known.map((channel) => (
          <Entry
            key={channel.id}
            id={channel.id}
            mark={<Face id={otherIn(channel)} />}
            name={store.titleOf(channel)}
          />
        ))}
        {offered.map((app) => (
          <li key={app.id}>
            <button type="button" className="side-entry" onClick={() => void openDirect(app)}>
              <span className="side-mark">
                <Face id={app.botUserId} />
              </span>
              <span className="side-name">{app.name}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const otherIn = ({ members }: Channel) => members.find((id) => id !== store.me) ?? store.me;

function Face({ id }: { id: string }) {
  return <img src={store.pictureOf(id)} alt="" width={20} height={20} />;
}

async function openDirect(app: App): Promise<void> {
  try {
    const { channel } = await api.open({ user: store.me, with: app.name });
    await store.refresh();
    go(channel);
  } catch (error) {
    notifyError(error);
  }
}

function Entry({
  id,
  mark,
  name,
  isAway = false,
}: {
  id: string;
  mark: ReactNode;
  name: string;
  isAway?: boolean;
}) {
  const isCurrent = id === store.current;
  const unread = store.unread.get(id);
  return (
    <li>
      <button
        type="button"
        className={classNames('side-entry', isCurrent && 'current', unread && 'unread', isAway && 'away')}
        aria-current={isCurrent ? 'page' : undefined}
        onClick={() => go(id)}
      >
        <span className="side-mark" aria-hidden="true">
          {mark}
        </span>
        <span className="side-name">{name}</span>
        {unread &&
          (unread.mentions > 0 ? (
            <span className="side-count">
              {unread.mentions}
              <span className="visually-hidden"> for you</span>
            </span>
          ) : (
            <span className="side-dot">
              <span className="visually-hidden">unread</span>
            </span>
          ))}
      </button>
    </li>
  );
}

function go(id: string): void {
  store.isMenuOpen = false;
  store.open(id).catch(notifyError);
}

function AppLine({ app: { name, connections } }: { app: App }) {
  const isConnected = connections > 0;
  return (
    <p className={`side-app ${isConnected ? 'on' : 'off'}`}>
      <span className="side-light" aria-hidden="true" />
      {isConnected
        ? `${name} is connected`
        : `${name} is not connected: it hears what happens when it comes back`}
    </p>
  );
}

function People() {
  return (
    <fieldset className="side-people">
      <legend>Act as</legend>
      {store.humans().map((person) => (
        <PersonChoice key={person.id} person={person} />
      ))}
    </fieldset>
  );
}

function PersonChoice({ person }: { person: Person }) {
  const isMe = person.id === store.me;
  return (
    <label className={classNames('person', isMe && 'current')}>
      <input
        type="radio"
        name="me"
        value={person.id}
        checked={isMe}
        onChange={() => {
          store.isMenuOpen = false;
          store.actAs(person.id).catch(notifyError);
        }}
      />
      <img src={person.picture} alt="" width={24} height={24} />
      <span>{store.nameOf(person.id)}</span>
      {person.team_id && <span className="side-team">{person.team_id}</span>}
    </label>
  );
}
