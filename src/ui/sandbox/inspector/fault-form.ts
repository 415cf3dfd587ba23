import { api } from '../api.ts';
import { attempt } from '../attempt.ts';
import { h } from '../dom.ts';
import { field } from '../parts/field.ts';
import { store } from '../store.ts';
import { inspector } from './state.ts';

interface Field {
  name: string;
  label: string;
  value: string | number;
  type?: string;
  choices?: string[];
}
type Kind = [value: string, label: string, fields?: Field[]];

const NUMBER = (name: string, label: string, value: number): Field => ({
  name,
  label,
  value,
  type: 'number',
});

/** The kinds of faults, with the additional fields of each. */
export const CALL_KINDS: readonly Kind[] = [
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
export const EVENT_KINDS: readonly Kind[] = [
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
export function faultForm({
  what,
  kinds,
  target,
}: {
  what: 'faults' | 'events';
  kinds: readonly Kind[];
  target: { name: string; label: string; fallback: string };
}): HTMLElement {
  const extra = h('div.form-row');
  const kind = choice(
    'kind',
    kinds.map(([value, label]) => [value, label] as const),
  );
  const drawExtra = () => {
    const [, , fields = []] = kinds.find(([value]) => value === kind.value) ?? [];
    extra.replaceChildren(...fields.map(drawField));
  };
  kind.addEventListener('change', drawExtra);
  drawExtra();
  return h(
    'details.fault-form',
    h('summary', 'Custom fault'),
    h(
      'form',
      {
        onsubmit: (event) => {
          event.preventDefault();
          const fault = read(event.currentTarget);
          void attempt(inspector.asked(api.setFaults({ [what]: [fault] })));
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
            ...store.channels.filter(({ name }) => name).map(({ id, name }) => [id, `#${name}`] as const),
          ]),
        }),
        field({ label: 'Times', control: input('times', '1', 'number') }),
      ),
      h('button.primary', { type: 'submit' }, 'Switch on'),
    ),
  );
}

function drawField({ name, label, value, type, choices }: Field): HTMLElement {
  return field({
    label,
    control: choices
      ? choice(
          name,
          choices.map((each) => [each, each] as const),
        )
      : input(name, value, type),
  });
}

const input = (name: string, value: string | number, type = 'text') =>
  h('input.block-input', { name, type, value, autocomplete: 'off', min: type === 'number' ? 0 : undefined });

const choice = (name: string, options: readonly (readonly [value: string, label: string])[]) =>
  h(
    'select.block-input',
    { name },
    options.map(([value, label]) => h('option', { value }, label)),
  );

/** The values of the form; the sandbox fills in empty ones. */
function read(form: HTMLFormElement): Record<string, string | number> {
  const fault: Record<string, string | number> = {};
  for (const [name, value] of new FormData(form)) {
    const isNumber = form.querySelector(`[name="${name}"]`)?.matches('[type=number]');
    if (typeof value === 'string' && value !== '') fault[name] = isNumber ? Number(value) : value;
  }
  return fault;
}
