import { composer } from './composer.ts';
import { append, h, present } from './dom.ts';
import { icon } from './icons.ts';
import { MessageList } from './message-list.ts';
import { store } from './store.ts';

let shown = '';
let list: MessageList | undefined;

/** The side pane: one thread, its parent first. */
export function drawThread(pane: HTMLElement): void {
  const root = store.thread;
  pane.hidden = root === undefined;
  if (root === undefined) {
    shown = '';
    return;
  }
  const channel = store.channel(store.current);
  const open = channel?.members.includes(store.me) === true && !channel.is_archived;
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
  present(list).draw(store.sorted().filter(({ ts, thread_ts }) => ts === root || thread_ts === root));
}
