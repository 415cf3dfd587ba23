import { useState } from 'react';

import { NativeButton } from '../../kit/native-button.tsx';
import { type LabelledControl, NativeField, NativeInput, NativeSelect } from '../../kit/native-field.tsx';
import { api } from '../api.ts';
import { store } from '../store.ts';
import { applyChange } from './apply-change.ts';

interface Field {
  name: string;
  label: string;
  /** A number takes only numbers. */
  value: string | number;
  choices?: string[];
}
type Kind = [value: string, label: string, fields?: Field[]];

const NUMBER = (name: string, label: string, value: number): Field => ({ name, label, value });

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
          <NativeField label="What">
            {(control) => (
              <NativeSelect
                {...control}
                name="kind"
                value={kind}
                onChange={(event) => setKind(event.currentTarget.value)}
                options={kinds.map(([value, label]) => [value, label])}
              />
            )}
          </NativeField>
          <NativeField label={target.label} help="* is all of them">
            {(control) => <NativeInput {...control} name={target.name} defaultValue={target.fallback} />}
          </NativeField>
        </div>
        <div className="form-row">
          {fields.map((field) => (
            <NativeField key={`${kind} ${field.name}`} label={field.label}>
              {(control) => <FieldControl control={control} field={field} />}
            </NativeField>
          ))}
        </div>
        <div className="form-row">
          <NativeField label="Channel">
            {(control) => (
              <NativeSelect
                {...control}
                name="channel"
                options={[['', 'any'], ...channels.map(({ id, name }) => [id, `#${name}`] as const)]}
              />
            )}
          </NativeField>
          <NativeField label="Times">
            {(control) => <NativeInput {...control} name="times" type="number" min={0} defaultValue={1} />}
          </NativeField>
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
  field: { name, value, choices },
}: {
  control: LabelledControl;
  field: Field;
}) {
  if (choices) return <NativeSelect {...control} name={name} options={choices.map((each) => [each, each])} />;
  const isNumber = typeof value === 'number';
  return (
    <NativeInput
      {...control}
      name={name}
      defaultValue={value}
      {...(isNumber && { type: 'number', min: 0 })}
    />
  );
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
