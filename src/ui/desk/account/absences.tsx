import { getLocalTimeZone, today } from '@internationalized/date';
import { CalendarOff } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';

import { call, Refusal } from '../api/call.ts';
import { queryClient, useOperation } from '../api/query.ts';
import type { ItemOf } from '../api/types.ts';
import { Button } from '../../kit/button.tsx';
import { Failed, Loading } from '../kit/states.tsx';
import { DayField } from '../settings/parts/day-field.tsx';
import { SavedSign } from '../settings/parts/fields.tsx';
import { useSaved } from '../kit/use-saved.ts';
import { refresh } from '../settings/parts/write.ts';
import styles from './account.module.css';

type Absence = ItemOf<'listAbsences'>;

/**
 * When a person is away, now and later, with how to add and remove it. `frame` puts it in a section of the page;
 * nothing is shown where the service has nothing of the kind.
 */
export function Absences({ userId, frame }: { userId: string; frame: (content: ReactNode) => ReactNode }) {
  const t = useTranslations('account.absences');
  const [since] = useState(() => new Date());
  const { data, error, refetch } = useOperation('listAbsences', {
    query: { userId, endsFrom: since.toISOString(), limit: 100 },
  });
  if (error instanceof Refusal && error.isAbsent) return null;
  if (error) return frame(<Failed error={error} onRetry={() => void refetch()} />);
  if (!data) return frame(<Loading rows={1} />);
  const changed = async () => {
    await refresh(['listAbsences', 'listUsers']);
    await queryClient.invalidateQueries({ queryKey: ['person', userId] });
  };
  return frame(
    <>
      {data.items.length === 0 ? (
        <p className={styles['muted']}>{t('none')}</p>
      ) : (
        <ul className={styles['sessions']}>
          {data.items.map((absence) => (
            <OneAbsence key={absence.id} absence={absence} now={since} changed={changed} />
          ))}
        </ul>
      )}
      <NewAbsence userId={userId} changed={changed} />
    </>,
  );
}

function OneAbsence({
  absence: { id, from, until },
  now,
  changed,
}: {
  absence: Absence;
  now: Date;
  changed: () => Promise<void>;
}) {
  const t = useTranslations('account.absences');
  const format = useFormatter();
  const saved = useSaved();
  // The end is the midnight after the last day.
  const last = new Date(Date.parse(until) - 1);
  const days = format.dateTimeRange(new Date(from), last, { dateStyle: 'medium' });
  const remove = async () => {
    await call('deleteAbsence', { params: { id } });
    await changed();
  };
  return (
    <li>
      <CalendarOff size={18} aria-hidden />
      <div>
        <strong>{days}</strong>
        {new Date(from) <= now && <span className={styles['current']}>{t('now')}</span>}
        <SavedSign of={saved} />
      </div>
      <Button
        size="small"
        aria-label={t('removeName', { days })}
        isPending={saved.isSaving}
        onPress={() => void saved.save(remove)}
      >
        {t('remove')}
      </Button>
    </li>
  );
}

/** Whole days in the time zone of the user who enters them. */
function NewAbsence({ userId, changed }: { userId: string; changed: () => Promise<void> }) {
  const t = useTranslations('account.absences');
  const saved = useSaved();
  const [first, setFirst] = useState(() => today(getLocalTimeZone()).toString());
  const [last, setLast] = useState(first);
  const isWrong = last < first;
  const add = async () => {
    const from = new Date(`${first}T00:00`);
    const until = new Date(`${last}T00:00`);
    until.setDate(until.getDate() + 1);
    const body = { from: from.toISOString(), until: until.toISOString() };
    await call('createAbsence', { params: { id: userId }, body });
    await changed();
  };
  return (
    <div className={styles['absence']}>
      <DayField
        label={t('firstDay')}
        value={first}
        isRequired
        onChange={(day = first) => {
          setFirst(day);
          if (last < day) setLast(day);
        }}
      />
      <DayField label={t('lastDay')} value={last} isRequired onChange={(day = last) => setLast(day)} />
      <Button isDisabled={isWrong} isPending={saved.isSaving} onPress={() => void saved.save(add)}>
        {t('add')}
      </Button>
      {isWrong && <span className={styles['muted']}>{t('wrong')}</span>}
      <SavedSign of={saved} />
    </div>
  );
}
