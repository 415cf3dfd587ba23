import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { IconButton } from '../../../kit/button.tsx';
import { Switch, TextField } from '../../../kit/field.tsx';
import { SavedSign } from '../parts/fields.tsx';
import { useInTurn, useSaved, whenShown } from '../../kit/use-saved.ts';
import styles from './week.module.css';

export interface Span {
  day: number;
  from: string;
  to: string;
}

const DAYS = [1, 2, 3, 4, 5, 6, 7] as const;
const TIME = /^(\d{1,2})(?:[:.]?(\d{2}))?$/;

/** A time of day as people type it (`9`, `9.30`, `0930`) as `09:30`; undefined if it is none. */
function timeOf(text: string): string | undefined {
  const [, hours, minutes = '00'] = TIME.exec(text.trim()) ?? [];
  if (hours === undefined) return undefined;
  const isTime = Number(hours) < 24 ? Number(minutes) < 60 : hours === '24' && minutes === '00';
  return isTime ? `${hours.padStart(2, '0')}:${minutes}` : undefined;
}

const inOrder = (spans: readonly Span[]) =>
  spans.toSorted((one, other) => one.day - other.day || (one.from < other.from ? -1 : 1));

/** "Mon–Fri 09:00–17:00": days that have the same hours together. */
export function useWeekText(): (days: readonly Span[]) => string {
  const t = useTranslations('settings.hours');
  return (days) => {
    const ofDay = (day: number) =>
      inOrder(days.filter((span) => span.day === day))
        .map(({ from, to }) => `${from}–${to}`)
        .join(', ');
    const runs: { first: number; last: number; text: string }[] = [];
    for (const day of DAYS) {
      const text = ofDay(day);
      const before = runs.at(-1);
      if (!text) continue;
      if (before?.text === text && before.last === day - 1) before.last = day;
      else runs.push({ first: day, last: day, text });
    }
    const name = (day: number) => t(`weekdays.d${DAYS[day - 1] ?? 1}`).slice(0, 3);
    return runs
      .map(
        ({ first, last, text }) => `${first === last ? name(first) : `${name(first)}–${name(last)}`} ${text}`,
      )
      .join('; ');
  };
}

/** The hours of each day of the week; a day may have several. Written when a field is left. */
export function Week({ days, save }: { days: readonly Span[]; save: (days: Span[]) => Promise<unknown> }) {
  const t = useTranslations('settings.hours');
  const saved = useSaved();
  const inTurn = useInTurn();
  const [typed, setTyped] = useState<readonly Span[]>();
  const [wrong, setWrong] = useState<string>();
  const spans = typed ?? inOrder(days);
  const commit = async (next: readonly Span[]) => {
    const clean = next.map(({ day, from, to }) => ({ day, from: timeOf(from), to: timeOf(to) }));
    const isTimes = (span: (typeof clean)[number]): span is Span =>
      span.from !== undefined && span.to !== undefined;
    setTyped(next);
    if (!clean.every(isTimes)) {
      setWrong(t('wrongTime'));
      return;
    }
    if (clean.some(({ from, to }) => to <= from)) {
      setWrong(t('wrongOrder'));
      return;
    }
    setWrong(undefined);
    if (!saved.isSaving && JSON.stringify(inOrder(clean)) === JSON.stringify(inOrder(days))) {
      setTyped(undefined);
      return;
    }
    if (await saved.save(() => inTurn(() => save(inOrder(clean)))))
      whenShown(() => setTyped((now) => (now === next ? undefined : now)));
  };
  return (
    <div className={styles['week']}>
      {DAYS.map((day) => {
        const own = spans.flatMap((span, index) => (span.day === day ? [{ span, index }] : []));
        const name = t(`weekdays.d${day}`);
        return (
          <div key={day} className={styles['day']} role="group" aria-label={name}>
            <Switch
              label={name}
              isSelected={own.length > 0}
              onChange={(isOn) =>
                void commit(
                  isOn
                    ? [...spans, { day, from: '09:00', to: '17:00' }]
                    : spans.filter((span) => span.day !== day),
                )
              }
            />
            <div className={styles['spans']}>
              {own.length === 0 && <span className={styles['closed']}>{t('closed')}</span>}
              {own.map(({ span, index }) => {
                const put = (part: Partial<Span>) => spans.with(index, { ...span, ...part });
                return (
                  <div key={index} className={styles['span']}>
                    <TextField
                      label={t('from', { day: name })}
                      value={span.from}
                      onChange={(from) => setTyped(put({ from }))}
                      onBlur={() => void commit(spans)}
                      maxLength={5}
                      autoComplete="off"
                      isInvalid={timeOf(span.from) === undefined}
                    />
                    <span aria-hidden>{t('until')}</span>
                    <TextField
                      label={t('to', { day: name })}
                      value={span.to}
                      onChange={(to) => setTyped(put({ to }))}
                      onBlur={() => void commit(spans)}
                      maxLength={5}
                      autoComplete="off"
                      isInvalid={timeOf(span.to) === undefined}
                    />
                    {own.length > 1 && (
                      <IconButton
                        label={t('removeSpan', { from: span.from, to: span.to, day: name })}
                        onPress={() => void commit(spans.filter((_, at) => at !== index))}
                      >
                        <X size={14} aria-hidden />
                      </IconButton>
                    )}
                  </div>
                );
              })}
            </div>
            {own.length > 0 && (
              <IconButton
                label={t('addSpan', { day: name })}
                onPress={() => {
                  const last = own.at(-1)?.span.to ?? '12:00';
                  // Only shown: written once its times are right.
                  setTyped([...spans, { day, from: timeOf(last) ?? last, to: '' }]);
                }}
              >
                <Plus size={14} aria-hidden />
              </IconButton>
            )}
          </div>
        );
      })}
      {wrong && (
        <p role="alert" className={styles['error']}>
          {wrong}
        </p>
      )}
      <SavedSign of={saved} />
    </div>
  );
}
