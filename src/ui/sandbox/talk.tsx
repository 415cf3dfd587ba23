import { Archive } from 'lucide-react';

import { NativeButton } from '../kit/native-button.tsx';
import { api } from './api.ts';
import { attempt } from './attempt.ts';
import { CHANNEL_COMPOSER, Composer } from './composer.tsx';
import { Hints, startsAtHints } from './hints.tsx';
import { MessageList } from './message-list.tsx';
import { reads } from './reads.ts';
import { store } from './store.ts';
import type { Channel } from './types.ts';

/** The messages of a channel, and what is at its foot: the composer, or why nobody can write. */
export function Talk({ channel }: { channel: Channel }) {
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
        <Archive size={18} aria-hidden />
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
  return <Composer id={CHANNEL_COMPOSER} label={label} placeholder={label} channel={channel.id} />;
}
