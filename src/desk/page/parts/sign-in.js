import { api } from '../api.js';
import { drafts } from '../drafts.js';
import { html } from '../lit.js';
import { attempt, change, state } from '../state.js';
import { modal, refusal } from './bits.js';
import { personField } from './person-field.js';

/** The key goes only to the desk's server; the page never stores it. */
export function signIn() {
  const submit = (event) => {
    event.preventDefault();
    const field = event.target.elements.key;
    void attempt('sign-in', async () => {
      const session = await api.signIn(field.value);
      field.value = '';
      change({ session });
    }).then((done) => !done && field.select());
  };
  return html`
    <main class="sign-in">
      <h1>Desk</h1>
      <p class="dim">The help desk for agents.</p>
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
        <p id="key-help" class="dim">
          The one that <code>npm start</code> shows, or one made under Settings.
        </p>
        ${refusal('sign-in')}
        <button class="primary" ?disabled=${state.busy.has('sign-in')}>Sign in</button>
      </form>
    </main>
  `;
}

/** The user who appears as author on the ticket and in chat. */
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
      <p>Your replies show this name, on the ticket and in chat.</p>
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
        <button class="plain" @click=${signOut}>Sign out</button>
      </p>
    `,
  );
}

async function signOut() {
  await attempt('who', async () => {
    await api.signOut();
    drafts.clear();
    change({
      session: null,
      ticket: {},
      list: { items: [], total: 0, limit: 50 },
      choosing: false,
    });
    state.people.clear();
  });
}
