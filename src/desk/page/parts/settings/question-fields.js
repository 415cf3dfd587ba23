import { putQuestion } from '../../form-preview.js';
import { html, nothing } from '../../lit.js';
import { asksNothing, edited, hasChoices } from '../../request-type.js';
import { state } from '../../state.js';
import { PRIORITIES } from '../../words.js';
import { select } from '../bits.js';
import { check, line, lines } from './draft-fields.js';

const TICKET_FIELDS = [
  ['', 'Nothing'],
  ['TITLE', 'The title'],
  ['DESCRIPTION', 'The description'],
  ['STATUS', 'The status'],
  ['PRIORITY', 'The priority'],
  ['REQUESTER', 'The requester'],
  ['ASSIGNEE', 'The assignee'],
  ['APPROVERS', 'The approvers'],
  ['FOLLOWERS', 'The followers'],
  ['DUE_DATE', 'The due date'],
];

/** All fields of one question. */
export function questionFields(question) {
  const { id, type, label, hint, key, elsewhere } = question;
  const put = (part) => putQuestion(id, part);
  const isText = type === 'TEXT_BLOCK';
  return html`<div class="q-fields">
    ${
      type === 'DIVIDER'
        ? nothing
        : line('Words', label, (words) => put({ label: words }), { required: true })
    }
    ${
      isText || !asksNothing(question)
        ? lines(isText ? 'Text to read' : 'Hint below it', hint, (words) => put({ hint: words }))
        : nothing
    }
    ${hasChoices(question) ? choices(question, put) : nothing}
    ${asksNothing(question) ? nothing : answerFields(question, put)} ${condition(question, put)}
    ${
      elsewhere > 0
        ? html`<p class="dim">
            ${elsewhere === 1 ? 'Used by another request type' : `Used by ${elsewhere} other request types`}
            this too: words, hint, choices and limits change there as well.
          </p>`
        : nothing
    }
    ${key ? html`<p class="dim">Programs know the answer as <code>${key}</code>.</p>` : nothing}
  </div>`;
}

/** One choice per line. An existing choice keeps its other fields; empty lines are ignored. */
function choices({ options, text, saved }, put) {
  // A choice that is removed and typed again is the existing one.
  const before = [...(saved ? (JSON.parse(saved).options ?? []) : []), ...options];
  const known = new Map(before.map((option) => [option.value, option]));
  const read = (typed) => {
    const words = [...new Set(typed.split('\n').map((each) => each.trim()))].filter(Boolean);
    put({ text: typed, options: words.map((value) => known.get(value) ?? { value }) });
  };
  return lines('Choices, one per line', text ?? options.map(({ value }) => value).join('\n'), read, {
    rows: Math.min(8, Math.max(3, options.length + 1)),
    required: true,
  });
}

function answerFields(question, put) {
  const { type, required, everywhere, isPrivate, ticketField, config } = question;
  const set = (part) => {
    const given = Object.entries({ ...config, ...part }).filter(([, value]) => value !== null);
    put({ config: Object.fromEntries(given) });
  };
  const number = (label, key) =>
    line(label, config[key], (text) => set({ [key]: text === '' ? null : Number(text) }), {
      type: 'number',
      step: type === 'NUMBER' ? 'any' : 1,
      min: type === 'NUMBER' ? undefined : 0,
    });
  const hasPlaceholder = !['BOOLEAN', 'DATETIME', 'FILE_PICKER'].includes(type);
  const isText = type === 'TEXT' || type === 'TEXT_AREA';
  return html`
    ${check('Required', required, (is) => put({ required: is, everywhere: is && everywhere }))}
    ${check('Only the team sees the answer', isPrivate, (is) => put({ isPrivate: is }))}
    <div class="fields">
      ${
        hasPlaceholder
          ? line('Placeholder', config.placeholder, (text) => set({ placeholder: text || null }), {
              maxlength: 150,
            })
          : nothing
      }
      ${
        type === 'TEXT'
          ? select({
              label: 'It takes',
              value: config.format ?? '',
              options: [
                ['', 'any words'],
                ['email', 'an e-mail address'],
                ['url', 'a web address'],
              ],
              onChange: (format) => set({ format: format || null }),
            })
          : nothing
      }
      ${isText ? [number('Characters at least', 'min'), number('Characters at most', 'max')] : nothing}
      ${type === 'NUMBER' ? [number('At least', 'min'), number('At most', 'max')] : nothing}
      ${select({
        label: 'It also fills',
        value: ticketField ?? '',
        options: TICKET_FIELDS,
        onChange: (field) => put({ ticketField: field || null }),
      })}
    </div>
    ${
      type === 'NUMBER'
        ? check('Whole numbers only', config.decimals === false, (is) => set({ decimals: is ? false : null }))
        : nothing
    }
  `;
}

/** The condition for asking it: always, or depending on the answer to another question. */
function condition({ id, parentId, dependsOnValue }, put) {
  const all = edited().draft.questions;
  const parent = all.find((each) => each.id === parentId);
  const others = all.filter((each) => !asksNothing(each) && !hangsOn(each, id));
  if (others.length === 0) return nothing;
  const values = parent ? valuesOf(parent) : [];
  const isKnown = dependsOnValue === null || values.some(([value]) => value === dependsOnValue);
  return html`<div class="fields">
    ${select({
      label: 'It is asked',
      value: parentId ?? '',
      options: [['', 'always'], ...others.map(({ id: other, label }) => [other, `depending on “${label}”`])],
      onChange: (other) => put({ parentId: other || null, dependsOnValue: null }),
    })}
    ${
      parent
        ? select({
            label: 'Where the answer is',
            value: dependsOnValue ?? '',
            options: [
              ['', 'anything'],
              ...values,
              ...(isKnown ? [] : [[dependsOnValue, `${dependsOnValue} (removed choice)`]]),
            ],
            onChange: (value) => put({ dependsOnValue: value || null }),
          })
        : nothing
    }
  </div>`;
}

/** Whether a question is this one or depends on it: two that depend on each other would never be asked. */
function hangsOn(question, id) {
  const all = edited().draft.questions;
  const seen = new Set();
  for (let at = question; at && !seen.has(at); at = all.find((each) => each.id === at.parentId)) {
    if (at.id === id) return true;
    seen.add(at);
  }
  return false;
}

/** The answers that a condition can name; for text, numbers and people it only checks that there is one. */
function valuesOf({ type, options }) {
  switch (type) {
    case 'BOOLEAN':
      return [
        ['true', 'Yes'],
        ['false', 'No'],
      ];
    case 'SELECT':
    case 'MULTI_SELECT':
      return options.map(({ value }) => [value, value]);
    case 'PRIORITY_SELECT':
      return Object.entries(PRIORITIES);
    case 'STATUS_SELECT':
      return state.statuses.map((status) => [status.id, status.label]);
    default:
      return [];
  }
}
