import { html } from '../lit.js';
import { askedFields } from '../asked-fields.js';
import { customField, isQuestion } from './custom-field.js';

/** A question that stands for a field of the ticket is asked above. */
const ASKED_ABOVE = ['TITLE', 'DESCRIPTION', 'PRIORITY', 'REQUESTER'];

const questions = (form, given) =>
  askedFields(form, given).filter(({ ticketField }) => !ASKED_ABOVE.includes(ticketField));

/** The questions of a request type; `onGive` gets the values with the new one. */
export function formFields(form, given, onGive) {
  return html`<fieldset class="fields">
    <legend>${form.name}</legend>
    ${questions(form, given).map(({ customField: field, required }) =>
      customField(field, {
        key: `new-${field.key}`,
        value: given[field.key] ?? null,
        required: required || field.required,
        onChange: (value) => onGive({ ...given, [field.key]: value }),
      }),
    )}
  </fieldset>`;
}

const isAnswered = (value) => ![undefined, null, ''].includes(value) && value.length !== 0;

/** The answers as the service expects them, with the ticket fields that they stand for. */
export function readFields(form, given) {
  const answered = questions(form, given).filter(
    ({ customField: field }) => isQuestion(field) && isAnswered(given[field.key]),
  );
  const valueOf = ({ customField: { key } }) =>
    typeof given[key] === 'string' ? given[key].trim() : given[key];
  const own = answered.map((field) => OWN[field.ticketField]?.(valueOf(field)) ?? {});
  return {
    ...Object.assign({}, ...own),
    customFields: Object.fromEntries(answered.map((field) => [field.customField.key, valueOf(field)])),
  };
}

const OWN = {
  STATUS: (statusId) => ({ statusId }),
  ASSIGNEE: (assigneeId) => ({ assigneeId }),
  APPROVERS: (people) => ({ approverIds: [people].flat() }),
  FOLLOWERS: (people) => ({ followers: [people].flat().map((id) => ({ id })) }),
  // A due day ends at midnight in the time zone of the person who asks.
  DUE_DATE: (at) => ({ dueAt: new Date(at.length === 10 ? `${at}T23:59:59` : at).toISOString() }),
};
