import { FileText, X } from 'lucide-react';
import { useTranslations } from 'use-intl';

import { Button, IconButton } from '../../kit/button.tsx';
import { addressOf } from './record.ts';
import styles from './upload-list.module.css';
import type { Uploads } from './uploads.ts';

/** The files themselves, each with what can be done with it. */
export function UploadEntries({ uploads: { files, entries, ...uploads } }: { uploads: Uploads }) {
  const t = useTranslations('files');
  const common = useTranslations('common');
  return (
    <ul className={styles['files']} aria-label={t('attached')}>
      {files.map(({ id, name, thumbnailUrl }) => (
        <li key={id}>
          {thumbnailUrl ? <img src={addressOf(thumbnailUrl)} alt="" /> : <FileText size={14} aria-hidden />}
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
  );
}
