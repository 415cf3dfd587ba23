import { useRef, useState } from 'react';
import { TextArea } from 'react-aria-components/TextArea';
import { useTranslations } from 'use-intl';

import { trimmed } from '../../../contract/blank.ts';
import { shortenAtWord } from '../../../contract/cut.ts';
import type { TicketDetail } from '../api/types.ts';
import { withTexts } from '../kit/more-texts.tsx';
import { editTitle } from '../messages/dialogs.ts';
import { useChange, useOpened, WORDS_SAID } from './change.ts';
import { MAX_CHARACTERS } from './text-edits.ts';
import styles from './ticket.module.css';

/** The number of characters left is shown from this number on. */
const NEARLY_FULL = 60;

/** The title as a field in its own place: Enter saves, Escape takes it back. A failed save keeps what was typed. */
export const EditTitle = withTexts({ editTitle }, Editing);

function Editing({ ticket, onClose }: { ticket: TicketDetail; onClose: () => void }) {
  const t = useTranslations('ticket');
  const own = useTranslations('editTitle');
  const change = useChange(ticket);
  const { opened, renew } = useOpened(ticket);
  const [text, setText] = useState(ticket.title ?? '');
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const save = async () => {
    const title = trimmed(text);
    if (title === (opened.title ?? '') || !title) {
      onClose();
      return;
    }
    setBusy(true);
    const isDone = await change(
      { title },
      { said: t('said.title', { value: shortenAtWord(title, WORDS_SAID) }), opened, onConflict: renew },
    );
    setBusy(false);
    if (isDone) onClose();
    else field.current?.focus();
  };
  const left = MAX_CHARACTERS.title - text.length;
  return (
    <form
      className={styles['edit-title']}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <TextArea
        ref={field}
        aria-label={t('title')}
        dir="auto"
        aria-describedby="title-help"
        value={text}
        rows={2}
        maxLength={MAX_CHARACTERS.title}
        readOnly={isBusy}
        autoFocus
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => setText(target.value.replaceAll('\n', ' '))}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            event.preventDefault();
            void save();
          }
          if (event.key === 'Escape') {
            event.stopPropagation();
            onClose();
          }
        }}
        onBlur={() => {
          if (text.trim() === (opened.title ?? '')) onClose();
        }}
      />
      <p id="title-help" className={styles['help']}>
        {own('help')} {left < NEARLY_FULL && own('charactersLeft', { count: left })}
      </p>
    </form>
  );
}
