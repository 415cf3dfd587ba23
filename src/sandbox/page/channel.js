import { api } from './api.js';
import { attempt } from './attempt.js';
import { mrkdwn } from './blocks/inline.js';
import { showDetails } from './channel-details.js';
import { composer } from './composer.js';
import { append, h, keptFocus, replaceChildren } from './dom.js';
import { drawHints } from './hints.js';
import { drawHome, tellTab } from './home.js';
import { icon } from './icons.js';
import { inspector } from './inspector/state.js';
import { MessageList } from './message-list.js';
import { reads } from './reads.js';
import { store } from './store.js';

let shownHead = '';
let shownBody = '';
let list;
const headSlot = h('div.column-head');
const bodySlot = h('div.column-body');

/** The middle column: a channel's header, its messages and composer; or the Home of an app. */
export function drawChannel(column) {
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
  drawTalk(channel, app);
}

function drawTalk(channel, app) {
  const member = channel.members.includes(store.me);
  const state = JSON.stringify([channel.id, store.me, member, channel.is_archived, channel.name]);
  if (state !== shownBody) {
    shownBody = state;
    list = new MessageList({ label: `Messages in ${store.titleOf(channel)}` });
    bodySlot.replaceChildren();
    append(bodySlot, [list.element, foot(channel, member)]);
  }
  const roots = store
    .sorted()
    .filter(({ thread_ts, subtype }) => thread_ts === undefined || subtype === 'thread_broadcast');
  list.draw(roots, { top: drawHints(channel, member), newFrom: reads.mark });
}

function foot(channel, member) {
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

function head(channel, app) {
  const count = channel.members.length;
  return h(
    'header.channel-head',
    h(
      'button.icon-button.menu-button',
      {
        'aria-label': 'Channels and people',
        onclick: () => document.getElementById('app').classList.toggle('menu-open'),
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

function tabs() {
  const tab = (name, label) =>
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
    bar.querySelector(`[data-key="tab-${other}"]`).focus();
    store.show(other);
  });
  return bar;
}

function joinBar(channel) {
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
