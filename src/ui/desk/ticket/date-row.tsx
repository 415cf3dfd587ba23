import { lazy, Suspense } from 'react';
import { Dialog, DialogTrigger } from 'react-aria-components/Dialog';
import { Popover } from 'react-aria-components/Popover';
import { useFormatter, useTranslations } from 'use-intl';

import type { TicketDetail } from '../api/types.ts';
import { Loading } from '../kit/states.tsx';
import type { Opening } from './opening.ts';
import styles from './details.module.css';
import { Row, Value } from './row.tsx';

const DateChooser = lazy(() =>
  import('./date-chooser.tsx').then(({ DateChooser }) => ({ default: DateChooser })),
);

/** A point in time of the ticket, chosen from quick choices or a calendar. */
export function DateRow({
  ticket,
  name,
  label,
  empty,
  keys,
  opening,
  onOpening,
  onChange,
}: {
  ticket: TicketDetail;
  name: 'dueAt' | 'snoozeUntil';
  label: string;
  empty: string;
  keys?: string;
  opening: Opening | undefined;
  onOpening: (which: Opening | undefined) => void;
  onChange: (at: string | null, text: string) => void;
}) {
  const t = useTranslations('ticket');
  const format = useFormatter();
  const which = name === 'dueAt' ? 'dueAt' : 'snooze';
  const at = ticket[name];
  const textOf = (date: Date) => format.dateTime(date, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <Row label={label}>
      <DialogTrigger
        isOpen={opening === which}
        onOpenChange={(isOpen) => onOpening(isOpen ? which : undefined)}
      >
        <Value label={label} text={at ? textOf(new Date(at)) : empty} isEmpty={!at} {...(keys && { keys })} />
        <Popover className={styles['popover'] ?? ''} placement="bottom end" offset={4}>
          <Dialog aria-label={label} className={styles['dialog'] ?? ''}>
            {({ close }) => (
              <Suspense fallback={<Loading rows={3} />}>
                <DateChooser
                  kind={name === 'dueAt' ? 'due' : 'snooze'}
                  value={at}
                  removeLabel={name === 'dueAt' ? t('removeDate') : t('endSnooze')}
                  onChoose={(date) => {
                    close();
                    onChange(date ? date.toISOString() : null, date ? textOf(date) : '');
                  }}
                />
              </Suspense>
            )}
          </Dialog>
        </Popover>
      </DialogTrigger>
    </Row>
  );
}
