import { askedFields } from '../asked-fields.js';
import { html, nothing } from '../lit.js';
import { state } from '../state.js';
import { write } from '../write.js';
import { refusal } from './bits.js';
import { customField, isQuestion } from './custom-field.js';

/**
 * A ticket's custom fields, by their type: those that its request type asks for, else those that it has. One
 * that stands for a field of the ticket is edited there.
 */
export function customFields(record) {
  const given = record.customFields ?? {};
  const form = state.forms.find(({ id }) => id === record.requestTypeId);
  const asked = form
    ? askedFields(form, given)
        .filter(({ ticketField }) => !ticketField)
        .map((field) => field.customField)
    : [];
  const own = form?.customFields.filter(({ ticketField }) => ticketField) ?? [];
  const known = [...asked, ...own.map((field) => field.customField)].map(({ key }) => key);
  const others = Object.entries(given).filter(([key, value]) => value !== null && !known.includes(key));
  const fields = [
    ...asked,
    // If the request type has fields, the service leaves all others unchanged.
    ...(known.length > 0
      ? []
      : others.flatMap(([key]) => state.fields.find((field) => field.key === key) ?? [])),
  ].filter(isQuestion);
  const shown = others.filter(([key]) => !fields.some((field) => field.key === key));
  if (fields.length === 0 && shown.length === 0) return nothing;
  return html`<div class="fields" role="group" aria-label="Fields of the request">
    ${fields.map((field) => one(record, field))}
    ${shown.map(([key, value]) => html`<p class="field"><span>${labelOf(key)}</span>${wordsOf(value)}</p>`)}
  </div>`;
}

function one(record, field) {
  const { key } = field;
  const place = `field-${key}`;
  return html`${customField(field, {
    key: place,
    value: record.customFields?.[key] ?? null,
    onLeave: true,
    onChange: (value) => void write(place, { customFields: { [key]: value } }),
  })}
  ${refusal(`fact ${place}`)}`;
}

const labelOf = (key) => state.fields.find((field) => field.key === key)?.label ?? key;

const wordsOf = (value) =>
  [value].flat().every((each) => typeof each !== 'object')
    ? [value].flat().join(', ')
    : JSON.stringify(value);
