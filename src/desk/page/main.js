import { loadAnalytics } from './analytics/load.js';
import { keyboard } from './keyboard.js';
import { render } from './lit.js';
import { follow } from './live.js';
import { loadChoices, loadList, loadPeople, loadTicket } from './load.js';
import { page } from './parts/page.js';
import { sectionOf } from './parts/settings/sections.js';
import { hasList, readRoute } from './route.js';
import { loadSession } from './session.js';
import { attempt, change, drawWith, forgetAll, state } from './state.js';

const app = document.getElementById('app');
drawWith(() => {
  render(page(), app);
  watchSession();
});

/** Loads the data of the signed-in user. */
async function begin() {
  follow();
  // What one user read is not shown to the next, nor what a role allowed that is no longer theirs.
  if (state.signIn || !state.session) forgetAll();
  if (!state.session) {
    document.title = 'Sign in';
    return attempt('sign-in', loadSession);
  }
  await Promise.all([
    loadChoices().catch((error) => change({ list: { ...state.list, error: error.message } })),
    loadPeople([state.session.userId]).catch(() => undefined),
    enter(),
  ]);
}

/** Who is signed in, and what they may do. */
function signedIn() {
  const { id, userId, role, queueIds } = state.session ?? {};
  return JSON.stringify([Boolean(state.session), id, userId, role, queueIds]);
}

let signedInAs = signedIn();
/** Reloads everything after a sign-in or sign-out, in any tab, and when what the person may do changed. */
function watchSession() {
  const now = signedIn();
  if (now === signedInAs) return;
  signedInAs = now;
  void begin();
}

/** Where a refused sign-in leads back to; a reload does not repeat its reason. */
function takeRefusal() {
  const { refused } = readRoute();
  if (!refused) return;
  change({ signInReason: refused });
  history.replaceState(null, '', '#/');
}

async function enter() {
  takeRefusal();
  const { filters, ...route } = readRoute();
  const moved = JSON.stringify(route) !== JSON.stringify(state.route);
  const opened = state.route.code;
  change({ route, errors: {}, ...(filters && { filters, list: { ...state.list, limit: 50 } }) });
  if (!state.session) return;
  if (route.name !== 'ticket') {
    const titles = {
      list: 'Tickets',
      new: 'New ticket',
      settings: sectionOf(route.section).title,
      analytics: 'Analytics',
    };
    document.title = titles[route.name];
    change({ ticket: {} });
  }
  if (route.name === 'ticket' && state.ticket.record?.code !== route.code) change({ ticket: {} });
  await Promise.all([
    hasList(route) && loadList(),
    route.name === 'ticket' && loadTicket(),
    route.name === 'settings' && sectionOf(route.section).load(),
    route.name === 'analytics' && loadAnalytics(),
  ]);
  // A user who is typing keeps the focus.
  if (!moved || document.activeElement?.matches('input, textarea, select')) return;
  const row = opened && document.querySelector(`.row[data-code="${CSS.escape(opened)}"]`);
  const target = route.name === 'list' ? row : document.querySelector('main h1');
  target?.focus();
  // What has the focus already is not scrolled to by that.
  target?.scrollIntoView({ block: 'nearest' });
}

window.addEventListener('hashchange', () => void enter());
keyboard();
// Links in messages open outside of the desk.
app.addEventListener('click', (event) => {
  const link = event.target.closest('.text a');
  if (!link) return;
  link.target = '_blank';
  // A picture of a message opens here as well.
  const picture = link.querySelector('img');
  if (picture?.naturalWidth > 0) link.href = picture.src;
});

takeRefusal();
if (!(await attempt('sign-in', loadSession))) change({ session: null });
