import { Archive, LogOut } from 'lucide-react';

import { Combobox } from '../kit/combobox.tsx';
import { NativeButton } from '../kit/native-button.tsx';
import { FieldFrame } from '../kit/native-field.tsx';
import { api } from './api.ts';
import { attempt } from './attempt.ts';
import { personOption } from './options.ts';
import { confirmDialog, Dialog, dialogs } from './parts/dialog.tsx';
import { store } from './store.ts';
import type { Channel } from './types.ts';

/** The members of a channel, who can be invited, and leaving or archiving it. */
export function showDetails(channel: Channel): void {
  dialogs.open((close) => <Details channel={channel} onClose={close} />);
}

function Details({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const isOpen = channel.members.includes(store.me) && !channel.is_archived;
  return (
    <Dialog
      title={store.titleOf(channel)}
      onClose={onClose}
      footer={
        <>
          {isOpen && (
            <NativeButton onClick={() => void leave(channel, onClose)}>
              <LogOut size={18} aria-hidden />
              Leave
            </NativeButton>
          )}
          <NativeButton kind="danger" onClick={() => void archive(channel, onClose)}>
            <Archive size={18} aria-hidden />
            {channel.is_archived ? 'Unarchive' : 'Archive'}
          </NativeButton>
        </>
      }
    >
      <p className="dim">
        {channel.kind === 'group' ? 'Private channel' : 'Public channel'} · <code>{channel.id}</code>
        {channel.connected_teams.length > 0 && ` · Shared with ${channel.connected_teams.join(', ')}`}
      </p>
      {isOpen && <Inviter channel={channel} onDone={onClose} />}
      <h3>{channel.members.length} members</h3>
      <ul className="member-list">
        {channel.members.map((id) => (
          <Member key={id} id={id} />
        ))}
      </ul>
    </Dialog>
  );
}

function Member({ id }: { id: string }) {
  const person = store.person(id);
  const names = [`@${person?.name ?? ''}`, person?.team_id].filter(Boolean).join(' · ');
  return (
    <li>
      <img src={store.pictureOf(id)} alt="" width={28} height={28} />
      <span>{store.nameOf(id)}</span>
      <span className="dim">{person?.is_bot ? 'app' : names}</span>
    </li>
  );
}

function Inviter({ channel, onDone }: { channel: Channel; onDone: () => void }) {
  const others = store.people.filter(({ id, deleted }) => !deleted && !channel.members.includes(id));
  if (others.length === 0) return null;
  return (
    <FieldFrame id="add" label="Add people or apps">
      <Combobox
        label="Add people or apps"
        placeholder="Who?"
        options={others.map(personOption)}
        selected={[]}
        isWide
        says="Nothing matches"
        onChange={async ([one]) => {
          if (one && (await attempt(api.invite({ channel: channel.id, user: store.me, member: one.id }))))
            onDone();
        }}
      />
    </FieldFrame>
  );
}

async function leave(channel: Channel, onDone: () => void): Promise<void> {
  if (await attempt(api.leave({ channel: channel.id, user: store.me }))) onDone();
}

async function archive(channel: Channel, onDone: () => void): Promise<void> {
  const archived = !channel.is_archived;
  const sure =
    !archived ||
    (await confirmDialog({
      title: `Archive ${store.titleOf(channel)}?`,
      text: 'Nobody can write in it until it is unarchived. The app is notified.',
      confirm: 'Archive',
      style: 'danger',
    }));
  if (sure && (await attempt(api.archive({ channel: channel.id, user: store.me, archived })))) onDone();
}
