import { api } from './api.js';
import { append, h } from './dom.js';
import { icon } from './icons.js';
import { notify } from './notice.js';
import { store } from './store.js';

let drawn = '';

/** The workspace's channels and direct messages, and as whom one acts. */
export function drawSidebar(sidebar) {
  const { team, channels, me, current, unread, connected, apps } = store;
  const state = JSON.stringify([team, channels, me, current, [...unread], connected, apps]);
  if (state === drawn) return;
  drawn = state;
  const focused = sidebar.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  sidebar.replaceChildren();
  append(sidebar, [
    h(
      'header',
      { class: 'side-head' },
      h('img', { src: '/page/icon.svg', alt: '', width: 28, height: 28 }),
      h('div', {}, h('strong', {}, team.name), h('small', {}, 'sandbox workspace')),
    ),
    h('div', { class: 'side-scroll' }, channelList(), directList()),
    h('footer', { class: 'side-foot' }, appLine(), people()),
  ]);
  if (focused) sidebar.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

function channelList() {
  return h(
    'section',
    {},
    h('h2', {}, 'Channels'),
    h(
      'ul',
      {},
      store.visible().map((channel) =>
        entry(channel.id, channel.kind === 'group' ? icon('lock') : '#', channel.name, {
          away: !channel.members.includes(store.me),
        }),
      ),
    ),
  );
}

function directList() {
  const known = store.direct();
  const partners = new Set(known.flatMap(({ members }) => members));
  const offered = store.apps.filter(({ botUserId }) => !partners.has(botUserId));
  return h(
    'section',
    {},
    h('h2', {}, 'Direct messages'),
    h(
      'ul',
      {},
      known.map((channel) => entry(channel.id, '@', store.titleOf(channel), {})),
      offered.map((app) =>
        h(
          'li',
          {},
          h(
            'button',
            {
              type: 'button',
              class: 'side-entry',
              data: { key: `dm-${app.id}` },
              onclick: () => openDirect(app),
            },
            h('span', { class: 'side-mark', 'aria-hidden': 'true' }, '@'),
            h('span', { class: 'side-name' }, app.name),
          ),
        ),
      ),
    ),
  );
}

async function openDirect(app) {
  try {
    const { channel } = await api.open({ user: store.me, with: app.name });
    await store.refresh();
    go(channel);
  } catch (error) {
    notify(error.message);
  }
}

function entry(id, mark, name, { away }) {
  const current = id === store.current;
  const unread = store.unread.has(id);
  return h(
    'li',
    {},
    h(
      'button',
      {
        type: 'button',
        class: `side-entry${current ? ' current' : ''}${unread ? ' unread' : ''}${away ? ' away' : ''}`,
        'aria-current': current ? 'page' : undefined,
        data: { key: `channel-${id}` },
        onclick: () => go(id),
      },
      h('span', { class: 'side-mark', 'aria-hidden': 'true' }, mark),
      h('span', { class: 'side-name' }, name),
      unread && h('span', { class: 'side-dot' }, h('span', { class: 'only-read' }, 'unread')),
    ),
  );
}

function go(id) {
  document.getElementById('app').classList.remove('menu-open');
  store.open(id).catch((error) => notify(error.message));
}

function appLine() {
  return store.apps.map(({ name, connections }) =>
    h(
      'p',
      { class: `side-app ${connections > 0 ? 'on' : 'off'}` },
      h('span', { class: 'side-light', 'aria-hidden': 'true' }),
      connections > 0
        ? `${name} is connected`
        : `${name} is not connected: it hears what happens when it comes back`,
    ),
  );
}

function people() {
  return h(
    'fieldset',
    { class: 'side-people' },
    h('legend', {}, 'Act as'),
    store.humans().map((person) =>
      h(
        'label',
        { class: person.id === store.me ? 'person current' : 'person' },
        h('input', {
          type: 'radio',
          name: 'me',
          value: person.id,
          checked: person.id === store.me,
          data: { key: `me-${person.id}` },
          onchange: () => {
            document.getElementById('app').classList.remove('menu-open');
            store.actAs(person.id).catch((error) => notify(error.message));
          },
        }),
        h('img', { src: `/avatar/${person.id}.svg`, alt: '', width: 24, height: 24 }),
        h('span', {}, person.real_name || person.name),
      ),
    ),
  );
}
