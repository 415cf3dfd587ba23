import { X } from 'lucide-react';

import { NativeIconButton } from '../kit/native-button.tsx';
import { Composer, useDrops } from './composer.tsx';
import { MessageList } from './message-list.tsx';
import { classNames } from './parts/class-names.ts';
import { store } from './store.ts';

const COMPOSER = 'composer-thread';

/** The side pane: one thread, its parent first. */
export function Thread() {
  const root = store.thread;
  const { isDropping, handlers } = useDrops(COMPOSER);
  return (
    <aside
      id="thread"
      className={classNames('thread', isDropping && 'dropping')}
      aria-label="Thread"
      hidden={root === undefined}
      {...handlers}
    >
      {root !== undefined && <OpenThread key={`${store.current} ${root} ${store.me}`} root={root} />}
    </aside>
  );
}

function OpenThread({ root }: { root: string }) {
  const channel = store.channel(store.current);
  const isOpen = channel?.members.includes(store.me) === true && !channel.is_archived;
  return (
    <>
      <header className="channel-head">
        <h2>Thread</h2>
        <p>{channel ? store.titleOf(channel) : ''}</p>
        <NativeIconButton
          label="Close the thread"
          title="Close (Escape)"
          onClick={() => store.openThread(undefined)}
        >
          <X size={18} aria-hidden />
        </NativeIconButton>
      </header>
      <MessageList
        label="Messages in this thread"
        inThread
        messages={store.sorted().filter(({ ts, thread_ts }) => ts === root || thread_ts === root)}
      />
      {isOpen && (
        <Composer
          id={COMPOSER}
          label="Reply in the thread"
          placeholder="Reply…"
          channel={store.current}
          threadTs={root}
          focuses
        />
      )}
    </>
  );
}
