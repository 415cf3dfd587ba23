import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { trimmed } from '../../../contract/blank.ts';
import type { TicketDetail } from '../api/types.ts';
import { Button } from '../kit/button.tsx';
import { TextField } from '../kit/field.tsx';
import { useChange, useOpened } from './change.ts';
import { Content } from './message.tsx';
import styles from './thread.module.css';

/** The description as a field in its own place. */
export function EditDescription({ ticket, onClose }: { ticket: TicketDetail; onClose: () => void }) {
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
