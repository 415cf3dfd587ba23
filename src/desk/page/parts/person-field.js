import { api } from '../api.js';
import { html, nothing } from '../lit.js';
import { change, state } from '../state.js';
import { fullName, nameOf } from '../words.js';

/** Distinguishes people with the same name. */
const wordsOf = (person) =>
  person.email && person.email !== fullName(person)
    ? `${fullName(person)} (${person.email})`
    : fullName(person);

let typing;
let turn = 0;

/** Searches for people. Of two concurrent searches, the later one wins. */
async function find(key, text) {
  const mine = ++turn;
  const { items } = await api.users({ search: text, limit: 20 });
  const people = items.filter(({ isBot }) => !isBot);
  for (const person of people) state.people.set(person.id, person);
  if (mine === turn) change({ found: { ...state.found, [key]: people } });
}

/** A field that finds a person by name and searches when typing pauses. Empty means nobody. */
export function personField({ key, label, value, onPick, name, required, placeholder, autofocus }) {
  const found = state.found[key] ?? [];
  const chosen = (text) => {
    const named = found.filter((person) => [wordsOf(person), fullName(person)].includes(text));
    return named.length === 1 ? named[0] : undefined;
  };
  // Leaving the field would report a chosen person a second time.
  const take = (id, target) => {
    target.dataset.taken = target.value;
    onPick(id, target);
  };
  const input = ({ target }) => {
    clearTimeout(typing);
    target.setCustomValidity('');
    delete target.dataset.taken;
    const person = found.find((each) => wordsOf(each) === target.value);
    if (person) return take(person.id, target);
    typing = setTimeout(() => void find(key, target.value.trim()).catch(() => undefined), 200);
  };
  const settle = ({ target }) => {
    const text = target.value.trim();
    if (text === nameOf(value) || target.value === target.dataset.taken) return;
    const person = chosen(text);
    if (person || text === '') return take(person?.id ?? null, target);
    target.setCustomValidity('Pick a person from the list.');
    target.reportValidity();
  };
  // A field that is emptied right after a pick, before it loses focus, fires no `change` event.
  const leave = (event) => {
    if (event.target.value.trim() === '') settle(event);
  };
  const enter = (event) => {
    if (event.key !== 'Enter') return;
    // Enter chooses the person and does not submit the surrounding form.
    event.preventDefault();
    delete event.target.dataset.taken;
    settle(event);
  };
  return html`
    <label class="field">
      <span>${label}</span>
      <input
        name=${name ?? nothing}
        list=${`people-${key}`}
        autocomplete="off"
        placeholder=${placeholder ?? 'Nobody'}
        ?required=${required}
        ?autofocus=${autofocus}
        .value=${nameOf(value)}
        @focus=${() => found.length === 0 && void find(key, '').catch(() => undefined)}
        @input=${input}
        @change=${settle}
        @blur=${leave}
        @keydown=${enter}
      />
    </label>
    <datalist id=${`people-${key}`}>
      ${found.map((person) => html`<option value=${wordsOf(person)}></option>`)}
    </datalist>
  `;
}
