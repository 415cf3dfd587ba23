import { useTranslations } from 'use-intl';

import { useChoices } from '../api/query.ts';
import { Button } from '../../kit/button.tsx';
import { TextField } from '../../kit/field.tsx';
import { Picker } from '../../kit/picker.tsx';
import styles from './analytics.module.css';
import { type Question, RANGES } from './question.ts';

/** One of several, with its name above. */
export function Choice({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: { id: string; text: string }[];
  value: string;
  onChange: (id: string) => void;
}) {
  return (
    <div className={styles['choice']}>
      <span>{label}</span>
      <Picker label={label} options={options} selected={[value]} onChange={([id]) => onChange(id ?? '')}>
        <Button aria-label={`${label}: ${options.find(({ id }) => id === value)?.text ?? ''}`}>
          {options.find(({ id }) => id === value)?.text}
        </Button>
      </Picker>
    </div>
  );
}

interface Props {
  question: Pick<Question, 'range' | 'from' | 'to'>;
  ask: (part: Partial<Question>) => void;
}

/** A period that ends now, or days of one's own. */
export function PeriodChoice({ question, ask }: Props) {
  const t = useTranslations('analytics');
  return (
    <>
      <Choice
        label={t('period')}
        options={RANGES.map((id) => ({ id, text: t(`ranges.${id}`) }))}
        value={question.range}
        onChange={(id) => ask({ range: id as '30d' })}
      />
      {question.range === 'own' &&
        (['from', 'to'] as const).map((key) => (
          <TextField
            key={key}
            label={t(key)}
            type="date"
            value={question[key] ?? ''}
            onChange={(value) => ask({ [key]: value || undefined })}
          />
        ))}
    </>
  );
}

/** One queue, or all. */
export function QueueChoice({
  queueId,
  ask,
}: Pick<Props, 'ask'> & {
  queueId: string | undefined;
}) {
  const t = useTranslations('analytics');
  const queues = useChoices('listQueues');
  return (
    <Choice
      label={t('queue')}
      options={[{ id: '', text: t('allQueues') }, ...queues.map(({ id, name }) => ({ id, text: name }))]}
      value={queueId ?? ''}
      onChange={(id) => ask({ queueId: id || undefined })}
    />
  );
}
