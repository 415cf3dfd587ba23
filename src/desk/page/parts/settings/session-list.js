import { call, path } from '../../api.js';
import { deviceOf } from '../../device.js';
import { html, nothing } from '../../lit.js';
import { attempt, say, state } from '../../state.js';
import { ago, moment } from '../../words.js';
import { refusal } from '../bits.js';
import { icon } from '../icons.js';

/** Sessions by their devices; `changed()` reads them again after one has ended. */
export function sessionList({ place, sessions, changed }) {
  return html`<ul class="list-rows">
      ${sessions.map((session) => row(session, place, changed))}
    </ul>
    ${refusal(place)}`;
}

function row(session, place, changed) {
  const { id, address, userAgent, createdAt, lastSeenAt } = session;
  const device = deviceOf(userAgent);
  const isCurrent = id === state.session.id;
  return html`<li>
    <span class="sign">${icon(device.icon)}</span>
    <div class="main">
      <p>
        <strong title=${userAgent ?? nothing}>${device.name}</strong>
        ${isCurrent ? html`<span class="chip good">This session</span>` : nothing}
      </p>
      <p class="dim">
        ${isCurrent ? 'In use now' : html`Last used <time datetime=${lastSeenAt} title=${moment(lastSeenAt)}>${ago(lastSeenAt)}</time>`}
        · ${address ?? 'unknown address'} · signed in ${moment(createdAt)}
      </p>
    </div>
    ${
      isCurrent
        ? nothing
        : html`<button
            class="plain"
            aria-label=${`End the session ${device.name}, ${address ?? 'unknown address'}`}
            ?disabled=${state.busy.has(place)}
            @click=${() => void endSessions({ place, sessions: [session], changed })}
          >
            End
          </button>`
    }
  </li>`;
}

/** Ends sessions one by one; one that has ended by itself counts as ended. */
export function endSessions({ place, sessions, changed }) {
  return attempt(place, async () => {
    try {
      for (const { id } of sessions)
        await call('DELETE', path('sessions', id)).catch((error) => {
          if (error.status !== 404) throw error;
        });
      say(sessions.length === 1 ? 'The session has ended.' : 'The sessions have ended.');
    } finally {
      await changed();
    }
  });
}
