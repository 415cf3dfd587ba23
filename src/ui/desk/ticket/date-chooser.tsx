import { CalendarDate } from '@internationalized/date';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Button as Pressable } from 'react-aria-components/Button';
import {
  Calendar,
  CalendarCell,
  CalendarGrid,
  CalendarGridBody,
  CalendarGridHeader,
  CalendarHeaderCell,
} from 'react-aria-components/Calendar';
import { Heading } from 'react-aria-components/Heading';
import { useFormatter, useTranslations } from 'use-intl';

import { snoozeTimes } from '../list/snooze-times.ts';
import { Button } from '../../kit/button.tsx';
import { TextField } from '../../kit/field.tsx';
import { readTimeOfDay } from '../kit/time-of-day.ts';
import { withTexts } from '../kit/more-texts.tsx';
import { dates } from '../messages/dialogs.ts';
import styles from './details.module.css';

const DAY_MS = 24 * 60 * 60_000;

const dayOf = (date: Date) => new CalendarDate(date.getFullYear(), date.getMonth() + 1, date.getDate());

type Quick = 'laterToday' | 'thisEvening' | 'tomorrow' | 'tomorrowEvening' | 'nextMonday' | 'inAWeek';

function quickChoices(kind: 'due' | 'snooze', now: Date): { id: Quick; at: Date }[] {
  if (kind === 'snooze') return snoozeTimes(now);
  const evening = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 17);
  const all: { id: Quick; at: Date }[] = [
    { id: 'thisEvening', at: evening(0) },
    { id: 'tomorrowEvening', at: evening(1) },
    { id: 'inAWeek', at: evening(7) },
  ];
  return all.filter(({ at }) => at > now);
}

const TEXTS = { dates };

/** A date alone, from a calendar. */
export const DayChooser = withTexts(TEXTS, Days);

function Days({
  label,
  value,
  onChange,
}: {
  label: string;
  value: CalendarDate | null;
  onChange: (day: CalendarDate) => void;
}) {
  const t = useTranslations('dates');
  return (
    <Calendar
      aria-label={label}
      className={styles['calendar'] ?? ''}
      value={value}
      onChange={(day) => onChange(new CalendarDate(day.year, day.month, day.day))}
    >
      <header>
        <Pressable slot="previous" aria-label={t('previousMonth')}>
          <ChevronLeft size={16} aria-hidden />
        </Pressable>
        <Heading />
        <Pressable slot="next" aria-label={t('nextMonth')}>
          <ChevronRight size={16} aria-hidden />
        </Pressable>
      </header>
      <CalendarGrid>
        <CalendarGridHeader>{(day) => <CalendarHeaderCell>{day}</CalendarHeaderCell>}</CalendarGridHeader>
        <CalendarGridBody>
          {(date) => <CalendarCell date={date} className={styles['day'] ?? ''} />}
        </CalendarGridBody>
      </CalendarGrid>
    </Calendar>
  );
}

/** The day on which a time falls in the person's own time zone, as its midnight. */
export function MidnightChooser({
  label,
  value,
  onChange,
}: {
  label: string;
  value: Date | null;
  onChange: (midnight: Date) => void;
}) {
  return (
    <DayChooser
      label={label}
      value={value && dayOf(value)}
      onChange={({ year, month, day }) => onChange(new Date(year, month - 1, day))}
    />
  );
}

/** A point in time: one of the usual ones, or a day of the calendar with a time. */
export const DateChooser = withTexts(TEXTS, Times);

function Times({
  kind,
  value,
  removeLabel,
  onChoose,
}: {
  /** A snooze ends in the future; a due date may have passed. */
  kind: 'due' | 'snooze';
  value: string | null;
  removeLabel: string;
  onChoose: (date: Date | null) => void;
}) {
  const t = useTranslations('dates');
  const format = useFormatter();
  const [now] = useState(() => new Date());
  const given = value ? new Date(value) : undefined;
  const [isPicking, setPicking] = useState(false);
  const [day, setDay] = useState(() => dayOf(given ?? new Date(now.getTime() + DAY_MS)));
  const usual = given ?? new Date(now.getFullYear(), now.getMonth(), now.getDate(), kind === 'due' ? 17 : 9);
  const [time, setTime] = useState(() => format.dateTime(usual, { timeStyle: 'short' }));
  const [error, setError] = useState<string>();
  const choose = () => {
    const read = readTimeOfDay(time);
    if (read === undefined) {
      setError(t('timeError', { example: format.dateTime(usual, { timeStyle: 'short' }) }));
      return;
    }
    const date = new Date(day.year, day.month - 1, day.day, read.hours, read.minutes);
    if (kind === 'snooze' && date <= now) setError(t('pastError'));
    else onChoose(date);
  };
  if (isPicking)
    return (
      <form
        className={styles['chooser']}
        onSubmit={(event) => {
          event.preventDefault();
          choose();
        }}
      >
        <DayChooser label={t('pickDate')} value={day} onChange={setDay} />
        <TextField
          label={t('time')}
          value={time}
          onChange={(text) => {
            setTime(text);
            setError(undefined);
          }}
          error={error}
        />
        <Button kind="primary" type="submit">
          {t('set')}
        </Button>
      </form>
    );
  return (
    <ul className={styles['quick']} aria-label={t('quickChoices')}>
      {quickChoices(kind, now).map(({ id, at }, index) => (
        <li key={id}>
          <Pressable autoFocus={index === 0} onPress={() => onChoose(at)} onKeyDown={moveByArrows}>
            <span>{t(id)}</span>
            <span className={styles['dim']}>
              {format.dateTime(at, { weekday: 'short', hour: 'numeric', minute: '2-digit' })}
            </span>
          </Pressable>
        </li>
      ))}
      <li>
        <Pressable onPress={() => setPicking(true)} onKeyDown={moveByArrows}>
          {t('pickDate')}
        </Pressable>
      </li>
      {value && (
        <li>
          <Pressable onPress={() => onChoose(null)} onKeyDown={moveByArrows}>
            {removeLabel}
          </Pressable>
        </li>
      )}
    </ul>
  );
}

/** Arrows move between the choices, as in the other pickers; other keys, such as Escape, are the panel's. */
function moveByArrows(event: { key: string; target: EventTarget; continuePropagation(): void }): void {
  const { key, target } = event;
  if (key !== 'ArrowDown' && key !== 'ArrowUp') {
    event.continuePropagation();
    return;
  }
  const item = (target as HTMLElement).closest('li');
  const next = key === 'ArrowDown' ? item?.nextElementSibling : item?.previousElementSibling;
  next?.querySelector('button')?.focus();
}
