import { api } from './api.ts';
import { newChannel } from './channel-new.ts';
import { append, type Child, h, keptFocus, part, present } from './dom.ts';
import { icon } from './icons.ts';
import { notifyError } from './notice.ts';
import { store } from './store.ts';
import type { App, Channel } from './types.ts';

let drawn = '';

/** The channels and direct messages of the workspace, and the menu of acting persons. */
export function drawSidebar(sidebar: HTMLElement): void {
  const { team, channels, me, current, unread, connected, apps } = store;
  const state = JSON.stringify([team, channels, me, current, [...unread], connected, apps, store.people]);
  if (state === drawn) return;
  drawn = state;
  const focus = keptFocus(sidebar);
  const scroll = sidebar.querySelector('.side-scroll')?.scrollTop ?? 0;
  sidebar.replaceChildren();
  append(sidebar, [
    h(
      'header.side-head',
      h('img', { src: '/page/icon.svg', alt: '', width: 28, height: 28 }),
      h('div', h('strong', team.name), h('small', 'sandbox workspace')),
    ),
    h('div.side-scroll', channelList(), directList()),
    h('footer.side-foot', appLine(), people()),
  ]);
  present(sidebar.querySelector('.side-scroll')).scrollTop = scroll;
  focus();
}

function channelList(): HTMLElement {
  return h(
    'section',
    h(
      'div.side-title',
      h('h2', 'Channels'),
      h(
        'button.icon-button',
        {
          title: 'Create a channel',
          'aria-label': 'Create a channel',
          data: { key: 'new-channel' },
          onclick: newChannel,
        },
        icon('plus'),
      ),
    ),
    h(
      'ul',
      store.visible().map((channel) =>
        entry(channel.id, icon(channel.kind === 'group' ? 'lock' : 'hash'), channel.name, {
          away: !channel.members.includes(store.me),
        }),
      ),
    ),
    archived(),
  );
}

function archived(): HTMLElement | undefined {
  const old = store.channels.filter(
    ({ is_archived, members, kind }) =>
      is_archived && (kind === 'channel' || (kind === 'group' && members.includes(store.me))),
  );
  if (old.length === 0) return undefined;
  return h(
    'details.side-archived',
    { open: old.some(({ id }) => id === store.current) },
    h('summary', `Archived (${old.length})`),
    h(
      'ul',
      old.map(({ id, name }) => entry(id, icon('archive'), name, { away: true })),
    ),
  );
}

function directList(): HTMLElement {
  const known = store.direct();
  const partners = new Set(known.flatMap(({ members }) => members));
  const offered = store.apps.filter(({ botUserId }) => !partners.has(botUserId));
  return h(
    'section',
    h('h2', 'Direct messages'),
    h(
      'ul',
      known.map((channel) => entry(channel.id, portrait(channel), store.titleOf(channel))),
      offered.map((app) =>
        h(
          'li',
          h(
            'button.side-entry',
            { data: { key: `dm-${app.id}` }, onclick: () => openDirect(app) },
            h('span.side-mark', face(app.botUserId)),
            h('span.side-name', app.name),
          ),
        ),
      ),
    ),
  );
}

function portrait(channel: Channel): HTMLElement {
  return face(channel.members.find((id) => id !== store.me) ?? store.me);
}

function face(id: string): HTMLElement {
  return h('img', { src: store.pictureOf(id), alt: '', width: 20, height: 20 });
}

async function openDirect(app: App): Promise<void> {
  try {
    const { channel } = await api.open({ user: store.me, with: app.name });
    await store.refresh();
    go(channel);
  } catch (error) {
    notifyError(error);
  }
}

function entry(id: string, mark: Child, name: string, { away = false } = {}): HTMLElement {
  const current = id === store.current;
  const unread = store.unread.get(id);
  return h(
    'li',
    h(
      'button',
      {
        class: `side-entry${current ? ' current' : ''}${unread ? ' unread' : ''}${away ? ' away' : ''}`,
        'aria-current': current ? 'page' : undefined,
        data: { key: `channel-${id}` },
        onclick: () => go(id),
      },
      h('span.side-mark', { 'aria-hidden': 'true' }, mark),
      h('span.side-name', name),
      unread && unread.mentions > 0
        ? h('span.side-count', unread.mentions, h('span.only-read', ' for you'))
        : unread && h('span.side-dot', h('span.only-read', 'unread')),
    ),
  );
}

function go(id: string): void {
  part('app').classList.remove('menu-open');
  store.open(id).catch(notifyError);
}

function appLine(): HTMLElement[] {
  return store.apps.map(({ name, connections }) =>
    h(
      'p',
      { class: `side-app ${connections > 0 ? 'on' : 'off'}` },
      h('span.side-light', { 'aria-hidden': 'true' }),
      connections > 0
        ? `${name} is connected`
        : `${name} is not connected: it hears what happens when it comes back`,
    ),
  );
}

function people(): HTMLElement {
  return h(
    'fieldset.side-people',
    h('legend', 'Act as'),
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
            part('app').classList.remove('menu-open');
            store.actAs(person.id).catch(notifyError);
          },
        }),
        h('img', { src: person.picture, alt: '', width: 24, height: 24 }),
        h('span', store.nameOf(person.id)),
        person.team_id && h('span.side-team', person.team_id),
      ),
    ),
  );
}
