import { useTranslations } from 'use-intl';

import { nameOf, usePeople } from '../api/people.ts';
import { Avatar } from '../kit/avatar.tsx';
import { TextField } from '../../kit/field.tsx';
import { PersonPicker } from '../kit/person-picker.tsx';
import { type Option, Picker } from '../../kit/picker.tsx';
import { PrioritySign } from '../kit/signs.tsx';
import { MAX_CHARACTERS } from '../ticket/text-edits.ts';
import type { Form } from './form.ts';
import { Labelled, opener } from './question.tsx';

export const PRIORITIES = ['URGENT', 'HIGH', 'MEDIUM', 'LOW', 'NO_PRIORITY'] as const;
type Priority = (typeof PRIORITIES)[number];
/** The number of characters left is shown from this number on. */
const NEARLY_FULL = 60;

/** The field *Requester*. */
export function Requester({
  id,
  me,
  error,
  onChange,
}: {
  id: string;
  me: string | null | undefined;
  error: string | undefined;
  onChange: (id: string) => void;
}) {
  const t = useTranslations('newTicket');
  const person = usePeople(id ? [id] : []).get(id);
  return (
    <Labelled label={t('requester')} error={error}>
      <PersonPicker
        label={t('requester')}
        selected={id ? [id] : []}
        first={me ? [me] : []}
        onChange={([chosen]) => onChange(chosen ?? '')}
      >
        {opener(
          t('requester'),
          id ? nameOf(person) : t('whoAsks'),
          !id,
          person && <Avatar person={person} />,
        )}
      </PersonPicker>
    </Labelled>
  );
}

/** One of several, behind a button that shows it. */
export function Chosen({
  label,
  options,
  value,
  help,
  error,
  onChange,
}: {
  label: string;
  options: readonly Option[];
  value: string;
  help?: string | null | undefined;
  error?: string | undefined;
  onChange: (id: string) => void;
}) {
  const t = useTranslations('newTicket');
  const chosen = options.find(({ id }) => id === value);
  return (
    <Labelled label={label} help={help} error={error}>
      <Picker label={label} options={options} selected={[value]} onChange={([id]) => onChange(id ?? '')}>
        {opener(label, chosen?.text ?? t('choose'), !chosen, chosen?.sign)}
      </Picker>
    </Labelled>
  );
}

/** The field *Request type*, with *Something else*. */
export function TypeChoice({
  label,
  types,
  type,
  onChange,
}: {
  label: string;
  types: readonly Form[];
  type: Form | undefined;
  onChange: (id: string) => void;
}) {
  const t = useTranslations('newTicket');
  return (
    <Chosen
      label={label}
      options={[
        { id: '', text: t('anythingElse') },
        ...types.map(({ id, name, emoji, parent }) => ({
          id,
          text: name,
          ...(emoji && { sign: emoji }),
          ...(parent && { group: parent.name }),
        })),
      ]}
      value={type?.id ?? ''}
      onChange={onChange}
    />
  );
}

export function PriorityChoice({ value, onChange }: { value: Priority; onChange: (id: string) => void }) {
  const t = useTranslations('newTicket');
  const common = useTranslations('common');
  return (
    <Chosen
      label={t('priority')}
      options={PRIORITIES.map((id) => ({
        id,
        text: common(`priority.${id}`),
        sign: <PrioritySign priority={id} />,
      }))}
      value={value}
      onChange={onChange}
    />
  );
}

/** The title, and how much room is left once there is little. */
export function Title({
  value,
  isNeeded,
  error,
  onChange,
  autoFocus,
}: {
  value: string;
  isNeeded: boolean;
  error: string | undefined;
  onChange: (title: string) => void;
  autoFocus: boolean;
}) {
  const t = useTranslations('newTicket');
  const left = MAX_CHARACTERS.title - value.length;
  return (
    <TextField
      label={t('titleOf')}
      autoFocus={autoFocus}
      value={value}
      onChange={onChange}
      maxLength={MAX_CHARACTERS.title}
      autoComplete="off"
      validationBehavior="aria"
      isRequired={isNeeded}
      error={error}
      help={left <= NEARLY_FULL ? t('left', { count: left }) : isNeeded ? undefined : t('titleMade')}
    />
  );
}
