import { html, nothing } from '../lit.js';
import { state } from '../state.js';
import { localInstant, PRIORITIES } from '../words.js';
import { select, withPresent } from './bits.js';
import { addressesField, peopleField, tagsField } from './chips.js';
import { personField } from './person-field.js';

const INPUTS = { TEXT: 'text', NUMBER: 'number', DATE: 'date', TIME: 'time', DATETIME: 'datetime-local' };

/** Fields of these types only show something. */
const SILENT = {
  HEADING: ({ label }) => html`<h2>${label}</h2>`,
  DIVIDER: () => html`<hr />`,
  TEXT_BLOCK: ({ label, description }) => html`<p class="dim">${description ?? label}</p>`,
};

export const isQuestion = ({ type }) => !(type in SILENT);

/**
 * An input for a custom field, by its type; `value` is the service's, null for none. `onChange` gets the new
 * value on every input event, or with `onLeave` when the field loses focus: then a refused text stays.
 */
export function customField(field, { key, value, required = false, onLeave = false, onChange }) {
  const { label, type } = field;
  const choice = (options, words) =>
    select({
      label,
      required,
      value: String(value ?? ''),
      options: withPresent([['', required ? 'Choose…' : 'None'], ...options], String(value ?? ''), words),
      onChange: (chosen) => onChange(chosen === '' ? null : chosen),
    });
  const list = Array.isArray(value) ? value : [];
  const options = () => field.options.toSorted((a, b) => a.order - b.order).map((option) => option.value);
  // The service stores the id or the value of an option.
  const named = (given) => field.options.find(({ id }) => id === given)?.value ?? given;
  switch (type) {
    case 'BOOLEAN':
      return select({
        label,
        required,
        value: String(value ?? ''),
        options: [
          ['', required ? 'Choose…' : 'None'],
          ['true', 'Yes'],
          ['false', 'No'],
        ],
        onChange: (chosen) => onChange(chosen === '' ? null : chosen === 'true'),
      });
    case 'SELECT':
      value = named(value);
      return choice(
        options().map((each) => [each, each]),
        value,
      );
    case 'MULTI_SELECT':
      return checks(label, [...new Set([...options(), ...list.map(named)])], list.map(named), onChange);
    case 'PRIORITY_SELECT':
      return choice(Object.entries(PRIORITIES), value);
    case 'STATUS_SELECT':
      return choice(
        state.statuses.map((status) => [status.id, status.label]),
        'A removed status',
      );
    case 'USER_SELECT':
      return personField({ key, label, value, required, onPick: onChange });
    case 'USER_MULTI_SELECT':
      return peopleField({ key, label, ids: list, onChange });
    case 'TAG_SELECT':
      return tagsField({
        label,
        ids: list,
        onAdd: (id) => onChange([...list, id]),
        onRemove: (id) => onChange(list.filter((each) => each !== id)),
      });
    case 'FILE_PICKER':
      return addressesField({ label, addresses: list, onChange });
    case 'TEXT_AREA':
      return typed(
        label,
        { value, onLeave, onChange },
        ({ text, leave, input }) =>
          html`<textarea
            rows="3"
            ?required=${required}
            .value=${text}
            @blur=${leave}
            @input=${input}
          ></textarea>`,
      );
    default:
      return SILENT[type]?.(field) ?? (INPUTS[type] ? oneLine() : nothing);
  }

  function oneLine() {
    return typed(label, { type, value, onLeave, onChange }, ({ text, leave, input }) =>
      onLeave
        ? html`<input type=${INPUTS[type]} step=${STEP[type] ?? nothing} .value=${text} @blur=${leave} />`
        : // Sets the initial value only: a partly typed number or date has no value, so a render would erase it.
          html`<input
            type=${INPUTS[type]}
            step=${STEP[type] ?? nothing}
            ?required=${required}
            value=${text}
            @input=${input}
          />`,
    );
  }
}

const STEP = { NUMBER: 'any' };

function typed(label, { type, value, onLeave, onChange }, control) {
  const text = type === 'DATETIME' ? localInstant(value) : String(value ?? '');
  const read = (given) => {
    if (given.trim() === '') return null;
    if (type === 'NUMBER') return Number(given);
    return type === 'DATETIME' ? new Date(given).toISOString() : given;
  };
  const leave = ({ target }) => {
    if (onLeave && target.validity.valid && target.value !== text) onChange(read(target.value.trim()));
  };
  const input = ({ target }) => !onLeave && onChange(read(target.value));
  return html`<label class="field"><span>${label}</span>${control({ text, leave, input })}</label>`;
}

function checks(label, options, chosen, onChange) {
  return html`<fieldset class="checks">
    <legend>${label}</legend>
    ${options.map(
      (each) =>
        html`<label class="check">
          <input
            type="checkbox"
            .checked=${chosen.includes(each)}
            @change=${({ target }) =>
              onChange(target.checked ? [...chosen, each] : chosen.filter((one) => one !== each))}
          />${each}
        </label>`,
    )}
  </fieldset>`;
}
