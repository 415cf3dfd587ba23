import { html, nothing } from '../lit.js';
import { isAdmin } from '../may.js';
import { hasList } from '../route.js';
import { change, state } from '../state.js';
import { account } from './account.js';
import { analyticsPage } from './analytics/page.js';
import { helpDialog } from './help.js';
import { newTicket } from './new-ticket.js';
import { settingsNavigation, settingsPage } from './settings.js';
import { signIn, whoAreYou } from './sign-in.js';
import { sidebar } from './sidebar.js';
import { ticketList } from './ticket-list.js';
import { ticketPage } from './ticket.js';

const PAGES = { ticket: ticketPage, new: newTicket, settings: settingsPage, analytics: analyticsPage };

/** Renders the whole page. */
export function page() {
  if (state.session === undefined) return nothing;
  if (!state.session) return signIn();
  const { name } = state.route;
  const shown = PAGES[name];
  const isListed = hasList(state.route);
  return html`
    <a class="skip" href="#main" @click=${skip}>Skip to the content</a>
    <header class="top">
      <a class="brand" href="#/">Desk</a>
      <a class="primary" href="#/new">New ticket</a>
      <span class="spring"></span>
      <button class="quiet of-keys" @click=${() => change({ help: true })}>Keys</button>
      ${isAdmin() ? html`<a class="quiet" href="#/settings">Settings</a>` : nothing} ${account()}
    </header>
    <div class="panes" data-panes=${isListed ? (shown ? 'both' : 'list') : 'page'}>
      ${name === 'settings' ? settingsNavigation() : sidebar()}
      ${isListed ? ticketList(shown ? 'section' : 'main') : nothing}
      ${shown ? html`<main id="main" class="pane" tabindex="-1">${shown()}</main>` : nothing}
    </div>
    ${!state.signIn && (state.choosing || state.session.userId === undefined) ? whoAreYou() : nothing}
    ${state.help ? helpDialog() : nothing}
  `;
}

/** A link to `#main` would change the route. */
function skip(event) {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
