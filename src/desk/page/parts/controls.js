import { html, live, nothing } from '../lit.js';
import { attempt, change, state } from '../state.js';
import { chooseWorkspace, workspace, workspaces } from '../workspaces.js';
import { refusal, select } from './bits.js';

/** The new values of switches that are being saved, by name. */
const pressed = new Map();

/**
 * A switch with its description. `name` is also the place of its error; `onChange(on)` resolves when `on` is
 * the saved value again.
 */
export function switchRow({ name, label, help, on, onChange }) {
  const press = async ({ target }) => {
    pressed.set(name, target.checked);
    await onChange(target.checked);
    pressed.delete(name);
    change();
  };
  return html`<div class="switch-row">
    <label class="switch">
      <input
        type="checkbox"
        role="switch"
        name=${name}
        aria-describedby=${`about-${name}`}
        .checked=${live(pressed.get(name) ?? on)}
        @change=${press}
      />
      <span>${label}</span>
    </label>
    <p class="dim" id=${`about-${name}`}>${help}</p>
    ${refusal(name)}
  </div>`;
}

/**
 * A field of one line, or of `rows`; typed text stays until another record is shown or the value changes.
 * `help` describes the field.
 */
export function textField({ name, label, value, rows, help, type = 'text', ...limits }) {
  const { required, maxlength, pattern, placeholder, title } = limits;
  const about = help ? `about-${name}` : nothing;
  return html`<label class="field">
    <span>${label}</span>
    ${
      rows
        ? html`<textarea
            name=${name}
            rows=${rows}
            ?required=${required}
            maxlength=${maxlength ?? nothing}
            aria-describedby=${about}
            .value=${value ?? ''}
          ></textarea>`
        : html`<input
            name=${name}
            type=${type}
            autocomplete="off"
            ?required=${required}
            maxlength=${maxlength ?? nothing}
            pattern=${pattern ?? nothing}
            placeholder=${placeholder ?? nothing}
            title=${title ?? nothing}
            aria-describedby=${about}
            .value=${value ?? ''}
          />`
    }
    ${help ? html`<span class="dim" id=${about}>${help}</span>` : nothing}
  </label>`;
}

/** Records to tick, by name, for a form to read with `chosenIn`. */
export function checks(records, chosen) {
  return html`<div class="checks-list">
    ${records.map(
      ({ id, name }) =>
        html`<label class="check">
          <input type="checkbox" name="chosen" value=${id} .checked=${chosen.includes(id)} />
          ${name}
        </label>`,
    )}
  </div>`;
}

export const chosenIn = (form) => new FormData(form).getAll('chosen');

/**
 * A form for a new record, in one line: `create(given)` gets the values by the fields' names. They are
 * cleared when it succeeds. The caller shows the error of its `place`, also when the form is hidden.
 */
export function createForm({ place, title, button, fields, create }) {
  const submit = (event) => {
    event.preventDefault();
    const form = event.target;
    const typed = [...new FormData(form)].map(([name, text]) => [name, text.trim()]);
    void attempt(place, () => create(Object.fromEntries(typed))).then((done) => done && form.reset());
  };
  return html`<h2>${title}</h2>
    <form class="row-form" @submit=${submit}>
      ${fields.map(textField)}
      <button class="primary" ?disabled=${state.busy.has(place)}>${button}</button>
    </form>`;
}

/** Which workspace's settings these are, where the key can access several. */
export function workspaceChoice() {
  if (workspaces().length < 2) return nothing;
  return select({
    label: 'Workspace',
    value: workspace().id,
    options: workspaces().map(({ id, name }) => [id, name]),
    onChange: chooseWorkspace,
  });
}
