import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { trimmed } from '../../../contract/blank.ts';
import { Refusal } from '../api/call.ts';
import { Button } from '../kit/button.tsx';
import { TextField } from '../kit/field.tsx';
import { fromContent, toContent } from './mentions.ts';
import { Content } from './message.tsx';
import styles from './thread.module.css';

const MOST = 40_000;

/** The text of a message as a field in its own place: Ctrl+Enter saves, Escape takes it back. */
export function EditText({
  content: now,
  html,
  save,
  onClose,
}: {
  /** As it is now: somebody else may change it meanwhile. */
  content: string;
  html: string | undefined;
  /** Throws Refusal. */
  save: (content: string) => Promise<void>;
  onClose: () => void;
}) {
  const t = useTranslations('actions');
  const common = useTranslations('common');
  const [first] = useState(() => ({ content: now, ...fromContent(now) }));
  const [text, setText] = useState(first.text);
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const content = trimmed(toContent(text, first.mentioned));
  const submit = async () => {
    if (!content || isBusy) return;
    setBusy(true);
    try {
      if (content !== now) await save(content);
      onClose();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      setFailure(error.message);
      setBusy(false);
    }
  };
  return (
    <form
      className={styles['edit']}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          void submit();
        }
        if (event.key === 'Escape') {
          event.stopPropagation();
          onClose();
        }
      }}
    >
      <TextField
        label={t('message')}
        value={text}
        onChange={setText}
        rows={Math.min(12, Math.max(3, text.split('\n').length))}
        maxLength={MOST}
        error={failure}
        autoFocus
      />
      <div role="status">
        {now !== first.content && (
          <div className={styles['meanwhile']}>
            <p>{t('changedMeanwhile')}</p>
            <Content content={now} html={html} />
          </div>
        )}
      </div>
      <span className={styles['buttons']}>
        <Button kind="primary" size="small" type="submit" isPending={isBusy} isDisabled={!content}>
          {common('save')}
        </Button>
        <Button size="small" onPress={onClose}>
          {common('cancel')}
        </Button>
      </span>
    </form>
  );
}
