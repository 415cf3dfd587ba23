import { html, live, nothing, ref } from '../lit.js';
import { state } from '../state.js';

/** Why what was tried in this place was refused. */
export function refusal(place) {
  return state.errors[place] ? html`<p class="refusal">${state.errors[place]}</p>` : nothing;
}

/** Named once: lit calls it when the element comes, not at every drawing, and before it is in the page. */
const showModal = (dialog) => queueMicrotask(() => dialog?.isConnected && dialog.showModal());

/** A choice out of a list; `options` are `[value, words]`, or `{ label, options }` for a group of such. */
export function select({ label, value, options, onChange, name, required, disabled }) {
  // One that nobody listens to keeps what was chosen; any other shows what is true, also after a refusal.
  const chosen = (isIt) => (onChange ? live(isIt) : isIt);
  const one = ([each, words]) =>
    html`<option value=${each} .selected=${chosen(each === (value ?? ''))}>${words}</option>`;
  return html`
    <label class="field">
      <span>${label}</span>
      <select
        name=${name ?? nothing}
        ?required=${required}
        ?disabled=${disabled}
        @change=${(event) => onChange?.(event.target.value, event.target)}
      >
        ${options.map((each) =>
          Array.isArray(each)
            ? one(each)
            : html`<optgroup label=${each.label}>${each.options.map(one)}</optgroup>`,
        )}
      </select>
    </label>
  `;
}

/** Ctrl+Enter, or with the key that stands for it elsewhere, does `act`. */
export const onCtrlEnter = (act) => (event) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  act(event);
};

/** The choice that a record has is offered even where the list does not have it. */
export function withPresent(options, value, words) {
  const isThere = options.some((each) =>
    Array.isArray(each) ? each[0] === value : each.options.some(([id]) => id === value),
  );
  return isThere ? options : [[value, words], ...options];
}

/** A modal dialog; closed by Escape, by its button or by its opener. */
export function modal(title, close, content) {
  return html`
    <dialog class="modal" aria-labelledby="modal-title" @cancel=${close} ${ref(showModal)}>
      <header>
        <h2 id="modal-title">${title}</h2>
        <span class="spring"></span>
        <button class="quiet" @click=${close}>Close</button>
      </header>
      ${content}
    </dialog>
  `;
}
