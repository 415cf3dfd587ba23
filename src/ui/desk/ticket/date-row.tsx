import { useFormatter, useTranslations } from 'use-intl';

import { Late } from '../../kit/late.tsx';
import { part } from '../../kit/part.ts';
import type { TicketDetail } from '../api/types.ts';
import { Opener } from '../../kit/opener.tsx';
import { Loading } from '../kit/states.tsx';
import type { Opening } from './opening.ts';
import styles from './details.module.css';
import { Row, Value } from './row.tsx';

const Panel = part(() => import('../../kit/panel.tsx').then(({ Panel }) => Panel));
const DateChooser = part(() => import('./date-chooser.tsx').then(({ DateChooser }) => DateChooser));

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
      <Opener
        button={
          <Value
            label={label}
            text={at ? textOf(new Date(at)) : empty}
            isEmpty={!at}
            {...(keys && { keys })}
          />
        }
        opens="dialog"
        isOpen={opening === which}
        onOpenChange={(isOpen) => onOpening(isOpen ? which : undefined)}
      >
        {({ trigger, close }) => (
          <Panel
            label={label}
            trigger={trigger}
            placement="bottom end"
            look={{ popover: styles['popover'] ?? '', dialog: styles['dialog'] ?? '' }}
            onClose={close}
          >
            <Late meanwhile={<Loading rows={3} />}>
              <DateChooser
                kind={name === 'dueAt' ? 'due' : 'snooze'}
                value={at}
                removeLabel={name === 'dueAt' ? t('removeDate') : t('endSnooze')}
                onChoose={(date) => {
                  close();
                  onChange(date ? date.toISOString() : null, date ? textOf(date) : '');
                }}
              />
            </Late>
          </Panel>
        )}
      </Opener>
    </Row>
  );
}
