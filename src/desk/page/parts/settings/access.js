import { call, path } from '../../api.js';
import { html, live, nothing } from '../../lit.js';
import { keep, kept } from '../../settings.js';
import { attempt, say, state } from '../../state.js';
import { fullName, moment } from '../../words.js';
import { refusal } from '../bits.js';
import { ROLES } from '../roles.js';
import { endSessions, sessionList } from './session-list.js';

const SECTION = 'people';
const ROLE = 'person-role';
const ACTIVE = 'person-active';
const SESSIONS = 'person-sessions';

/** Whether a service has roles of people, and this record is of one who can sign in. */
export const hasAccess = ({ role, isBot }) => Boolean(role) && !isBot;

/** What a person may do, and where they are signed in; `read()` reads the section again. */
export function access(person, read) {
  const known = kept(SECTION).access;
  // Before it is known who else is an admin, nothing is offered.
  if (!hasAccess(person) || known?.id !== person.id) return nothing;
  const { admins, sessions } = known;
  const isLast = admins.length === 1 && admins[0].id === person.id;
  return html`${isLast ? lastAdmin(person) : nothing} ${role(person, isLast, read)}
  ${signedIn(person, sessions, isLast, read)}`;
}

function lastAdmin(person) {
  return html`<p class="notice" id="last-admin">
    ${fullName(person)} is the only active admin. Make another person an admin before you change this role or
    deactivate this account.
  </p>`;
}

const write = (place, person, part, read) =>
  attempt(place, async () => {
    await call('PUT', path('users', person.id), part);
    keep(SECTION, { draft: undefined });
    say('Saved.');
    await read();
  });

/** A role and its queues are saved together: half of a change could show too much. */
function role(person, isLast, read) {
  const { draft } = kept(SECTION);
  const { role: chosen, queueIds } = draft?.id === person.id ? draft : person;
  const set = (part) => keep(SECTION, { draft: { id: person.id, role: chosen, queueIds, ...part } });
  const isChanged = chosen !== person.role || JSON.stringify(queueIds) !== JSON.stringify(person.queueIds);
  const submit = (event) => {
    event.preventDefault();
    void write(ROLE, person, { role: chosen, queueIds: chosen === 'agent' ? queueIds : null }, read);
  };
  const option = ([key, { name, does }]) =>
    html`<label class="option">
      <input
        type="radio"
        name="role"
        value=${key}
        .checked=${live(chosen === key)}
        @change=${() => set({ role: key })}
      />
      <span><strong>${name}</strong><span class="dim">${does}</span></span>
    </label>`;
  return html`<form @submit=${submit}>
    <fieldset class="options" ?disabled=${isLast} aria-describedby=${isLast ? 'last-admin' : nothing}>
      <legend>Role</legend>
      ${Object.entries(ROLES).map(option)}
    </fieldset>
    ${chosen === 'agent' ? queues(queueIds, (ids) => set({ queueIds: ids })) : nothing} ${refusal(ROLE)}
    ${
      isChanged
        ? html`<p class="line">
            <button class="primary" ?disabled=${state.busy.has(ROLE)}>Save access</button>
            <button type="button" class="plain" @click=${() => keep(SECTION, { draft: undefined })}>
              Cancel
            </button>
            ${
              person.id === state.session.userId && chosen !== 'admin'
                ? html`<span class="dim">This is you: you lose access to the settings.</span>`
                : nothing
            }
          </p>`
        : nothing
    }
  </form>`;
}

function queues(ids, choose) {
  const toggle = ({ target }) =>
    choose(target.checked ? [...ids, target.value] : ids.filter((id) => id !== target.value));
  const which = (label, help, isIt, next) =>
    html`<label class="option">
      <input type="radio" name="queues" .checked=${live(isIt)} @change=${() => choose(next)} />
      <span><strong>${label}</strong><span class="dim">${help}</span></span>
    </label>`;
  return html`<fieldset class="options">
    <legend>Queues</legend>
    ${which('All queues', 'Also those that are created later.', ids === null, null)}
    ${which('Only these', 'Private tickets and notes of other queues stay hidden.', ids !== null, [])}
    ${
      ids === null
        ? nothing
        : html`<div class="checks-list" role="group" aria-label="Queues of this agent">
            ${state.queues.map(
              ({ id, name }) =>
                html`<label class="check">
                  <input
                    type="checkbox"
                    value=${id}
                    .checked=${live(ids.includes(id))}
                    @change=${toggle}
                  />${name}
                </label>`,
            )}
          </div>`
    }
  </fieldset>`;
}

function signedIn(person, sessions, isLast, read) {
  const others = sessions.filter(({ id }) => id !== state.session.id);
  return html`<section>
    <h3>Sign-in</h3>
    ${
      person.deactivatedAt
        ? html`<p>Deactivated on ${moment(person.deactivatedAt)}. This person cannot sign in.</p>`
        : sessions.length === 0
          ? html`<p class="dim">Signed in nowhere.</p>`
          : sessionList({ place: SESSIONS, sessions, changed: read })
    }
    <p class="line">
      ${
        others.length > 1
          ? html`<button
              class="plain"
              ?disabled=${state.busy.has(SESSIONS)}
              @click=${() => void endSessions({ place: SESSIONS, sessions: others, changed: read })}
            >
              ${others.length === sessions.length ? 'End all sessions' : 'End all other sessions'}
            </button>`
          : nothing
      }
      ${person.deactivatedAt ? reactivate(person, read) : deactivate(person, isLast, read)}
    </p>
    ${refusal(ACTIVE)}
  </section>`;
}

function reactivate(person, read) {
  return html`<button
    class="plain"
    ?disabled=${state.busy.has(ACTIVE)}
    @click=${() => void write(ACTIVE, person, { isDeactivated: false }, read)}
  >
    Reactivate
  </button>`;
}

function deactivate(person, isLast, read) {
  const press = () => {
    const isSure = window.confirm(
      `Deactivate ${fullName(person)}? They are signed out everywhere at once and cannot sign in. Their tickets and messages stay.`,
    );
    if (isSure) void write(ACTIVE, person, { isDeactivated: true }, read);
  };
  return html`<button
    class="plain danger"
    ?disabled=${isLast || state.busy.has(ACTIVE)}
    aria-describedby=${isLast ? 'last-admin' : nothing}
    @click=${press}
  >
    Deactivate
  </button>`;
}
