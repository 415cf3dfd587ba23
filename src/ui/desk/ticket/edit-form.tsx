import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import { Button } from '../../kit/button.tsx';
import { TextField } from '../../kit/field.tsx';
import styles from './thread.module.css';

/** A text as a field in its own place: Ctrl+Enter saves, Escape takes it back. */
export function EditForm({
  label,
  text,
  rows,
  maxLength,
  error,
  meanwhile,
  isBusy,
  canSave = true,
  onChange,
  onSave,
  onClose,
}: {
  label: string;
  text: string;
  rows: number;
  maxLength: number;
  error?: string | undefined;
  /** The text that another user saved meanwhile, shown next to one's own. */
  meanwhile: ReactNode;
  /** The text is being saved. */
  isBusy: boolean;
  canSave?: boolean;
  onChange: (text: string) => void;
  onSave: () => void;
  onClose: () => void;
}) {
  const common = useTranslations('common');
  const save = () => {
    if (canSave && !isBusy) onSave();
  };
  return (
    <form
      className={styles['edit']}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          save();
        }
        if (event.key === 'Escape') {
          event.stopPropagation();
          onClose();
        }
      }}
    >
      <TextField
        label={label}
        value={text}
        onChange={onChange}
        rows={rows}
        maxLength={maxLength}
        error={error}
        autoFocus
      />
      <div role="status">{meanwhile && <div className={styles['meanwhile']}>{meanwhile}</div>}</div>
      <span className={styles['buttons']}>
        <Button kind="primary" size="small" type="submit" isPending={isBusy} isDisabled={!canSave}>
          {common('save')}
        </Button>
        <Button size="small" onPress={onClose}>
          {common('cancel')}
        </Button>
      </span>
    </form>
  );
}
