import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import { PickFiles, UploadList } from '../files/upload-list.tsx';
import { useUploads } from '../files/uploads.ts';
import { Button } from '../../kit/button.tsx';
import { TextField } from '../../kit/field.tsx';
import { type CustomField, FieldControl } from '../ticket/field-control.tsx';
import { filesIn, type FormField, isTyped } from './form.ts';
import styles from './new-ticket.module.css';

/** A label above a control, and its help or its error below. */
export function Labelled({
  label,
  help,
  error,
  children,
}: {
  label: string;
  help?: string | null | undefined;
  error?: string | undefined;
  children: ReactNode;
}) {
  return (
    <div className={styles['field']} role="group" aria-label={label} data-wrong={error ? '' : undefined}>
      <span className={styles['label']}>{label}</span>
      {children}
      {error ? (
        <span role="alert" className={styles['error']}>
          {error}
        </span>
      ) : (
        help && <span className={styles['help']}>{help}</span>
      )}
    </div>
  );
}

/** The button of a picker, with what is chosen. */
export const opener = (label: string, text: string, isNone: boolean, sign?: ReactNode) => (
  <Button>
    <span className="visually-hidden">{label}: </span>
    <span className={styles['chosen']} data-none={isNone ? '' : undefined}>
      {sign}
      <span>{text}</span>
    </span>
    <ChevronDown size={14} aria-hidden />
  </Button>
);

/** A question of the request type: a text to type, or the control of the details panel. */
export function Question({
  field: { customField, required },
  value,
  error,
  uploadsTo,
  onChange,
  onFiles,
}: {
  field: FormField;
  value: unknown;
  error: string | undefined;
  uploadsTo: string;
  onChange: (value: unknown) => void;
  onFiles: Parameters<typeof useUploads>[2];
}) {
  const t = useTranslations('newTicket');
  const uploads = useUploads(uploadsTo, filesIn(value) ?? [], onFiles);
  const { label: name, description, type } = customField;
  if (type === 'HEADING') return <h2>{name}</h2>;
  if (type === 'DIVIDER') return <hr />;
  if (type === 'TEXT_BLOCK') return <p className={styles['help']}>{description ?? name}</p>;
  const isNeeded = required || customField.required;
  const label = isNeeded ? name : t('optional', { label: name });
  // Beside a service without files, addresses are typed.
  if (type === 'FILE_PICKER' && !uploads.isAbsent)
    return (
      <div
        {...uploads.target}
        className={styles['files']}
        data-dropping={uploads.isDropping ? '' : undefined}
      >
        <Labelled label={label} help={description} error={error}>
          <div>
            <PickFiles uploads={uploads} label={name} />
          </div>
          <UploadList uploads={uploads} />
        </Labelled>
      </div>
    );
  if (isTyped(customField))
    return (
      <TextField
        label={label}
        value={typeof value === 'string' ? value : ''}
        onChange={onChange}
        isRequired={isNeeded}
        validationBehavior="aria"
        autoComplete="off"
        error={error}
        {...((type === 'TEXT_AREA' || type === 'FILE_PICKER') && { rows: 3 })}
        {...(type === 'NUMBER' && { inputMode: 'decimal' as const })}
        {...(type === 'TIME' && { placeholder: '09:00' })}
        help={description ?? (type === 'FILE_PICKER' ? t('addresses') : undefined)}
      />
    );
  return (
    <Labelled label={label} help={description} error={error}>
      <FieldControl
        field={customField satisfies CustomField}
        value={value}
        isNeeded={isNeeded}
        onChange={(next) => {
          onChange(next);
          return Promise.resolve(true);
        }}
      >
        {(text) => opener(name, text || t('choose'), !text)}
      </FieldControl>
    </Labelled>
  );
}
