import { X } from 'lucide-react';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';

import { Button, IconButton } from '../../../kit/button.tsx';
import { TextField } from '../../../kit/field.tsx';
import { SavedSign } from '../parts/fields.tsx';
import { useSavedValue } from '../../kit/use-saved.ts';
import styles from './week.module.css';

interface Holiday {
  date: string;
  name: string;
}

/** Dates without working time, in their order. */
export function Holidays({
  holidays,
  save,
}: {
  holidays: readonly Holiday[];
  save: (holidays: readonly Holiday[]) => Promise<unknown>;
}) {
  const t = useTranslations('settings');
  const format = useFormatter();
  const { shown, saved, choose } = useSavedValue(holidays, save);
  const [date, setDate] = useState('');
  const [name, setName] = useState('');
  const sorted = shown.toSorted((one, other) => (one.date < other.date ? -1 : 1));
  const add = async () => {
    if (!date || !name.trim()) return;
    const others = sorted.filter((holiday) => holiday.date !== date);
    setDate('');
    setName('');
    if (await choose([...others, { date, name: name.trim() }])) return;
    // The next one may be typed already.
    setDate((now) => now || date);
    setName((now) => now || name);
  };
  return (
    <div className={styles['holidays']}>
      {sorted.length === 0 && <p className={styles['closed']}>{t('hours.noHolidays')}</p>}
      {sorted.length > 0 && (
        <ul aria-label={t('hours.holidays')}>
          {sorted.map((holiday) => (
            <li key={holiday.date}>
              <time dateTime={holiday.date}>
                {format.dateTime(new Date(`${holiday.date}T00:00:00Z`), {
                  dateStyle: 'medium',
                  timeZone: 'UTC',
                })}
              </time>
              {holiday.name}
              <IconButton
                label={t('removeName', { name: holiday.name })}
                onPress={() => void choose(sorted.filter((each) => each.date !== holiday.date))}
              >
                <X size={14} aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      <form
        className={styles['add']}
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <TextField label={t('hours.date')} type="date" value={date} onChange={setDate} />
        <TextField label={t('hours.holidayName')} value={name} onChange={setName} maxLength={200} />
        <Button type="submit" isDisabled={!date || !name.trim()}>
          {t('hours.addHoliday')}
        </Button>
      </form>
      <SavedSign of={saved} />
    </div>
  );
}
