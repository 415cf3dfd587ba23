import { useState } from 'react';

import { NativeButton } from '../../kit/native-button.tsx';
import { api } from '../api.ts';
import { Labelled, type LabelledControl } from '../parts/labelled.tsx';
import { store } from '../store.ts';
import { applyChange } from './apply-change.ts';

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
export function FaultForm({
  what,
  kinds,
  target,
}: {
  what: 'faults' | 'events';
  kinds: readonly Kind[];
  target: { name: string; label: string; fallback: string };
}) {
  const [kind, setKind] = useState(kinds[0]?.[0] ?? '');
  const [, , fields = []] = kinds.find(([value]) => value === kind) ?? [];
  const channels = store.channels.filter(({ name }) => name !== '');
  return (
    <details className="fault-form">
      <summary>Custom fault</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          applyChange(api.setFaults({ [what]: [faultIn(event.currentTarget)] }));
        }}
      >
        <div className="form-row">
          <Labelled label="What">
            {(control) => (
              <select
                {...control}
                className="block-input"
                name="kind"
                value={kind}
                onChange={(event) => setKind(event.currentTarget.value)}
              >
                <Options options={kinds.map(([value, label]) => [value, label])} />
              </select>
            )}
          </Labelled>
          <Labelled label={target.label} hint="* is all of them">
            {(control) => <Input control={control} name={target.name} value={target.fallback} />}
          </Labelled>
        </div>
        <div className="form-row">
          {fields.map((field) => (
            <Labelled key={`${kind} ${field.name}`} label={field.label}>
              {(control) => <FieldControl control={control} field={field} />}
            </Labelled>
          ))}
        </div>
        <div className="form-row">
          <Labelled label="Channel">
            {(control) => (
              <select {...control} className="block-input" name="channel">
                <Options
                  options={[['', 'any'], ...channels.map(({ id, name }) => [id, `#${name}`] as const)]}
                />
              </select>
            )}
          </Labelled>
          <Labelled label="Times">
            {(control) => <Input control={control} name="times" value="1" type="number" />}
          </Labelled>
        </div>
        <NativeButton type="submit" kind="primary">
          Switch on
        </NativeButton>
      </form>
    </details>
  );
}

function FieldControl({
  control,
  field: { name, value, type, choices },
}: {
  control: LabelledControl;
  field: Field;
}) {
  if (!choices) return <Input control={control} name={name} value={value} type={type} />;
  return (
    <select {...control} className="block-input" name={name}>
      <Options options={choices.map((each) => [each, each])} />
    </select>
  );
}

function Input({
  control,
  name,
  value,
  type = 'text',
}: {
  control: LabelledControl;
  name: string;
  value: string | number;
  type?: string | undefined;
}) {
  return (
    <input
      {...control}
      className="block-input"
      name={name}
      type={type}
      defaultValue={value}
      autoComplete="off"
      min={type === 'number' ? 0 : undefined}
    />
  );
}

function Options({ options }: { options: readonly (readonly [value: string, label: string])[] }) {
  return options.map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
}

/** The values of the form; the sandbox fills in empty ones. */
function faultIn(form: HTMLFormElement): Record<string, string | number> {
  const fault: Record<string, string | number> = {};
  for (const [name, value] of new FormData(form)) {
    const isNumber = form.querySelector(`[name="${name}"]`)?.matches('[type=number]');
    if (typeof value === 'string' && value !== '') fault[name] = isNumber ? Number(value) : value;
  }
  return fault;
}
