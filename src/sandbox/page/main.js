import { drawChannel } from './channel.js';
import { takeDrops } from './composer.js';
import { loadEmoji } from './emoji.js';
import { drawBar } from './inspector/bar.js';
import { drawInspector } from './inspector/panel.js';
import { inspector } from './inspector/state.js';
import { drawModal } from './modal.js';
import { notify } from './notice.js';
import { drawSidebar } from './sidebar.js';
import { store } from './store.js';
import { openSwitcher } from './switcher.js';
import { drawThread } from './thread.js';
import { views } from './views.js';

const app = document.getElementById('app');
const part = (id) => document.getElementById(id);

/** Draws everything from the store; unchanged elements stay, and so do focus and scroll position. */
function draw() {
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
function plan() {
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
  } else if (command && event.key === 'i' && !event.target.closest('textarea')) {
    event.preventDefault();
    inspector.toggle();
  } else if (event.key === 'Escape' && !event.defaultPrevented) escape();
});

/** Closes the topmost layer: the menu, then the thread; from a message the focus returns to the composer. */
function escape() {
  if (document.querySelector('dialog[open], .popup:popover-open')) return;
  if (app.classList.contains('menu-open')) app.classList.remove('menu-open');
  else if (store.thread) {
    store.openThread(undefined);
    part('composer-channel')?.focus();
  } else if (document.activeElement?.closest('.message')) part('composer-channel')?.focus();
}

const unreachable = (error) => notify(`The sandbox cannot be reached: ${error.message}`);
loadEmoji()
  .catch(() => undefined)
  .then(() => store.start())
  .then(() => Promise.all([views.start(), inspector.start()]))
  .catch(unreachable);
