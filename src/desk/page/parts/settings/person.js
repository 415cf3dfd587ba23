import { html, keyed, nothing } from '../../lit.js';
import { listAddress, settingsAddress } from '../../route.js';
import { keep, kept } from '../../settings.js';
import { attempt, say, state } from '../../state.js';
import { fullName, moment } from '../../words.js';
import { avatar } from '../avatar.js';
import { refusal } from '../bits.js';
import { textField } from '../controls.js';
import { access } from './access.js';
import { isNameable, savePerson } from './people-records.js';

const SECTION = 'people';

/** One person: name, e-mail and picture, and linked chat accounts. */
export function personPage(id, read) {
  const { items, named } = kept(SECTION);
  const person = items.find((each) => each.id === id) ?? (named?.id === id ? named : undefined);
  const back = html`<p><a class="quiet" href=${settingsAddress(SECTION)}>← All people</a></p>`;
  if (!person)
    return html`${back}
      <p class="dim">This person no longer exists.</p>`;
  const content = html`
    ${back}
    <div class="who">
      ${avatar(person, 'large')}
      <div>
        <h2>${fullName(person)}</h2>
        ${person.email ? html`<span class="dim">${person.email}</span>` : nothing}
      </div>
      ${person.deactivatedAt ? html`<span class="chip">Deactivated</span>` : nothing}
    </div>
    <p class="dim">
      ${person.isBot ? 'A program. ' : ''}${person.isGuestCreated ? 'A guest, created from a request. ' : ''}Here
      since ${moment(person.createdAt)}.
      <a href=${listAddress({ status: 'any', requesterId: id })}>Their requests</a>
    </p>
    ${access(person, read)} ${accounts(person)}
    ${isNameable(person) ? [link(person, read), names(person, read)] : html`<p class="dim">This record has neither an e-mail nor a chat account, so it cannot be changed here. Change it where the service runs.</p>`}
  `;
  return keyed(id, content);
}

/** Saves the person and shows the result; after an error, typed text stays. */
async function save(place, person, part, read) {
  return attempt(place, async () => {
    try {
      const saved = await savePerson(person, part);
      const { items, named } = kept(SECTION);
      state.people.set(saved.id, saved);
      keep(SECTION, {
        items: items.map((each) => (each.id === saved.id ? saved : each)),
        named: named?.id === saved.id ? saved : named,
      });
      say('Saved.');
    } catch (error) {
      if (error.status === 409) await read();
      throw error;
    }
  });
}

function accounts({ isBot, chatUsers }) {
  if (chatUsers.length > 0)
    return html`<h3>Chat accounts</h3>
      <ul class="accounts">
        ${chatUsers.map(
          ({ chatUserId, chatTeamId, chatDisplayName, chatRealName }) =>
            html`<li>
              <strong>${chatDisplayName || chatRealName || 'Account'}</strong>
              <code>${chatUserId}</code>
              ${chatTeamId ? html`<span class="dim">of the workspace <code>${chatTeamId}</code></span>` : nothing}
            </li>`,
        )}
      </ul>
      <p class="dim">
        What these accounts write in chat is theirs, unless an administrator linked one to another user:
        <code>deskbridge people list</code> shows that.
      </p>`;
  if (isBot)
    return html`<p class="dim">
      A program needs no chat account: its messages appear in chat under its name.
    </p>`;
  return html`<div class="notice">
    <p><strong>No chat account is linked.</strong> Until one is:</p>
    <ul class="bullets">
      <li>no direct messages reach them: no notices, no approvals to decide, no private tickets;</li>
      <li>a mention of them stays plain text in chat;</li>
      <li>
        their messages in chat are stored under another user: the one with the same e-mail, a new guest, or
        the bot with their name in front.
      </li>
    </ul>
    <p>It is linked by itself when they write in chat, where both have the same e-mail.</p>
  </div>`;
}

function link(person, read) {
  const place = 'person-link';
  const submit = (event) => {
    event.preventDefault();
    const form = event.target;
    const value = (name) => form.elements[name].value.trim().toUpperCase();
    const account = { chatUserId: value('chatUserId'), chatTeamId: value('chatTeamId') };
    void save(place, person, { account }, read).then((done) => done && form.reset());
  };
  return html`<form @submit=${submit}>
    <h3>Link a chat account</h3>
    <div class="row-form">
      ${textField({
        name: 'chatUserId',
        label: 'Member ID',
        required: true,
        maxlength: 40,
        pattern: '\\s*[UWuw][A-Za-z0-9]+\\s*',
        placeholder: 'U0123456789',
        title: 'U or W, then letters and digits',
      })}
      ${textField({
        name: 'chatTeamId',
        label: 'Chat workspace',
        value: kept(SECTION).team,
        required: true,
        maxlength: 40,
        pattern: '\\s*[TEte][A-Za-z0-9]+\\s*',
        placeholder: 'T0123456789',
        title: 'T or E, then letters and digits',
      })}
      <button class="plain" ?disabled=${state.busy.has(place)}>Link account</button>
    </div>
    <p class="dim">
      In Slack: the person’s profile, the menu ⋮, “Copy member ID”. A link is not undone here.
    </p>
    ${refusal(place)}
  </form>`;
}

function names(person, read) {
  const place = 'person-names';
  const submit = (event) => {
    event.preventDefault();
    const value = (name) => event.target.elements[name]?.value.trim() ?? '';
    const [email, image] = [value('email'), value('image')];
    void save(
      place,
      person,
      {
        firstName: value('firstName'),
        lastName: value('lastName') || null,
        ...(email && { email }),
        ...(image && { image }),
      },
      read,
    );
  };
  const hasAccount = person.chatUsers.length > 0;
  return html`<form @submit=${submit}>
    <h3>Details</h3>
    <div class="fields">
      ${textField({ name: 'firstName', label: 'First name', value: person.firstName, required: true, maxlength: 200 })}
      ${textField({ name: 'lastName', label: 'Last name', value: person.lastName, maxlength: 200 })}
      ${
        hasAccount
          ? textField({
              name: 'email',
              label: 'E-mail',
              type: 'email',
              value: person.email,
              required: Boolean(person.email),
              maxlength: 200,
            })
          : html`<p class="dim">
              E-mail: ${person.email}. It is what the service knows them by; it can be changed once a chat
              account is linked.
            </p>`
      }
      ${textField({
        name: 'image',
        label: 'Picture',
        type: 'url',
        value: person.image,
        help: 'A public https address. It is shown next to their messages instead of their picture in chat.',
      })}
    </div>
    ${refusal(place)}
    <p><button class="plain" ?disabled=${state.busy.has(place)}>Save</button></p>
  </form>`;
}
