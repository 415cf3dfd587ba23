import { CalendarOff } from 'lucide-react';
import { useFormatter, useNow, useTranslations } from 'use-intl';

import type { Person } from '../api/types.ts';
import styles from './away.module.css';

const MINUTE = 60_000;

type Absent = Partial<Pick<Person, 'absence'>> | null | undefined;

/** Says until when a person is away; undefined for who is here, or only away later. */
export function useAwayText(): (person: Absent) => string | undefined {
  const t = useTranslations('common');
  const format = useFormatter();
  const now = useNow({ updateInterval: MINUTE });
  return (person) => {
    if (!person?.absence) return undefined;
    const [from, until] = [new Date(person.absence.from), new Date(person.absence.until)];
    if (from > now || until <= now) return undefined;
    const isWhole = until.getHours() === 0 && until.getMinutes() === 0;
    // Of whole days the last one is named, not the midnight after it.
    const last = isWhole ? new Date(until.getTime() - 1) : until;
    const isToday = !isWhole && last.toDateString() === now.toDateString();
    const time = isToday
      ? format.dateTime(last, { hour: 'numeric', minute: '2-digit' })
      : format.dateTime(last, { month: 'short', day: 'numeric' });
    return t('awayUntil', { time });
  };
}

/** The same beside or below a name; nothing for who is here. */
export function Away({ person }: { person: Absent }) {
  const text = useAwayText()(person);
  if (!text) return null;
  return (
    <span className={styles['away']}>
      <CalendarOff size={12} aria-hidden />
      {text}
    </span>
  );
}
