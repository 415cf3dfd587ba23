import { useId, useRef } from 'react';
import { TextArea } from 'react-aria-components/TextArea';
import { useTranslations } from 'use-intl';

import { FormatButtons, formatByKey } from '../ticket/format-buttons.tsx';
import styles from './new-ticket.module.css';

/** A long text in Markdown, with the composer's formatting. */
export function MarkdownField({
  label,
  value,
  onChange,
  maxLength,
  error,
  help,
}: {
  label: string;
  value: string;
  onChange: (text: string) => void;
  maxLength: number;
  error?: string | undefined;
  help?: string | undefined;
}) {
  const t = useTranslations('ticket');
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  return (
    <div className={styles['field']}>
      <label htmlFor={id} className={styles['label']}>
        {label}
      </label>
      <div className={styles['box']} data-invalid={error ? '' : undefined}>
        <TextArea
          id={id}
          ref={field}
          rows={8}
          maxLength={maxLength}
          value={value}
          aria-invalid={Boolean(error)}
          {...((error || help) && { 'aria-describedby': `${id}-about` })}
          onChange={({ target }) => onChange(target.value)}
          onKeyDown={formatByKey}
        />
        <div role="group" aria-label={t('toolbar')} className={styles['tools']}>
          <FormatButtons field={field} />
        </div>
      </div>
      {(error || help) && (
        <span id={`${id}-about`} className={error ? styles['error'] : styles['help']}>
          {error ?? help}
        </span>
      )}
    </div>
  );
}
