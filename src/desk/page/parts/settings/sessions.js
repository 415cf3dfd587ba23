import { readSessions } from '../../api.js';
import { html, nothing } from '../../lit.js';
import { keep, listOr } from '../../settings.js';
import { state } from '../../state.js';
import { endSessions, sessionList } from './session-list.js';

const PLACE = 'sessions';

/** Where the signed-in person is signed in. */
export const sessions = { key: PLACE, title: 'Sessions', load, render };

async function load() {
  const { userId } = state.session;
  keep(PLACE, await listOr('sessions', async () => ({ items: await readSessions(userId) })));
}

function render({ items, why }) {
  if (why) return html`<p class="dim">${why}</p>`;
  const isCurrent = ({ id }) => id === state.session.id;
  const others = items.filter((each) => !isCurrent(each));
  return html`
    <p class="dim">The browsers in which you are signed in. End a session that you do not recognise.</p>
    ${sessionList({ place: PLACE, sessions: [...items.filter(isCurrent), ...others], changed: load })}
    ${
      others.length === 0
        ? nothing
        : html`<p>
            <button
              class="plain danger"
              ?disabled=${state.busy.has(PLACE)}
              @click=${() => void endSessions({ place: PLACE, sessions: others, changed: load })}
            >
              End all other sessions
            </button>
          </p>`
    }
  `;
}
