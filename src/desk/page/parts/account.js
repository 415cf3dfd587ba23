import { html, nothing } from '../lit.js';
import { settingsAddress } from '../route.js';
import { signOut } from '../session.js';
import { attempt, change, state } from '../state.js';
import { fullName, nameOf } from '../words.js';
import { avatar } from './avatar.js';
import { refusal } from './bits.js';
import { accessOf } from './roles.js';

const PLACE = 'account';

/** At the right of the top bar: the signed-in person with their menu, or with an API key the chosen name. */
export function account() {
  if (state.signIn) return html`${button()}${menu()}`;
  return html`<button class="quiet" @click=${() => change({ choosing: true })}>
    ${nameOf(state.session.userId) || 'Choose your name'}
  </button>`;
}

function button() {
  const { user } = state.session;
  return html`<button class="account" popovertarget="account">
    ${avatar(user)}<span class="only-read">Account of ${fullName(user)}</span>
  </button>`;
}

const close = () => document.getElementById('account')?.hidePopover();

function menu() {
  const { user, role, queueIds } = state.session;
  return html`<div id="account" class="menu" popover role="dialog" aria-label="Account">
    <div class="who">
      ${avatar(user, 'large')}
      <div>
        <strong>${fullName(user)}</strong>
        ${user.email ? html`<span class="dim">${user.email}</span>` : nothing}
        <span class="dim">${accessOf({ role, queueIds })}</span>
      </div>
    </div>
    <hr />
    <a href=${settingsAddress('sessions')} @click=${close}>Sessions</a>
    <hr />
    <button ?disabled=${state.busy.has(PLACE)} @click=${() => attempt(PLACE, signOut)}>Sign out</button>
    ${refusal(PLACE)}
  </div>`;
}
