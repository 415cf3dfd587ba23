import { FileText, Paperclip, X } from 'lucide-react';
import { useRef } from 'react';
import { useTranslations } from 'use-intl';

import { Button, IconButton } from '../../kit/button.tsx';
import { addressOf } from './record.ts';
import styles from './upload-list.module.css';
import type { Uploads } from './uploads.ts';

/** Picks files. `label`: what they are for, if there are several such buttons; then it is a button with words. */
export function PickFiles({ uploads, label }: { uploads: Uploads; label?: string }) {
  const t = useTranslations('files');
  const input = useRef<HTMLInputElement>(null);
  const open = () => input.current?.click();
  return (
    <>
      {label === undefined ? (
        <IconButton label={t('attach')} onPress={open}>
          <Paperclip size={15} aria-hidden />
        </IconButton>
      ) : (
        <Button size="small" onPress={open}>
          <Paperclip size={14} aria-hidden />
          {t('attach')}
          <span className="visually-hidden">: {label}</span>
        </Button>
      )}
      {/* Only the browser's own opens its dialog; it is never seen. */}
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t('attach')}
        onChange={({ target }) => {
          uploads.add(target.files);
          target.value = '';
        }}
      />
    </>
  );
}

/** The files that are on their way, failed or uploaded; what changes is said without the percentages. */
export function UploadList({ uploads }: { uploads: Uploads }) {
  const t = useTranslations('files');
  const common = useTranslations('common');
  const { files, entries } = uploads;
  const sending = entries.filter(({ reason }) => reason === undefined).length;
  return (
    <>
      {files.length + entries.length > 0 && (
        <ul className={styles['files']} aria-label={t('attached')}>
          {files.map(({ id, name, thumbnailUrl }) => (
            <li key={id}>
              {thumbnailUrl ? (
                <img src={addressOf(thumbnailUrl)} alt="" />
              ) : (
                <FileText size={14} aria-hidden />
              )}
              <span className={styles['name']}>{name}</span>
              <IconButton label={t('remove', { name })} onPress={() => uploads.remove(id)}>
                <X size={12} aria-hidden />
              </IconButton>
            </li>
          ))}
          {entries.map((entry) => {
            const { key, file, share, reason } = entry;
            const { name } = file;
            return (
              <li key={key} data-failed={reason === undefined ? undefined : ''}>
                <span className={styles['name']}>{name}</span>
                {reason === undefined ? (
                  <progress aria-label={t('uploading', { name })} value={share} />
                ) : (
                  <>
                    <span role="alert" className={styles['reason']}>
                      {t('failed', { reason })}
                    </span>
                    <Button
                      kind="quiet"
                      size="small"
                      aria-label={t('retry', { name })}
                      onPress={() => uploads.retry(entry)}
                    >
                      {common('retry')}
                    </Button>
                  </>
                )}
                <IconButton
                  label={t(reason === undefined ? 'cancel' : 'remove', { name })}
                  onPress={() => uploads.cancel(entry)}
                >
                  <X size={12} aria-hidden />
                </IconButton>
              </li>
            );
          })}
        </ul>
      )}
      <span role="status" className="visually-hidden">
        {sending > 0
          ? t('sending', { count: sending })
          : files.length > 0
            ? t('count', { count: files.length })
            : ''}
      </span>
    </>
  );
}
