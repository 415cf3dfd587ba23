import { parseDate } from '@internationalized/date';
import { CalendarDays } from 'lucide-react';
import { Dialog, DialogTrigger } from 'react-aria-components/Dialog';
import { Popover } from 'react-aria-components/Popover';
import { useFormatter, useTranslations } from 'use-intl';

import { Button } from '../../../kit/button.tsx';
import { DayChooser } from '../../ticket/date-chooser.tsx';
import styles from './day-field.module.css';

/** A day (`2026-12-24`), from a calendar, or none; where it is required, the chosen one stays. */
export function DayField({
  label,
  value,
  isRequired = false,
  onChange,
}: {
  label: string;
  value: string | undefined;
  isRequired?: boolean;
  onChange: (day: string | undefined) => void;
}) {
  const t = useTranslations('access.auditLog');
  const format = useFormatter();
  const text = value
    ? format.dateTime(new Date(value), { dateStyle: 'medium', timeZone: 'UTC' })
    : t('anyDay');
  return (
    <DialogTrigger>
      <Button aria-label={`${label}: ${text}`}>
        <CalendarDays size={14} aria-hidden /> {value ? `${label} ${text}` : label}
      </Button>
      <Popover className={styles['popover'] ?? ''} placement="bottom start" offset={4}>
        <Dialog aria-label={label} className={styles['dialog'] ?? ''}>
          {({ close }) => {
            const choose = (day: string | undefined) => {
              close();
              onChange(day);
            };
            return (
              <>
                <DayChooser
                  label={label}
                  value={value ? parseDate(value) : null}
                  onChange={(day) => choose(day.toString())}
                />
                {value && !isRequired && <Button onPress={() => choose(undefined)}>{t('anyDay')}</Button>}
              </>
            );
          }}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
