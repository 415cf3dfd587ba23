import { drawChannel } from './channel.js';
import { notify } from './notice.js';
import { drawSidebar } from './sidebar.js';
import { store } from './store.js';
import { drawThread } from './thread.js';

/** Draws everything from the store; elements whose content is the same stay, so focus and scrolling do too. */
function draw() {
  document.title = `${store.team.name} · sandbox workspace`;
  drawSidebar(document.getElementById('sidebar'));
  drawChannel(document.getElementById('channel'));
  drawThread(document.getElementById('thread'));
  document.getElementById('app').classList.toggle('with-thread', store.thread !== undefined);
}

let planned = false;
store.addEventListener('change', () => {
  if (planned) return;
  planned = true;
  requestAnimationFrame(() => {
    planned = false;
    draw();
  });
});

document.getElementById('scrim').addEventListener('click', () => {
  document.getElementById('app').classList.remove('menu-open');
});

document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  if (document.getElementById('app').classList.contains('menu-open'))
    document.getElementById('app').classList.remove('menu-open');
  else if (store.thread) store.openThread(undefined);
});

store.start().catch((error) => notify(`The sandbox cannot be reached: ${error.message}`));
