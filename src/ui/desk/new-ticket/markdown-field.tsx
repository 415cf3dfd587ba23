import { Bold, Code, Italic, Link as LinkSign, List as ListSign } from 'lucide-react';
import { useId, useRef } from 'react';
import { useTranslations } from 'use-intl';

import { IconButton } from '../kit/button.tsx';
import styles from './new-ticket.module.css';
import { applyEdit, asCode, asLink, asList, type Edit, wrapped } from '../ticket/text-edits.ts';

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
  const edit = (make: (value: string, from: number, to: number) => Edit) => {
    const area = field.current;
    if (area) applyEdit(area, make(area.value, area.selectionStart, area.selectionEnd));
  };
  const bold = () => edit((text, from, to) => wrapped(text, from, to, '**'));
  const italic = () => edit((text, from, to) => wrapped(text, from, to, '_'));
  return (
    <div className={styles['field']}>
      <label htmlFor={id} className={styles['label']}>
        {label}
      </label>
      <div className={styles['box']} data-invalid={error ? '' : undefined}>
        <textarea
          id={id}
          ref={field}
          rows={8}
          maxLength={maxLength}
          value={value}
          aria-invalid={Boolean(error)}
          {...((error || help) && { 'aria-describedby': `${id}-about` })}
          onChange={({ target }) => onChange(target.value)}
          onKeyDown={(event) => {
            if (!(event.ctrlKey || event.metaKey)) return;
            if (event.key !== 'b' && event.key !== 'i') return;
            event.preventDefault();
            (event.key === 'b' ? bold : italic)();
          }}
        />
        <div role="group" aria-label={t('toolbar')} className={styles['tools']}>
          <IconButton label={t('bold')} keys="Mod+b" onPress={bold}>
            <Bold size={15} aria-hidden />
          </IconButton>
          <IconButton label={t('italic')} keys="Mod+i" onPress={italic}>
            <Italic size={15} aria-hidden />
          </IconButton>
          <IconButton label={t('code')} onPress={() => edit(asCode)}>
            <Code size={15} aria-hidden />
          </IconButton>
          <IconButton label={t('bulletList')} onPress={() => edit(asList)}>
            <ListSign size={15} aria-hidden />
          </IconButton>
          <IconButton
            label={t('link')}
            onPress={() => edit((text, from, to) => asLink(text, from, to, t('linkText')))}
          >
            <LinkSign size={15} aria-hidden />
          </IconButton>
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
