import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { trimmed } from '../../../contract/blank.ts';
import { EditForm } from './edit-form.tsx';
import { fromContent, toContent } from './mentions.ts';
import { Content } from './message.tsx';
import { MAX_CHARACTERS } from './text-edits.ts';
import { useSaved } from '../kit/use-saved.ts';

/** The text of a message as a field in its own place. */
export function EditText({
  content: now,
  html,
  save: write,
  onClose,
}: {
  /** The current text: another user may change it meanwhile. */
  content: string;
  html: string | undefined;
  /** Throws Refusal. */
  save: (content: string) => Promise<void>;
  onClose: () => void;
}) {
  const t = useTranslations('actions');
  const [first] = useState(() => ({ content: now, ...fromContent(now) }));
  const [text, setText] = useState(first.text);
  const saved = useSaved();
  const content = trimmed(toContent(text, first.mentioned));
  const save = async () => {
    if (content === now || (await saved.save(() => write(content)))) onClose();
  };
  return (
    <EditForm
      label={t('message')}
      text={text}
      rows={Math.min(12, Math.max(3, text.split('\n').length))}
      maxLength={MAX_CHARACTERS.message}
      error={saved.error}
      meanwhile={
        now !== first.content && (
          <>
            <p>{t('changedMeanwhile')}</p>
            <Content content={now} html={html} />
          </>
        )
      }
      isBusy={saved.isSaving}
      canSave={content !== ''}
      onChange={setText}
      onSave={() => void save()}
      onClose={onClose}
    />
  );
}
