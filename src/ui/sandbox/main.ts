import { drawChannel } from './channel.ts';
import { takeDrops } from './composer.ts';
import { loadEmoji } from './emoji.ts';
import { drawBar } from './inspector/bar.ts';
import { drawInspector } from './inspector/open.ts';
import { inspector } from './inspector/state.ts';
import { part } from './dom.ts';
import { drawModal } from './modal.ts';
import { messageOf, notify } from './notice.ts';
import { drawSidebar } from './sidebar.ts';
import { store } from './store.ts';
import { openSwitcher } from './switcher.ts';
import { drawThread } from './thread.ts';
import { views } from './views.ts';
import { keepInputMethodKeys } from '../input-methods.ts';

const app = part('app');

keepInputMethodKeys();

/** Draws everything from the store; unchanged elements stay, and so do focus and scroll position. */
function draw(): void {
  const count = [...store.unread.values()].reduce((sum, { mentions }) => sum + mentions, 0);
  document.title = `${count > 0 ? `(${count}) ` : ''}${store.team.name} · sandbox workspace`;
  drawBar(part('bar'));
  drawSidebar(part('sidebar'));
  drawChannel(part('channel'));
  drawThread(part('thread'));
  drawInspector(part('inspector'));
  drawModal();
  app.classList.toggle('with-thread', store.thread !== undefined);
  app.classList.toggle('with-inspector', inspector.open);
}

let planned = false;
function plan(): void {
  if (planned || store.me === '') return;
  planned = true;
  requestAnimationFrame(() => {
    planned = false;
    draw();
  });
}
for (const source of [store, views, inspector]) source.addEventListener('change', plan);

part('scrim').addEventListener('click', () => app.classList.remove('menu-open'));
for (const column of ['channel', 'thread']) takeDrops(part(column));

document.addEventListener('keydown', (event) => {
  const command = event.ctrlKey || event.metaKey;
  if (command && event.key === 'k') {
    event.preventDefault();
    openSwitcher();
  } else if (command && event.key === 'i' && !(event.target instanceof HTMLTextAreaElement)) {
    event.preventDefault();
    inspector.toggle();
  } else if (event.key === 'Escape' && !event.defaultPrevented) escape();
});

/** Closes the topmost layer: the menu, then the thread; from a message the focus returns to the composer. */
function escape(): void {
  if (document.querySelector('dialog[open], .popup:popover-open')) return;
  if (app.classList.contains('menu-open')) app.classList.remove('menu-open');
  else if (store.thread) {
    store.openThread(undefined);
    document.getElementById('composer-channel')?.focus();
  } else if (document.activeElement?.closest('.message'))
    document.getElementById('composer-channel')?.focus();
}

const unreachable = (error: unknown) => notify(`The sandbox cannot be reached: ${messageOf(error)}`);
loadEmoji()
  .catch(() => undefined)
  .then(() => store.start())
  .then(() => Promise.all([views.start(), inspector.start()]))
  .catch(unreachable);
