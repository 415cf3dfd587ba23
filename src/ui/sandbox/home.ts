import { api } from './api.ts';
import { attempt } from './attempt.ts';
import { drawBlocks } from './blocks/draw.ts';
import { append, h, keptFocus, present } from './dom.ts';
import { store } from './store.ts';
import type { App } from './types.ts';
import { views } from './views.ts';

let drawn = '';
let openedFor = '';

/** The Home tab of an app, as the app published it for the acting person. */
export function drawHome(slot: HTMLElement, app: App): void {
  const entry = `${app.id} ${store.me}`;
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
      'div.home',
      { tabindex: '0', role: 'tabpanel', 'aria-label': `Home of ${app.name}` },
      h(
        'div.home-page.blocks',
        home
          ? drawBlocks(home.blocks, views.surface(home))
          : h(
              'div.home-empty',
              h('img', { src: `/avatar/${app.botUserId}.svg`, alt: '', width: 56, height: 56 }),
              h('h2', `${app.name} has published no Home yet`),
              h('p', 'It is notified that you opened this tab; what it publishes shows here at once.'),
            ),
      ),
    ),
  );
  present(slot.querySelector('.home')).scrollTop = scroll;
  focus();
}

/**
 * The open tab of an app, for which `app_home_opened` is sent each time the user comes to it; `undefined`:
 * none.
 */
export function tellTab(app: App | undefined): void {
  const now = app ? `${app.id} ${store.me} ${store.tab}` : '';
  if (now === openedFor) return;
  openedFor = now;
  if (app) void attempt(api.openHome({ user: store.me, tab: store.tab })).then(() => views.reload());
}
