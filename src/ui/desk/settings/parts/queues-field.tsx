import { useChoices } from '../../api/query.ts';
import { RadioChoices } from './radio-choices.tsx';
import { SeveralOf } from './several-of.tsx';

interface Texts {
  /** "Queues". */
  queues: string;
  all: string;
  allHelp: string;
  some: string;
  someHelp: string;
  /** "Queues of this agent". */
  chosen: string;
  /** "Add queue". */
  add: string;
}

/** All queues (null), or only some. */
export function QueuesField({
  texts,
  value,
  first,
  onChange,
}: {
  texts: Texts;
  value: readonly string[] | null;
  /** Those that are chosen at first, when not all are. */
  first: string[];
  onChange: (ids: string[] | null) => void;
}) {
  return (
    <>
      <RadioChoices
        label={texts.queues}
        value={value === null ? 'all' : 'some'}
        options={[
          { id: 'all', text: texts.all, help: texts.allHelp },
          { id: 'some', text: texts.some, help: texts.someHelp },
        ]}
        onChange={(next) => onChange(next === 'all' ? null : first)}
      />
      {value !== null && (
        <SeveralQueues label={texts.chosen} add={texts.add} value={value} onChange={onChange} />
      )}
    </>
  );
}

/** Some of the queues. */
export function SeveralQueues({
  value,
  ...props
}: {
  label: string;
  help?: string;
  add: string;
  value: readonly string[];
  onChange: (ids: string[]) => void;
}) {
  const queues = useChoices('listQueues');
  return (
    <SeveralOf
      {...props}
      options={queues.map(({ id, name, prefix, emoji }) => ({
        id,
        text: name,
        detail: prefix,
        ...(emoji && { sign: emoji }),
      }))}
      selected={value}
    />
  );
}
