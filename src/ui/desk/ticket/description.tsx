import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { trimmed } from '../../../contract/blank.ts';
import { nameOf } from '../api/people.ts';
import type { Person, TicketDetail } from '../api/types.ts';
import type { FileRecord } from '../files/record.ts';
import { Avatar } from '../kit/avatar.tsx';
import { Button, IconButton } from '../kit/button.tsx';
import { useCommands } from '../kit/commands.ts';
import { TextField } from '../kit/field.tsx';
import { Time } from '../kit/time.tsx';
import { useChange, useOpened } from './change.ts';
import { Files } from './files.tsx';
import { Content } from './message.tsx';
import styles from './thread.module.css';

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
        <EditDescription ticket={ticket} onClose={() => setEdited(false)} />
      ) : description ? (
        <Content content={description} html={html} />
      ) : (
        files.length === 0 && <p className={styles['dim']}>{t('noDescription')}</p>
      )}
      <Files files={files} />
    </div>
  );
}

function EditDescription({ ticket, onClose }: { ticket: TicketDetail; onClose: () => void }) {
  const t = useTranslations('ticket');
  const common = useTranslations('common');
  const change = useChange(ticket);
  const { opened, renew } = useOpened(ticket);
  const [text, setText] = useState(ticket.description ?? '');
  const [first] = useState(ticket.description ?? '');
  const now = ticket.description ?? '';
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    if (text === (opened.description ?? '')) {
      onClose();
      return;
    }
    setBusy(true);
    // What was typed stays if it was refused.
    const isDone = await change(
      { description: trimmed(text) || null },
      // The page draws the Markdown itself until the server's HTML of it is here.
      {
        said: t('said.description'),
        shown: { html: undefined as unknown as string },
        opened,
        onConflict: renew,
      },
    );
    setBusy(false);
    if (isDone) onClose();
  };
  return (
    <form
      className={styles['edit']}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          void save();
        }
        if (event.key === 'Escape') {
          event.stopPropagation();
          onClose();
        }
      }}
    >
      <TextField
        label={t('description')}
        value={text}
        onChange={setText}
        rows={8}
        maxLength={100_000}
        autoFocus
      />
      {/* What somebody else wrote meanwhile, beside one's own words: both are needed to decide. */}
      <div role="status">
        {now !== first && now !== text && (
          <div className={styles['meanwhile']}>
            <p>{t('changedMeanwhile')}</p>
            {now ? <Content content={now} html={ticket.html} /> : <p>{t('noDescription')}</p>}
          </div>
        )}
      </div>
      <span className={styles['buttons']}>
        <Button kind="primary" size="small" type="submit" isPending={isBusy}>
          {common('save')}
        </Button>
        <Button size="small" onPress={onClose}>
          {common('cancel')}
        </Button>
      </span>
    </form>
  );
}
