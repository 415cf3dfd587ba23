import { html, nothing } from '../lit.js';
import { change, state } from '../state.js';
import { nameOf } from '../words.js';
import { analyticsPage } from './analytics/page.js';
import { helpDialog } from './help.js';
import { newTicket } from './new-ticket.js';
import { settingsNavigation, settingsPage } from './settings.js';
import { signIn, whoAreYou } from './sign-in.js';
import { sidebar } from './sidebar.js';
import { ticketList } from './ticket-list.js';
import { ticketPage } from './ticket.js';

const PAGES = { ticket: ticketPage, new: newTicket, settings: settingsPage, analytics: analyticsPage };
/** Those that no list of tickets stands beside. */
const WHOLE = new Set(['settings', 'analytics']);

/** The whole page, as it now is. */
export function page() {
  if (state.session === undefined) return nothing;
  if (!state.session) return signIn();
  const { name } = state.route;
  const shown = PAGES[name];
  return html`
    <a class="skip" href="#main" @click=${skip}>Skip to the content</a>
    <header class="top">
      <a class="brand" href="#/">Desk</a>
      <a class="primary" href="#/new">New ticket</a>
      <span class="spring"></span>
      <button class="quiet of-keys" @click=${() => change({ help: true })}>Keys</button>
      <a class="quiet" href="#/settings">Settings</a>
      <button class="quiet" @click=${() => change({ choosing: true })}>
        ${nameOf(state.session.userId) || 'Choose your name'}
      </button>
    </header>
    <div class="panes" data-panes=${WHOLE.has(name) ? 'page' : shown ? 'both' : 'list'}>
      ${name === 'settings' ? settingsNavigation() : sidebar()}
      ${WHOLE.has(name) ? nothing : ticketList(shown ? 'section' : 'main')}
      ${shown ? html`<main id="main" class="pane" tabindex="-1">${shown()}</main>` : nothing}
    </div>
    ${state.choosing || state.session.userId === undefined ? whoAreYou() : nothing}
    ${state.help ? helpDialog() : nothing}
  `;
}

/** A link to `#main` would leave the route. */
function skip(event) {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
