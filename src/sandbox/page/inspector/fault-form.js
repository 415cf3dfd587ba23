import { api } from '../api.js';
import { attempt } from '../attempt.js';
import { h } from '../dom.js';
import { field } from '../parts/field.js';
import { store } from '../store.js';
import { inspector } from './state.js';

const NUMBER = (name, label, value, extra = {}) => ({ name, label, value, type: 'number', ...extra });

/** The kinds of faults, with the additional fields of each. */
export const CALL_KINDS = [
  ['rate_limited', 'Rate limited (429)', [NUMBER('retryAfter', 'Retry after, seconds', 1)]],
  ['http_error', 'Server error (5xx)', [NUMBER('status', 'Status', 500)]],
  ['error', 'Error of the method', [{ name: 'error', label: 'Error', value: 'internal_error' }]],
  ['slow', 'Slow', [NUMBER('ms', 'Milliseconds', 5000)]],
  ['hang', 'No answer at all', [NUMBER('ms', 'Milliseconds', 30_000)]],
  ['cut', 'Cut before the work'],
  ['answer_lost', 'Answer lost after the work'],
  ['half_answer', 'Half an answer'],
  ['html', 'A page instead of JSON'],
  ['refused', 'Connection refused'],
];
export const EVENT_KINDS = [
  ['duplicate', 'Duplicate', [NUMBER('copies', 'Copies', 1)]],
  ['delay', 'Delay', [NUMBER('ms', 'Milliseconds', 5000)]],
  ['reorder', 'Reorder', [NUMBER('window', 'How many', 2), NUMBER('ms', 'Wait at most, ms', 10_000)]],
  ['ack_lost', 'Lose acknowledgements', [NUMBER('acks', 'How many', 1)]],
  ['drop', 'Drop'],
  [
    'cut',
    'Cut the connection',
    [{ name: 'when', label: 'When', value: 'sent', choices: ['sent', 'before_ack', 'after_ack'] }],
  ],
];

/** A form that adds one fault; its fields follow the kind. */
export function faultForm({ what, kinds, target }) {
  const extra = h('div.form-row');
  const kind = choice(
    'kind',
    kinds.map(([value, label]) => [value, label]),
  );
  const drawExtra = () => {
    const [, , fields = []] = kinds.find(([value]) => value === kind.value);
    extra.replaceChildren(...fields.map(drawField));
  };
  kind.addEventListener('change', drawExtra);
  drawExtra();
  return h(
    'details.fault-form',
    h('summary', 'One of your own'),
    h(
      'form',
      {
        onsubmit: (event) => {
          event.preventDefault();
          const fault = read(event.currentTarget);
          attempt(inspector.asked(api.setFaults({ [what]: [fault] })));
        },
      },
      h(
        'div.form-row',
        field({ label: 'What', control: kind }),
        field({
          label: target.label,
          control: input(target.name, target.fallback),
          hint: '* is all of them',
        }),
      ),
      extra,
      h(
        'div.form-row',
        field({
          label: 'Channel',
          control: choice('channel', [
            ['', 'any'],
            ...store.channels.filter(({ name }) => name).map(({ id, name }) => [id, `#${name}`]),
          ]),
        }),
        field({ label: 'Times', control: input('times', '1', 'number') }),
      ),
      h('button.primary', { type: 'submit' }, 'Switch on'),
    ),
  );
}

function drawField({ name, label, value, type, choices }) {
  return field({
    label,
    control: choices
      ? choice(
          name,
          choices.map((each) => [each, each]),
        )
      : input(name, value, type),
  });
}

const input = (name, value, type = 'text') =>
  h('input.block-input', { name, type, value, autocomplete: 'off', min: type === 'number' ? 0 : undefined });

const choice = (name, options) =>
  h(
    'select.block-input',
    { name },
    options.map(([value, label]) => h('option', { value }, label)),
  );

/** The values of the form; the sandbox fills in empty ones. */
function read(form) {
  const fault = {};
  for (const { name, value, type } of form.elements)
    if (name && value !== '') fault[name] = type === 'number' ? Number(value) : value;
  return fault;
}
