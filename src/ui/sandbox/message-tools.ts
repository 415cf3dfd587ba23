import { api } from './api.ts';
import { attempt, attemptWithApp } from './attempt.ts';
import { append, type Child, focused, h } from './dom.ts';
import { editor } from './editor.ts';
import { emojiOf, HAS_FONT } from './emoji.ts';
import { icon } from './icons.ts';
import { notify } from './notice.ts';
import { confirmDialog } from './parts/dialog.ts';
import { openEmojiPicker } from './parts/emoji-picker.ts';
import { menuButton, type MenuItem } from './parts/menu.ts';
import { store } from './store.ts';
import type { Message } from './types.ts';

/** One-click reactions; names take more room than signs. */
const QUICK = HAS_FONT ? ['ticket', 'eyes', 'white_check_mark'] : ['ticket'];

/** The actions on a message; shown on hover and on focus. */
export function tools(message: Message, main: HTMLElement, inThread: boolean): HTMLElement {
  const mine = message.user === store.me && message.bot_id === undefined;
  const root = message.thread_ts ?? message.ts;
  const bar = h('div.tools', { role: 'toolbar', 'aria-label': 'Message actions' });
  append(bar, [
    QUICK.map((name) => tool(emojiOf(name), `React with ${name}`, message, () => react(message, name, true))),
    tool(icon('smile'), 'More reactions', message, (event) => pickReaction(event.currentTarget, message)),
    !inThread && tool(icon('thread'), 'Reply in a thread', message, () => store.openThread(root)),
    mine && tool(icon('edit'), 'Edit', message, () => editor(main, message)),
    mine && tool(icon('remove'), 'Delete', message, () => remove(message)),
    menuButton({
      label: 'More for this message',
      sign: icon('more'),
      className: 'tool',
      key: `more-${message.ts}`,
      items: () => more(message),
    }),
  ]);
  bar.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const all = [...bar.querySelectorAll('button')];
    const at = all.findIndex((button) => button === focused());
    all[(at + step + all.length) % all.length]?.focus();
  });
  return bar;
}

function tool(
  sign: Child,
  label: string,
  message: Message,
  onclick: (event: { currentTarget: HTMLElement }) => unknown,
): HTMLElement {
  return h(
    'button.tool',
    { title: label, 'aria-label': label, data: { key: `${label}-${message.ts}` }, onclick },
    sign,
  );
}

function more(message: Message): MenuItem[] {
  const shortcuts = store.shortcuts.filter(({ on }) => on === 'message');
  return [
    ...shortcuts.map(({ callbackId, name }) => ({
      label: name,
      sign: icon('bolt'),
      hint: store.apps[0]?.name,
      act: () =>
        attemptWithApp(
          api.shortcut({ user: store.me, callbackId, channel: message.channel, messageTs: message.ts }),
        ),
    })),
    ...(shortcuts.length > 0 ? ['line' as const] : []),
    { label: 'Copy text', sign: icon('file'), act: () => copy(message.text) },
    { label: 'Copy timestamp', sign: icon('link'), hint: message.ts, act: () => copy(message.ts) },
    { label: 'Mark unread from here', sign: icon('bookmark'), act: () => store.markUnread(message.ts) },
  ];
}

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify('Copied');
  } catch {
    notify('The browser did not allow copying.');
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

export function pickReaction(anchor: HTMLElement, message: Message): void {
  openEmojiPicker(anchor, (name) => react(message, name, true));
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
