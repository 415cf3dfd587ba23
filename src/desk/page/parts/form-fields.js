import { html, nothing } from '../lit.js';
import { change, state } from '../state.js';
import { PRIORITIES } from '../words.js';
import { select } from './bits.js';
import { personField } from './person-field.js';

/** A ticket's own field that a question stands for is asked above. */
const ASKED_ABOVE = ['TITLE', 'DESCRIPTION', 'PRIORITY', 'REQUESTER'];
const TEXTS = { TEXT: 'text', NUMBER: 'number', DATE: 'date', TIME: 'time', DATETIME: 'datetime-local' };

const nameOfField = ({ customField }) => `field ${customField.key}`;

/** The questions of a request type that are asked now, in order: what hangs on another answer waits for it. */
function asked(form) {
  const given = state.created?.given ?? {};
  const fields = form.customFields.toSorted((a, b) => a.order - b.order);
  const isAsked = ({ parentId, dependsOnValue }) => {
    const parent = fields.find(({ id }) => id === parentId);
    if (!parent) return true;
    const value = [given[parent.customField.key] ?? ''].flat();
    return (
      isAsked(parent) && (dependsOnValue === null ? value.some(Boolean) : value.includes(dependsOnValue))
    );
  };
  return fields.filter((field) => !ASKED_ABOVE.includes(field.ticketField) && isAsked(field));
}

const give = (key, value) =>
  change({ created: { ...state.created, given: { ...state.created?.given, [key]: value } } });

export function formFields(form) {
  return html`<fieldset class="fields">
    <legend>${form.name}</legend>
    ${asked(form).map(question)}
  </fieldset>`;
}

function question(field) {
  const { customField } = field;
  const { key, label, type, options, description } = customField;
  const required = field.required || customField.required;
  const name = nameOfField(field);
  const value = state.created?.given?.[key];
  const values = options.map((option) => [option.value, option.value]);
  const common = { name, label, required };
  switch (type) {
    case 'HEADING':
      return html`<h2>${label}</h2>`;
    case 'DIVIDER':
      return html`<hr />`;
    case 'TEXT_BLOCK':
      return html`<p class="dim">${description ?? label}</p>`;
    case 'TEXT_AREA':
      return html`<label class="field">
        <span>${label}</span>
        <textarea name=${name} rows="3" ?required=${required}></textarea>
      </label>`;
    case 'BOOLEAN':
      return html`<label class="check">
        <input
          type="checkbox"
          name=${name}
          @change=${({ target }) => give(key, String(target.checked))}
        />${label}
      </label>`;
    case 'SELECT':
      return select({
        ...common,
        value,
        options: [['', 'Choose…'], ...values],
        onChange: (chosen) => give(key, chosen),
      });
    case 'MULTI_SELECT':
      return html`<fieldset class="checks">
        <legend>${label}</legend>
        ${values.map(
          ([each]) =>
            html`<label class="check">
              <input
                type="checkbox"
                name=${name}
                value=${each}
                @change=${({ target }) =>
                  give(
                    key,
                    target.checked ? [...(value ?? []), each] : (value ?? []).filter((one) => one !== each),
                  )}
              />${each}
            </label>`,
        )}
      </fieldset>`;
    case 'PRIORITY_SELECT':
      return select({ ...common, value, options: [['', 'Choose…'], ...Object.entries(PRIORITIES)] });
    case 'STATUS_SELECT':
      return select({
        ...common,
        value,
        options: [['', 'Choose…'], ...state.statuses.map((status) => [status.id, status.label])],
      });
    case 'USER_SELECT':
      return personField({ ...common, key: name, value: value ?? null, onPick: (id) => give(key, id) });
    default:
      // Of several people, tags and files chat asks; here they can be added once the ticket is there.
      return TEXTS[type]
        ? html`<label class="field">
            <span>${label}</span>
            <input
              name=${name}
              type=${TEXTS[type]}
              step=${type === 'NUMBER' ? 'any' : nothing}
              ?required=${required}
            />
          </label>`
        : nothing;
  }
}

/** What was answered, as the service takes it; what was left empty is not sent. */
export function readFields(form, element) {
  const given = new FormData(element);
  const entries = asked(form).map((field) => {
    const { key, type } = field.customField;
    const name = nameOfField(field);
    const one = given.get(name);
    if (type === 'USER_SELECT') return [key, state.created?.given?.[key] ?? null];
    if (type === 'BOOLEAN') return [key, one !== null];
    if (type === 'MULTI_SELECT') return [key, given.getAll(name)];
    if (one === null || one === '') return [key, null];
    if (type === 'NUMBER') return [key, Number(one)];
    if (type === 'DATETIME') return [key, new Date(one).toISOString()];
    return [key, one];
  });
  return Object.fromEntries(
    entries.filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)),
  );
}
