import { api } from './api.ts';
import { attempt } from './attempt.ts';
import { mrkdwn } from './blocks/inline.ts';
import { showDetails } from './channel-details.ts';
import { composer } from './composer.ts';
import { append, h, keptFocus, part, present, replaceChildren } from './dom.ts';
import { drawHints, startsAtHints } from './hints.ts';
import { drawHome, tellTab } from './home.ts';
import { icon } from './icons.ts';
import { inspector } from './inspector/state.ts';
import { MessageList } from './message-list.ts';
import { reads } from './reads.ts';
import { store } from './store.ts';
import type { App, Channel } from './types.ts';

let shownHead = '';
let shownBody = '';
let list: MessageList | undefined;
const headSlot = h('div.column-head');
const bodySlot = h('div.column-body');

/** The middle column: a channel's header, its messages and composer; or the Home of an app. */
export function drawChannel(column: HTMLElement): void {
  const channel = store.channel(store.current);
  replaceChildren(column, [headSlot, bodySlot]);
  const app = store.appIn(channel);
  const headState = JSON.stringify([channel, store.me, store.tab, inspector.open, store.people.length]);
  if (headState !== shownHead) {
    shownHead = headState;
    const focus = keptFocus(headSlot);
    headSlot.replaceChildren(channel ? head(channel, app) : h('header.channel-head'));
    focus();
  }
  if (!channel) {
    bodySlot.replaceChildren(h('p.empty', 'There is no channel to show.'));
    shownBody = '';
    return;
  }
  tellTab(app);
  if (app && store.tab === 'home') {
    shownBody = '';
    drawHome(bodySlot, app);
    return;
  }
  drawTalk(channel);
}

function drawTalk(channel: Channel): void {
  const member = channel.members.includes(store.me);
  const state = JSON.stringify([channel.id, store.me, member, channel.is_archived, channel.name]);
  if (state !== shownBody) {
    shownBody = state;
    list = new MessageList({
      label: `Messages in ${store.titleOf(channel)}`,
      startsAtTop: startsAtHints(channel),
    });
    bodySlot.replaceChildren();
    append(bodySlot, [list.element, foot(channel, member)]);
  }
  const roots = store
    .sorted()
    .filter(({ thread_ts, subtype }) => thread_ts === undefined || subtype === 'thread_broadcast');
  present(list).draw(roots, { top: drawHints(channel, member), newFrom: reads.mark });
}

function foot(channel: Channel, member: boolean): HTMLElement {
  const title = store.titleOf(channel);
  if (channel.is_archived)
    return h('div.join-bar', icon('archive'), `${title} is archived: nobody can write in it.`);
  if (!member) return joinBar(channel);
  return composer({
    id: 'composer-channel',
    label: `Message ${title}`,
    placeholder: `Message ${title}`,
    channel: channel.id,
  });
}

function head(channel: Channel, app: App | undefined): HTMLElement {
  const count = channel.members.length;
  return h(
    'header.channel-head',
    h(
      'button.icon-button.menu-button',
      {
        'aria-label': 'Channels and people',
        onclick: () => part('app').classList.toggle('menu-open'),
      },
      icon('menu'),
    ),
    h(
      'h1',
      channel.kind === 'group' && icon('lock'),
      channel.kind === 'group' ? channel.name : store.titleOf(channel),
    ),
    app && tabs(),
    channel.topic && h('p.topic', { title: channel.topic }, mrkdwn(channel.topic)),
    h('span.spring'),
    channel.kind !== 'im' &&
      h(
        'button.head-button',
        {
          title: channel.members.map((id) => store.nameOf(id)).join(', '),
          'aria-label': `${count} members: details of the channel`,
          data: { key: 'details' },
          onclick: () => showDetails(channel),
        },
        icon('people'),
        h('span', { 'aria-hidden': 'true' }, count),
      ),
    h(
      'button',
      {
        class: inspector.open ? 'head-button on' : 'head-button',
        title: 'Inspector: what the app is sent and what it calls (Ctrl+I)',
        'aria-label': 'Inspector',
        'aria-pressed': String(inspector.open),
        data: { key: 'inspector' },
        onclick: () => inspector.toggle(),
      },
      icon('inspect'),
      h('span.wide-only', { 'aria-hidden': 'true' }, 'Inspector'),
    ),
  );
}

function tabs(): HTMLElement {
  const tab = (name: 'home' | 'messages', label: string) =>
    h(
      'button',
      {
        role: 'tab',
        'aria-selected': String(store.tab === name),
        tabindex: store.tab === name ? '0' : '-1',
        data: { key: `tab-${name}` },
        onclick: () => store.show(name),
      },
      label,
    );
  const bar = h(
    'div.tabs',
    { role: 'tablist', 'aria-label': 'Views of the app' },
    tab('home', 'Home'),
    tab('messages', 'Messages'),
  );
  bar.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    const other = store.tab === 'home' ? 'messages' : 'home';
    present(bar.querySelector<HTMLElement>(`[data-key="tab-${other}"]`)).focus();
    store.show(other);
  });
  return bar;
}

function joinBar(channel: Channel): HTMLElement {
  return h(
    'div.join-bar',
    `${store.nameOf(store.me)} is not a member of ${store.titleOf(channel)}.`,
    h(
      'button.primary',
      { onclick: () => attempt(api.join({ channel: channel.id, user: store.me })) },
      'Join',
    ),
  );
}
