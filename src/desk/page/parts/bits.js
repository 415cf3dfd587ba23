import { html, live, nothing, ref } from '../lit.js';
import { state } from '../state.js';

/** The error of an action, shown next to it. */
export function refusal(place) {
  return state.errors[place] ? html`<p class="refusal">${state.errors[place]}</p>` : nothing;
}

/**
 * One function for all renders: lit calls a new one on every render, and before the element is in the page.
 */
const showModal = (dialog) => queueMicrotask(() => dialog?.isConnected && dialog.showModal());

/** A select; `options` are `[value, label]`, or `{ label, options }` for a group. */
export function select({ label, value, options, onChange, name, required, disabled }) {
  // Without a listener the select keeps the user's choice; with one it shows the saved value, also after a
  // refusal.
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

/** Calls `act` on Ctrl+Enter or ⌘+Enter. */
export const onCtrlEnter = (act) => (event) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  act(event);
};

/** Adds the current value to the options if it is missing there. */
export function withPresent(options, value, words) {
  const isThere = options.some((each) =>
    Array.isArray(each) ? each[0] === value : each.options.some(([id]) => id === value),
  );
  return isThere ? options : [[value, words], ...options];
}

/** A modal dialog; Escape, its button or its opener closes it. */
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
