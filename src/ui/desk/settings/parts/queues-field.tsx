import { useTranslations } from 'use-intl';

import { useChoices } from '../../api/query.ts';
import { RadioChoices } from './radio-choices.tsx';
import { SeveralOf } from './several-of.tsx';

/** All queues (null), or only some. */
export function QueuesField({
  of,
  value,
  first,
  onChange,
}: {
  /** The texts: of an agent, or of a key. */
  of: 'access.people' | 'access.apiKeys';
  value: readonly string[] | null;
  /** The queues that are selected first, if not all are. */
  first: string[];
  onChange: (ids: string[] | null) => void;
}) {
  const t = useTranslations(of);
  return (
    <>
      <RadioChoices
        label={t('queues')}
        value={value === null ? 'all' : 'some'}
        options={[
          { id: 'all', text: t('allQueues'), help: t('allQueuesHelp') },
          { id: 'some', text: t('someQueues'), help: t('someQueuesHelp') },
        ]}
        onChange={(next) => onChange(next === 'all' ? null : first)}
      />
      {value !== null && (
        <SeveralQueues label={t('itsQueues')} add={t('addQueue')} value={value} onChange={onChange} />
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
