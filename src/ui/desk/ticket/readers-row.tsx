import { useTranslations } from 'use-intl';

import type { TicketDetail } from '../api/types.ts';
import { Late } from '../../kit/late.tsx';
import { Opener } from '../../kit/opener.tsx';
import { part } from '../../kit/part.ts';
import { Loading } from '../kit/states.tsx';
import { useAudienceChannel } from './audience-channel.ts';
import styles from './details.module.css';
import { useReaders, useReadersText } from './readers.ts';
import { Row, Value } from './row.tsx';

const Panel = part(() => import('../../kit/panel.tsx').then(({ Panel }) => Panel));
const ReadersPanel = part(() => import('./readers-panel.tsx').then(({ ReadersPanel }) => ReadersPanel));

/** Summarizes who can read the ticket; a press shows the full list. Hidden if the service has no visibility. */
export function ReadersRow({ ticket }: { ticket: TicketDetail }) {
  const t = useTranslations('ticket');
  const readers = useReaders(ticket);
  const textOf = useReadersText(ticket);
  const channel = useAudienceChannel(ticket);
  if (!readers) return null;
  const label = t('readers.label');
  return (
    <Row label={label}>
      <Opener button={<Value label={label} text={textOf(readers)} />} opens="dialog">
        {({ trigger, close }) => (
          <Panel
            label={t('readers.title')}
            trigger={trigger}
            placement="bottom end"
            look={{ popover: styles['popover'] ?? '', dialog: styles['dialog'] ?? '' }}
            onClose={close}
          >
            <Late meanwhile={<Loading rows={3} />}>
              <ReadersPanel ticket={ticket} readers={readers} />
            </Late>
          </Panel>
        )}
      </Opener>
      {channel && <span className={styles['below']}>{channel.text}</span>}
    </Row>
  );
}
