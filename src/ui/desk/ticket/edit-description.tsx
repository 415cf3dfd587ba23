import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { trimmed } from '../../../contract/blank.ts';
import type { TicketDetail } from '../api/types.ts';
import { useChange, useOpened } from './change.ts';
import { EditForm } from './edit-form.tsx';
import { Content } from './message.tsx';
import { MAX_CHARACTERS } from './text-edits.ts';

/** The description as a field in its own place. */
export function EditDescription({ ticket, onClose }: { ticket: TicketDetail; onClose: () => void }) {
  const t = useTranslations('ticket');
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
    <EditForm
      label={t('description')}
      text={text}
      rows={8}
      maxLength={MAX_CHARACTERS.description}
      meanwhile={
        now !== first &&
        now !== text && (
          <>
            <p>{t('changedMeanwhile')}</p>
            {now ? <Content content={now} html={ticket.html} /> : <p>{t('noDescription')}</p>}
          </>
        )
      }
      isBusy={isBusy}
      onChange={setText}
      onSave={() => void save()}
      onClose={onClose}
    />
  );
}
