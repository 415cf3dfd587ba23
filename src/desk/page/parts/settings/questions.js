import { put } from '../../form-preview.js';
import { html, nothing, repeat } from '../../lit.js';
import {
  asksNothing,
  edited,
  keepEdited,
  KINDS,
  known,
  newQuestion,
  questionOfField,
  SHOWN,
} from '../../request-type.js';
import { focusOn, say } from '../../state.js';
import { select } from '../bits.js';
import { mover } from '../order.js';
import { questionFields } from './question-fields.js';

const nameOf = ({ label, type }) => label.trim() || (type === 'DIVIDER' ? 'Line' : 'Without words');
const open = (id) => keepEdited({ opened: id });

/** The questions of the form, in order. */
export function questions() {
  const { draft } = edited();
  return html`<section class="asks" aria-labelledby="questions-title">
    <h2 id="questions-title">Questions</h2>
    ${
      draft.questions.length === 0
        ? html`<p class="dim">None of its own: the form asks for a title and a description.</p>`
        : html`<ol class="ordered">
            ${repeat(draft.questions, ({ id }) => id, row)}
          </ol>`
    }
    ${add()}
  </section>`;
}

function row(question, index) {
  const { id, type, required, parentId } = question;
  const { draft, opened } = edited();
  const name = nameOf(question);
  const move = async (to) => moveTo(question, to);
  return html`<li data-question=${id}>
    <div class="line">
      ${mover({ words: `“${name}”`, index, count: draft.questions.length, onMove: move })}
      <strong>${name}</strong>
      <span class="dim">
        ${KINDS[type] ?? SHOWN[type] ?? type}${required && !asksNothing(question) ? ', required' : ''}${parentId ? ', sometimes' : ''}
      </span>
      <span class="spring"></span>
      <button
        type="button"
        class="quiet"
        aria-expanded=${opened === id}
        aria-label=${`Change “${name}”`}
        @click=${() => open(opened === id ? null : id)}
      >
        Change
      </button>
      <button type="button" class="quiet" aria-label=${`Remove “${name}”`} @click=${() => remove(question)}>
        Remove
      </button>
    </div>
    ${opened === id ? questionFields(question) : nothing}
  </li>`;
}

function moveTo(question, to) {
  const others = edited().draft.questions.filter((each) => each !== question);
  put({ questions: others.toSpliced(to, 0, question) });
  say(`“${nameOf(question)}” is number ${to + 1} of ${others.length + 1}.`);
}

/** Questions that depended on it are then always asked. */
function remove(question) {
  const all = edited().draft.questions;
  const index = all.indexOf(question);
  const rest = all
    .filter((each) => each !== question)
    .map((each) =>
      each.parentId === question.id ? { ...each, parentId: null, dependsOnValue: null } : each,
    );
  put({ questions: rest });
  say(`${nameOf(question)} is removed from this form.`);
  const next = rest[Math.min(index, rest.length - 1)];
  focusOn(next ? `[data-question="${CSS.escape(next.id)}"] [aria-expanded]` : '[name="new-kind"]');
}

function append(question) {
  put({ questions: [...edited().draft.questions, question] });
  open(question.id);
  focusOn(`[data-question="${CSS.escape(question.id)}"] :is(input, textarea)`);
}

/** Adds a new question, or an existing field of the workspace. */
function add() {
  const { draft } = edited();
  const isHere = ({ id }) => draft.questions.some(({ customFieldId }) => customFieldId === id);
  const others = known().fields.filter((field) => !isHere(field));
  return html`<div class="row-form">
    ${select({
      label: 'Add a question, answered with…',
      name: 'new-kind',
      value: '',
      options: [
        ['', 'Choose…'],
        { label: 'Asks', options: Object.entries(KINDS) },
        { label: 'Shows', options: Object.entries(SHOWN) },
      ],
      onChange: (type) => type && append(newQuestion(type)),
    })}
    ${
      others.length > 0
        ? select({
            label: 'Add a question of another request type',
            value: '',
            options: [['', 'Choose…'], ...others.map(({ id, label, key }) => [id, `${label} (${key})`])],
            onChange: (id) => id && append(questionOfField(others.find((field) => field.id === id))),
          })
        : nothing
    }
  </div>`;
}
