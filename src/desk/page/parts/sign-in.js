import { api } from '../api.js';
import { html, nothing } from '../lit.js';
import { loadSession, signOut } from '../session.js';
import { attempt, change, state } from '../state.js';
import { modal, refusal } from './bits.js';
import { icon, logo } from './icons.js';
import { personField } from './person-field.js';

const PLACE = 'sign-in';

/** What happened and what to do, by the reason in the address that a refused sign-in leads back to. */
const REASONS = {
  unknown: 'There is no account for you here. Ask an admin to add you with the e-mail you sign in with.',
  unverified: 'Your e-mail is not verified there. Verify it with your provider, then sign in again.',
  deactivated: 'Your account is deactivated. Ask an admin to reactivate it.',
  expired: 'This sign-in has expired or was used already. Start again, or ask for a new link.',
  failed: 'The provider did not confirm who you are. Try again; if it keeps failing, ask an admin.',
  limited: 'There were too many attempts. Wait a minute, then try again.',
  ended: 'Your session has ended. Sign in again to continue.',
};

/** The sign-in page; empty until the providers are known. */
export function signIn() {
  const { signIn: isOfPeople, providers } = state;
  if (isOfPeople && !providers && !state.errors[PLACE]) return nothing;
  return html`
    <main class="sign-in">
      ${logo}
      <h1>Sign in to the desk</h1>
      ${reason()} ${isOfPeople === false ? key() : providers ? people(providers) : retry()}
    </main>
  `;
}

function reason() {
  const { signInReason } = state;
  if (!signInReason) return nothing;
  const words = REASONS[signInReason] ?? REASONS.failed;
  return html`<p class=${signInReason === 'ended' ? 'notice' : 'refusal'} role="alert">${words}</p>`;
}

function retry() {
  return html`${refusal(PLACE)}
    <button class="plain" ?disabled=${state.busy.has(PLACE)} @click=${() => attempt(PLACE, loadSession)}>
      Try again
    </button>`;
}

function people(providers) {
  // After signing in, the page that was open opens again.
  const returnTo = encodeURIComponent(`/${location.hash}`);
  if (providers.length === 0)
    return html`<div class="by-link">
      <p>You sign in with a link. Ask an admin for one: it works once, within ten minutes.</p>
      <p class="dim">An admin makes it where the service runs:</p>
      <pre tabindex="0"><code>deskbridge people sign-in-link you@example.com</code></pre>
    </div>`;
  return html`<ul class="providers">
      ${providers.map(
        ({ id, name }) =>
          html`<li>
            <a class="provider" href=${`/auth/start/${encodeURIComponent(id)}?returnTo=${returnTo}`}>
              ${icon(id === 'oidc' ? 'key' : 'slack')} Continue with ${name}
            </a>
          </li>`,
      )}
    </ul>
    <p class="fine">No account there? Ask an admin for a sign-in link.</p>`;
}

/** The key goes only to the desk's server; the page never stores it. */
function key() {
  const submit = (event) => {
    event.preventDefault();
    const field = event.target.elements.key;
    void attempt(PLACE, async () => {
      const session = await api.signIn(field.value);
      field.value = '';
      change({ session, signInReason: undefined });
    }).then((done) => !done && field.select());
  };
  return html`
    <form @submit=${submit}>
      <label for="key">API key</label>
      <input
        id="key"
        name="key"
        type="password"
        autocomplete="off"
        spellcheck="false"
        aria-describedby="key-help"
        autofocus
        required
      />
      <p id="key-help" class="dim">A key of the service that this desk shows.</p>
      ${refusal(PLACE)}
      <button class="primary" ?disabled=${state.busy.has(PLACE)}>Sign in</button>
    </form>
    <p class="fine">This service does not know who signs in: everyone with a key is who they say they are.</p>
  `;
}

/** With an API key: the user who appears as author on the ticket and in chat. */
export function whoAreYou() {
  const choose = (userId) =>
    attempt('who', async () => {
      await api.choose(userId);
      change({ session: { userId }, choosing: false });
    });
  const leave = () => (state.session.userId === undefined ? void choose(null) : change({ choosing: false }));
  return modal(
    'Who are you?',
    leave,
    html`
      <p>Your replies show this name, on the ticket and in chat. Nobody checks it.</p>
      ${personField({
        key: 'me',
        label: 'Your name',
        value: state.session.userId,
        placeholder: 'First or last name',
        autofocus: true,
        onPick: (userId) => void choose(userId),
      })}
      ${refusal('who')}
      <p class="chips">
        <button class="plain" @click=${() => void choose(null)}>Continue as the key’s own user</button>
        <button class="plain" @click=${() => attempt('who', signOut)}>Sign out</button>
      </p>
    `,
  );
}
