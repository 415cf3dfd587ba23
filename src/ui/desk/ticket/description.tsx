import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { nameOf } from '../api/people.ts';
import type { Person, TicketDetail } from '../api/types.ts';
import type { FileRecord } from '../files/record.ts';
import { Avatar } from '../kit/avatar.tsx';
import { IconButton } from '../../kit/button.tsx';
import { useCommands } from '../kit/commands.ts';
import { Late } from '../../kit/late.tsx';
import { part } from '../../kit/part.ts';
import { Time } from '../kit/time.tsx';
import { Files } from './files.tsx';
import { Content } from './message.tsx';
import styles from './thread.module.css';

const EditDescription = part(() =>
  import('./edit-description.tsx').then(({ EditDescription }) => EditDescription),
);

/** Sources of tickets whose author typed the description. */
const WRITTEN: ReadonlySet<string> = new Set(['WEB', 'FORM']);

/** The description, as the requester's first message; or of somebody who logged the ticket for them at the desk. */
export function Description({
  ticket,
  canChange,
  requester,
  author,
}: {
  ticket: TicketDetail;
  canChange: boolean;
  requester: Person | undefined;
  author: Person | undefined;
}) {
  const t = useTranslations('ticket');
  const [isEdited, setEdited] = useState(false);
  const { description, html, createdAt, source, requesterId } = ticket;
  const name = requesterId ? nameOf(requester) : t('nobody');
  // In chat it is the requester's own message, whoever made it a ticket.
  const logger = author && author.id !== requesterId && WRITTEN.has(source ?? '') ? author : undefined;
  const files = (ticket as { files?: FileRecord[] }).files ?? [];
  useCommands(
    canChange
      ? [
          {
            id: 'edit-description',
            group: t('group'),
            label: t('editDescription'),
            run: () => setEdited(true),
          },
        ]
      : [],
  );
  return (
    <div className={styles['message']} data-kind="asked">
      <header className={styles['head']}>
        <Avatar person={logger ?? requester} />
        <strong>{logger ? nameOf(logger) : name}</strong>
        {logger && <span className={styles['dim']}>{t('loggedFor', { name })}</span>}
        {source === 'CHAT' && <span className={styles['dim']}>{t('inChat')}</span>}
        {source === 'EMAIL' && <span className={styles['dim']}>{t('byEmail')}</span>}
        <Time at={createdAt} />
        {canChange && !isEdited && (
          <span className={styles['act']}>
            <IconButton label={t('editDescription')} onPress={() => setEdited(true)}>
              <Pencil size={13} aria-hidden />
            </IconButton>
          </span>
        )}
      </header>
      {isEdited ? (
        <Late>
          <EditDescription ticket={ticket} onClose={() => setEdited(false)} />
        </Late>
      ) : description ? (
        <Content content={description} html={html} />
      ) : (
        files.length === 0 && <p className={styles['dim']}>{t('noDescription')}</p>
      )}
      <Files files={files} />
    </div>
  );
}
