import { composer } from './composer.js';
import { append, h } from './dom.js';
import { icon } from './icons.js';
import { MessageList } from './message-list.js';
import { store } from './store.js';

let shown = '';
let list;

/** The side pane: one thread, its parent first. */
export function drawThread(pane) {
  const root = store.thread;
  pane.hidden = root === undefined;
  if (root === undefined) {
    shown = '';
    return;
  }
  const channel = store.channel(store.current);
  const open = channel?.members.includes(store.me) && !channel.is_archived;
  const key = `${store.current} ${root} ${store.me} ${open}`;
  if (key !== shown) {
    shown = key;
    list = new MessageList({ label: 'Messages in this thread', inThread: true });
    pane.replaceChildren();
    append(pane, [
      h(
        'header.channel-head',
        h('h2', 'Thread'),
        h('p', channel ? store.titleOf(channel) : ''),
        h(
          'button.icon-button',
          {
            'aria-label': 'Close the thread',
            title: 'Close (Escape)',
            onclick: () => store.openThread(undefined),
          },
          icon('close'),
        ),
      ),
      list.element,
      open &&
        composer({
          id: 'composer-thread',
          label: 'Reply in the thread',
          placeholder: 'Reply…',
          channel: store.current,
          threadTs: root,
        }),
    ]);
    pane.querySelector('textarea')?.focus();
  }
  list.draw(store.sorted().filter(({ ts, thread_ts }) => ts === root || thread_ts === root));
}
