import { FileText } from 'lucide-react';
import { useFormatter, useTranslations } from 'use-intl';

import styles from './thread.module.css';

/** A file of a ticket or a message (agreed with the service's endpoint for files). */
export interface FileRecord {
  id: string;
  name: string;
  type: string;
  size: number;
  width: number | null;
  height: number | null;
  url: string;
  thumbnailUrl: string | null;
}

/** The desk passes the service's files on below its own path. */
const addressOf = (path: string) => (path.startsWith('/') ? `/desk${path}` : path);

const PICTURE = { width: 320, height: 240 };

/** Files of a message: pictures small, others by name. */
export function Files({ files }: { files: readonly FileRecord[] }) {
  const t = useTranslations('ticket');
  const format = useFormatter();
  if (files.length === 0) return null;
  return (
    <ul className={styles['files']}>
      {files.map(({ id, name, size, url, thumbnailUrl, width, height }) => {
        const scale =
          width && height ? Math.min(1, PICTURE.width / width, PICTURE.height / height) : undefined;
        const label = t('file', {
          name,
          size: format.number(Math.max(1, Math.round(size / 1024)), {
            style: 'unit',
            unit: 'kilobyte',
            unitDisplay: 'short',
          }),
        });
        return (
          <li key={id}>
            <a
              href={addressOf(url)}
              target="_blank"
              rel="noopener noreferrer"
              aria-label={label}
              title={name}
            >
              {thumbnailUrl ? (
                <img
                  src={addressOf(thumbnailUrl)}
                  alt=""
                  loading="lazy"
                  {...(scale && width && height
                    ? { width: Math.round(width * scale), height: Math.round(height * scale) }
                    : {})}
                />
              ) : (
                <span className={styles['file']}>
                  <FileText size={14} aria-hidden />
                  {name}
                </span>
              )}
            </a>
          </li>
        );
      })}
    </ul>
  );
}
