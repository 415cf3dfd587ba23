import { Bookmark, Ellipsis, File, Link, MessageSquareText, Pencil, Smile, Trash2, Zap } from 'lucide-react';
import type { KeyboardEvent, ReactNode } from 'react';

import type { MenuEntry } from '../kit/types.ts';
import { api } from './api.ts';
import { attempt, attemptWithApp } from './attempt.ts';
import { emojiOf, HAS_FONT } from './emoji.tsx';
import { notify, notifyError } from './notice.ts';
import { confirmDialog } from './parts/dialog.tsx';
import { EmojiButton } from './parts/emoji-picker.tsx';
import { MenuButton } from './parts/menu.tsx';
import { store } from './store.ts';
import type { Message } from './types.ts';

/** One-click reactions; names take more room than signs. */
const QUICK = HAS_FONT ? ['ticket', 'eyes', 'white_check_mark'] : ['ticket'];

/** The actions on a message; shown on hover and on focus. */
export function MessageTools({
  message,
  inThread,
  onEdit,
}: {
  message: Message;
  inThread: boolean;
  onEdit: () => void;
}) {
  const isMine = message.user === store.me && message.bot_id === undefined;
  const root = message.thread_ts ?? message.ts;
  return (
    <div className="tools" role="toolbar" aria-label="Message actions" onKeyDown={moveInBar}>
      {QUICK.map((name) => (
        <Tool key={name} label={`React with ${name}`} onPress={() => react(message, name, true)}>
          {emojiOf(name)}
        </Tool>
      ))}
      <EmojiButton label="More reactions" className="tool" onTake={(name) => react(message, name, true)}>
        <Smile size={18} aria-hidden />
      </EmojiButton>
      {!inThread && (
        <Tool label="Reply in a thread" onPress={() => store.openThread(root)}>
          <MessageSquareText size={18} aria-hidden />
        </Tool>
      )}
      {isMine && (
        <>
          <Tool label="Edit" dataKey={`Edit-${message.ts}`} onPress={onEdit}>
            <Pencil size={18} aria-hidden />
          </Tool>
          <Tool label="Delete" onPress={() => remove(message)}>
            <Trash2 size={18} aria-hidden />
          </Tool>
        </>
      )}
      <MenuButton
        label="More for this message"
        sign={<Ellipsis size={18} aria-hidden />}
        className="tool"
        entries={() => more(message)}
      />
    </div>
  );
}

function moveInBar(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const all = [...event.currentTarget.querySelectorAll('button')];
  const at = all.findIndex((button) => button === document.activeElement);
  if (at >= 0) all[(at + step + all.length) % all.length]?.focus();
}

function Tool({
  label,
  dataKey,
  onPress,
  children,
}: {
  label: string;
  dataKey?: string;
  onPress: () => unknown;
  children: ReactNode;
}) {
  return (
    <button
      type="button"
      className="tool"
      title={label}
      aria-label={label}
      data-key={dataKey}
      onClick={() => void onPress()}
    >
      {children}
    </button>
  );
}

function more(message: Message): MenuEntry[] {
  const shortcuts = store.shortcuts.filter(({ on }) => on === 'message');
  return [
    ...shortcuts.map(({ callbackId, name }) => ({
      id: callbackId,
      label: name,
      sign: <Zap size={18} aria-hidden />,
      detail: store.apps[0]?.name,
      onAction: () =>
        void attemptWithApp(
          api.shortcut({ user: store.me, callbackId, channel: message.channel, messageTs: message.ts }),
        ),
    })),
    {
      id: 'text',
      label: 'Copy text',
      sign: <File size={18} aria-hidden />,
      isApart: shortcuts.length > 0,
      onAction: () => void copy(message.text),
    },
    {
      id: 'ts',
      label: 'Copy timestamp',
      sign: <Link size={18} aria-hidden />,
      detail: message.ts,
      onAction: () => void copy(message.ts),
    },
    {
      id: 'unread',
      label: 'Mark unread from here',
      sign: <Bookmark size={18} aria-hidden />,
      onAction: () => store.markUnread(message.ts),
    },
  ];
}

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify('Copied');
  } catch {
    notifyError('The browser did not allow copying.');
  }
}

async function remove(message: Message): Promise<void> {
  const sure = await confirmDialog({
    title: 'Delete message',
    text: 'The message is deleted for everyone, and the app is notified.',
    confirm: 'Delete',
    style: 'danger',
  });
  if (sure) await attempt(api.remove({ channel: message.channel, user: store.me, ts: message.ts }));
}

/** Adds or removes the acting person's reaction. */
export function react(message: Message, name: string, present: boolean): Promise<unknown> {
  const already = message.reactions.some(
    (reaction) => reaction.name === name && reaction.users.includes(store.me),
  );
  return attempt(
    api.react({
      channel: message.channel,
      user: store.me,
      ts: message.ts,
      name,
      present: already ? false : present,
    }),
  );
}
