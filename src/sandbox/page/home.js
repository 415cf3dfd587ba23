import { api } from './api.js';
import { attempt } from './attempt.js';
import { drawBlocks } from './blocks/draw.js';
import { append, h, keptFocus } from './dom.js';
import { store } from './store.js';
import { views } from './views.js';

let drawn = '';
let entered = '';

/** The Home tab of an app, as the app published it for the acting person. */
export function drawHome(slot, app) {
  const entry = `${app.id} ${store.me}`;
  if (entered !== entry) {
    entered = entry;
    attempt(api.openHome({ user: store.me, tab: 'home' })).then(() => views.reload());
  }
  const { home } = views;
  const state = JSON.stringify([entry, home?.hash, home?.blocks, home?.errors]);
  if (state === drawn && slot.querySelector('.home')) return;
  const scroll = slot.querySelector('.home')?.scrollTop ?? 0;
  drawn = state;
  const focus = keptFocus(slot);
  slot.replaceChildren();
  append(
    slot,
    h(
      'div',
      { class: 'home', tabindex: '0', role: 'tabpanel', 'aria-label': `Home of ${app.name}` },
      h(
        'div',
        { class: 'home-page blocks' },
        home
          ? drawBlocks(home.blocks, views.surface(home))
          : h(
              'div',
              { class: 'home-empty' },
              h('img', { src: `/avatar/${app.botUserId}.svg`, alt: '', width: 56, height: 56 }),
              h('h2', {}, `${app.name} has published no Home yet`),
              h('p', {}, 'It is told that you opened this tab; what it publishes shows here at once.'),
            ),
      ),
    ),
  );
  slot.querySelector('.home').scrollTop = scroll;
  focus();
}

/** Coming back to the tab tells the app again. */
export function leaveHome() {
  entered = '';
}
