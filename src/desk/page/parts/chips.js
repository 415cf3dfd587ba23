import { html, nothing } from '../lit.js';
import { state } from '../state.js';
import { nameOf } from '../words.js';
import { select } from './bits.js';
import { personField } from './person-field.js';

/** A chip with a remove button. */
export function chip(words, remove, shown = words) {
  return html`<span class="chip">
    ${shown}<button type="button" class="quiet" aria-label=${`Remove ${words}`} @click=${remove}>×</button>
  </span>`;
}

function group(label, chips, add) {
  return html`<div class="field" role="group" aria-label=${label}>
    <span>${label}</span>
    ${chips.length > 0 ? html`<span class="chips">${chips}</span>` : nothing} ${add}
  </div>`;
}

/** A field for several people; `onChange` gets their ids. */
export function peopleField({ key, label, add, ids, onChange, beside }) {
  return group(
    label,
    ids.map((id) => chip(nameOf(id) || 'A user', () => onChange(ids.filter((each) => each !== id)))),
    [
      beside ?? nothing,
      personField({
        key,
        label: add ?? `Add to ${label}`,
        value: null,
        placeholder: '',
        onPick: (id, field) => {
          field.value = '';
          if (id && !ids.includes(id)) onChange([...ids, id]);
        },
      }),
    ],
  );
}

/** Tags of the workspace, and those that the workspace no longer has. */
export function tagsField({ label, ids, onAdd, onRemove }) {
  const others = state.tags.filter(({ id }) => !ids.includes(id));
  if (ids.length === 0 && others.length === 0) return nothing;
  const nameOfTag = (id) => state.tags.find((tag) => tag.id === id)?.name ?? 'a tag that is gone';
  return group(
    label,
    ids.map((id) => chip(nameOfTag(id), () => onRemove(id))),
    others.length > 0
      ? select({
          label: label === 'Tags' ? 'Add a tag' : `Add to ${label}`,
          value: '',
          options: [['', '…'], ...others.map(({ id, name }) => [id, name])],
          onChange: onAdd,
        })
      : nothing,
  );
}

const ADDRESS = /^https?:\/\/\S+$/i;

/** The file name of an address: the end of its path. */
function fileName(address) {
  const last = URL.canParse(address) ? new URL(address).pathname.split('/').at(-1) : '';
  try {
    return decodeURIComponent(last) || address;
  } catch {
    return last;
  }
}

/** A value may be any text; only a web address becomes a link. */
export function linkTo(address) {
  return ADDRESS.test(address)
    ? html`<a href=${address} target="_blank" rel="noopener noreferrer">${fileName(address)}</a>`
    : address;
}

/** Web addresses of files: the service stores no files itself. */
export function addressesField({ label, addresses, onChange }) {
  const add = (field) => {
    const address = field.value.trim();
    field.setCustomValidity(
      address === '' || ADDRESS.test(address) ? '' : 'Paste an address that begins with https://',
    );
    if (address === '' || !field.reportValidity()) return;
    field.value = '';
    if (!addresses.includes(address)) onChange([...addresses, address]);
  };
  const enter = (event) => {
    if (event.key !== 'Enter') return;
    // Enter adds the address and does not submit the surrounding form.
    event.preventDefault();
    add(event.target);
  };
  return group(
    label,
    addresses.map((address) =>
      chip(fileName(address), () => onChange(addresses.filter((each) => each !== address)), linkTo(address)),
    ),
    html`<span class="add">
      <input
        type="url"
        inputmode="url"
        aria-label=${`Address of a file for ${label}`}
        placeholder="https://…"
        @keydown=${enter}
        @input=${({ target }) => target.setCustomValidity('')}
      />
      <button type="button" class="plain" @click=${({ target }) => add(target.previousElementSibling)}>
        Add
      </button>
    </span>`,
  );
}
