import { html, live, nothing } from '../../lit.js';

// Controlled fields of a draft that is saved as a whole; they report every input event.

export function line(label, value, onInput, { type = 'text', required, maxlength = 500, min, step } = {}) {
  return html`<label class="field">
    <span>${label}</span>
    <input
      type=${type}
      ?required=${required}
      maxlength=${type === 'text' ? maxlength : nothing}
      min=${min ?? nothing}
      step=${step ?? nothing}
      .value=${live(String(value ?? ''))}
      @input=${({ target }) => onInput(target.value)}
    />
  </label>`;
}

export function lines(label, value, onInput, { rows = 2, required } = {}) {
  return html`<label class="field">
    <span>${label}</span>
    <textarea
      rows=${rows}
      ?required=${required}
      .value=${live(value ?? '')}
      @input=${({ target }) => onInput(target.value)}
    ></textarea>
  </label>`;
}

export function check(label, checked, onChange) {
  return html`<label class="check">
    <input
      type="checkbox"
      .checked=${live(checked)}
      @change=${({ target }) => onChange(target.checked)}
    />${label}
  </label>`;
}
