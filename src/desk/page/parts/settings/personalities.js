import { call, path, Refusal } from '../../api.js';
import { html, keyed, nothing } from '../../lit.js';
import { goTo, settingsAddress } from '../../route.js';
import { ifAble, keep, kept, listOr } from '../../settings.js';
import { attempt, say, state } from '../../state.js';
import { isOfWorkspace, loadWorkspaces, workspace } from '../../workspaces.js';
import { refusal, select } from '../bits.js';
import { textField, workspaceChoice } from '../controls.js';
import { personalityName } from './agent.js';

const PLACE = 'personalities';
const CHANGE = 'change personalities';
const NEW = 'new';
const act = (work) => void attempt(PLACE, work);

/** How AI agents write: the persona for the model, and the first and last sentences of each answer. */
export const personalities = { key: PLACE, title: 'Personalities', load, render };

async function load() {
  const [read] = await Promise.all([
    listOr(PLACE, () => call('GET', `${path(PLACE)}?limit=1000`)),
    loadWorkspaces(),
  ]);
  keep(PLACE, read);
}

function render({ items, why, lacks }) {
  if (why) return html`<p class="dim">${why}</p>`;
  const { item } = state.route;
  const open = item === NEW ? {} : items.find(({ id }) => id === item);
  if (open) return one(open);
  return html`
    ${workspaceChoice()}
    <p class="dim">How AI agents write. An AI agent has one personality or none.</p>
    ${item ? html`<p class="dim">This personality no longer exists.</p>` : nothing}
    <ul class="cards">
      ${items
        .filter((each) => !each.workspaceId || isOfWorkspace(each))
        .map(
          (each) =>
            html`<li>
              <a class="card" href=${settingsAddress(PLACE, each.id)}
                ><strong>${personalityName(each)}</strong></a
              >
            </li>`,
        )}
    </ul>
    ${lacks?.[CHANGE] ? nothing : html`<p><a class="primary" href=${settingsAddress(PLACE, NEW)}>New personality</a></p>`}
  `;
}

const LENGTHS = [
  ['', 'Medium'],
  ['short', 'Short'],
  ['long', 'Long'],
];
const TEXTS = ['persona', 'tone', 'emoji', 'greeting', 'branding', 'length'];

function one(personality) {
  const { id, persona, tone, emoji, greeting, branding, length } = personality;
  const submit = (event) => {
    event.preventDefault();
    const typed = new FormData(event.target);
    const given = TEXTS.map((key) => [key, typed.get(key).trim() || null]);
    const changed = Object.fromEntries(given.filter(([key, text]) => text !== (personality[key] ?? null)));
    act(async () => {
      const body = id
        ? { id, ...changed }
        : { ...changed, ...(workspace() && { workspaceId: workspace().id }) };
      await ifAble(PLACE, CHANGE, () => call('POST', path(PLACE), body));
      say('Saved.');
      await load();
      goTo(settingsAddress(PLACE));
    });
  };
  const isKnown = LENGTHS.some(([value]) => value === (length ?? ''));
  const content = html`
    <p><a class="quiet" href=${settingsAddress(PLACE)}>← All personalities</a></p>
    <form class="fields" @submit=${submit}>
      ${textField({ name: 'persona', label: 'Who it is', value: persona, rows: 3, help: 'As “A patient colleague of the IT desk”. Part of the model’s instructions.' })}
      ${textField({ name: 'tone', label: 'Tone', value: tone, maxlength: 200, placeholder: 'friendly, to the point' })}
      ${textField({ name: 'emoji', label: 'Emoji', value: emoji, maxlength: 200, placeholder: 'few' })}
      ${select({ label: 'Length', name: 'length', value: length ?? '', options: isKnown ? LENGTHS : [[length, length], ...LENGTHS] })}
      ${textField({ name: 'greeting', label: 'Greeting', value: greeting, rows: 2, help: 'Begins its first answer on a ticket.' })}
      ${textField({ name: 'branding', label: 'Closing line', value: branding, rows: 2, help: 'Ends each answer.' })}
      ${refusal(PLACE)}
      <p class="chips">
        <button class="primary" ?disabled=${state.busy.has(PLACE)}>Save</button>
        ${id ? html`<button type="button" class="plain danger" @click=${() => remove(personality)}>Remove</button>` : nothing}
      </p>
    </form>
  `;
  return keyed(id, content);
}

function remove(personality) {
  if (!window.confirm(`Remove “${personalityName(personality)}”?`)) return;
  act(async () => {
    await ifAble(PLACE, CHANGE, () => call('DELETE', path(PLACE, personality.id))).catch((error) => {
      if (error.status !== 409) throw error;
      throw new Refusal(
        409,
        'An AI agent or the workspace uses this personality. Choose another one for them first.',
      );
    });
    keep(PLACE, { items: kept(PLACE).items.filter(({ id }) => id !== personality.id) });
    say('It is removed.');
    goTo(settingsAddress(PLACE));
  });
}
