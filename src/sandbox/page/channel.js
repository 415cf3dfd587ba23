import { api } from './api.js';
import { composer } from './composer.js';
import { append, h } from './dom.js';
import { drawHints } from './hints.js';
import { MessageList } from './message-list.js';
import { icon } from './icons.js';
import { notify } from './notice.js';
import { store } from './store.js';

let shown = '';
let list;

/** The middle column: a channel's head, its own messages, and where to write. */
export function drawChannel(column) {
  const channel = store.channel(store.current);
  if (!channel) {
    column.replaceChildren(h('p', { class: 'empty' }, 'There is no channel to show.'));
    shown = '';
    return;
  }
  const member = channel.members.includes(store.me);
  const key = JSON.stringify([channel, store.me]);
  if (key !== shown) {
    shown = key;
    list = new MessageList({ label: `Messages in ${store.titleOf(channel)}` });
    column.replaceChildren();
    append(column, [
      head(channel),
      list.element,
      member
        ? composer({
            id: 'composer-channel',
            label: `Message ${store.titleOf(channel)}`,
            placeholder: `Message ${store.titleOf(channel)}`,
            channel: channel.id,
          })
        : joinBar(channel),
    ]);
  }
  const roots = store
    .sorted()
    .filter(
      ({ thread_ts, subtype, ephemeralFor }) =>
        thread_ts === undefined ||
        subtype === 'thread_broadcast' ||
        (ephemeralFor && thread_ts === undefined),
    );
  list.draw(roots, { top: drawHints(channel, member) });
}

function head(channel) {
  const count = channel.members.length;
  return h(
    'header',
    { class: 'channel-head' },
    h(
      'button',
      {
        type: 'button',
        class: 'menu-button',
        'aria-label': 'Channels and people',
        onclick: () => document.getElementById('app').classList.toggle('menu-open'),
      },
      '☰',
    ),
    h(
      'h1',
      {},
      channel.kind === 'group' && icon('lock'),
      channel.kind === 'group' ? channel.name : store.titleOf(channel),
    ),
    h(
      'p',
      { title: channel.members.map((id) => store.person(id)?.name ?? id).join(', ') },
      channel.kind === 'im'
        ? 'Direct messages'
        : `${count} ${count === 1 ? 'member' : 'members'}${channel.kind === 'group' ? ', private' : ''}`,
    ),
  );
}

function joinBar(channel) {
  const join = () =>
    api.join({ channel: channel.id, user: store.me }).catch((error) => notify(error.message));
  return h(
    'div',
    { class: 'join-bar' },
    `${store.person(store.me)?.name ?? 'You'} is not a member of ${store.titleOf(channel)}.`,
    h('button', { type: 'button', class: 'primary', onclick: join }, 'Join'),
  );
}
