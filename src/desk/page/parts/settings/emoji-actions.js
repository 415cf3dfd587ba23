import { html } from '../../lit.js';
import { say, state } from '../../state.js';
import { PRIORITIES } from '../../words.js';
import { refusal, select } from '../bits.js';
import { textField } from '../controls.js';

const PLACE = 'workspace-emoji';

const ACTIONS = [
  ['create', 'opens a ticket'],
  ['create-private', 'opens a private ticket'],
  ['assign-me', 'assigns the ticket to the user who added it'],
  ...Object.entries(PRIORITIES).map(([value, words]) => [`priority ${value}`, `sets the priority: ${words}`]),
];

/**
 * What an emoji on a message does (`chatEmojiActions`), apart from 🎫 and 🤫, which always open tickets.
 * `save(part)` writes.
 */
export function emojiActions({ id, chatEmojiActions }, save) {
  const present = chatEmojiActions ?? {};
  const statuses = state.statuses.filter(({ statusGroup }) => statusGroup.workspaceId === id);
  // By its id, which stays the same when the status is renamed.
  const ofStatuses = statuses.map((status) => [`status ${status.id}`, `sets the status: ${status.label}`]);
  const set = (actions) => save({ chatEmojiActions: actions });
  const submit = (event) => {
    event.preventDefault();
    const form = event.target;
    const name = form.elements.emoji.value.trim().replaceAll(':', '').toLowerCase();
    void set({ ...present, [name]: written(form.elements.action.value) }).then(
      (done) => done && form.reset(),
    );
  };
  const remove = (name) => {
    const { [name]: _gone, ...rest } = present;
    void set(rest).then((done) => done && say(`:${name}: is removed.`));
  };
  return html`<fieldset>
    <legend>Emoji on a message</legend>
    <p class="dim">
      🎫 opens a ticket and 🤫 a private one among few people, always. These work as well, on first messages
      of linked channels:
    </p>
    <ul>
      ${Object.entries(present).map(
        ([name, action]) =>
          html`<li class="line">
            <code>:${name}:</code> <span>${said(action, statuses)}</span>
            <span class="spring"></span>
            <button class="quiet" aria-label=${`Remove :${name}:`} @click=${() => remove(name)}>
              Remove
            </button>
          </li>`,
      )}
    </ul>
    <form class="row-form" @submit=${submit}>
      ${textField({
        name: 'emoji',
        label: 'Emoji name',
        required: true,
        maxlength: 100,
        placeholder: 'rocket',
        pattern: "\\s*:?[a-zA-Z0-9_+'\\-]+:?\\s*",
        title: 'As chat shows it between colons',
      })}
      ${select({ label: 'What it does', name: 'action', value: 'create', options: [...ACTIONS, ...ofStatuses] })}
      <button class="plain" ?disabled=${state.busy.has(PLACE)}>Add emoji</button>
    </form>
    ${refusal(PLACE)}
  </fieldset>`;
}

/** Converts a choice such as `status ID` to an emoji action of the contract. */
function written(choice) {
  const [action, value] = choice.split(' ');
  return { action, ...(value !== undefined && { value }) };
}

/** An emoji action written through the API may name a status by its label. */
function said({ action, value }, statuses) {
  const status = action === 'status' && statuses.find(({ id, label }) => value === id || value === label);
  if (status) return `sets the status: ${status.label}`;
  const choice = [action, value].filter(Boolean).join(' ');
  return ACTIONS.find(([each]) => each === choice)?.[1] ?? `does nothing: ${choice} is not known`;
}
