import { Activity, Lock, Menu, Users } from 'lucide-react';
import type { ReactNode } from 'react';

import { NativeButton, NativeIconButton } from '../kit/native-button.tsx';
import { Mrkdwn } from './blocks/mrkdwn.tsx';
import { showDetails } from './channel-details.tsx';
import { inspector } from './inspector/state.ts';
import { store } from './store.ts';
import type { Channel } from './types.ts';

/** The name of a channel, with its topic, its members and the switch of the inspector. */
export function ChannelHead({ channel, tabs }: { channel: Channel; tabs?: ReactNode }) {
  const count = channel.members.length;
  return (
    <header className="channel-head">
      <span className="menu-button">
        <NativeIconButton label="Channels and people" onClick={() => store.showMenu(!store.isMenuOpen)}>
          <Menu size={18} aria-hidden />
        </NativeIconButton>
      </span>
      <h1>
        {channel.kind === 'group' && <Lock size={18} aria-hidden />}
        {channel.kind === 'group' ? channel.name : store.titleOf(channel)}
      </h1>
      {tabs}
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
          <Users size={18} aria-hidden />
          <span aria-hidden="true">{count}</span>
        </NativeButton>
      )}
      <NativeButton
        title="Inspector: what the app is sent and what it calls (Ctrl+I)"
        aria-label="Inspector"
        aria-pressed={inspector.open}
        onClick={() => inspector.toggle()}
      >
        <Activity size={18} aria-hidden />
        <span className="wide-only" aria-hidden="true">
          Inspector
        </span>
      </NativeButton>
    </header>
  );
}
