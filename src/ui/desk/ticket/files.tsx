import { FileText } from 'lucide-react';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';

import { Late } from '../../kit/late.tsx';
import { part } from '../../kit/part.ts';
import { addressOf, type FileRecord } from '../files/record.ts';
import styles from './thread.module.css';

const Preview = part(() => import('../files/preview.tsx').then(({ Preview }) => Preview));

const PICTURE = { width: 320, height: 240 };
/** Bytes of a text that is shown in place; longer ones are downloaded. */
const MOST_TEXT = 64 * 1024;

const isShown = ({ type, size, thumbnailUrl }: FileRecord) =>
  thumbnailUrl !== null || (type === 'text/plain' && size <= MOST_TEXT);

/** Files of a message: pictures small, others by name. Pictures and short texts open in place. */
export function Files({ files }: { files: readonly FileRecord[] }) {
  const t = useTranslations('files');
  const format = useFormatter();
  const [shown, setShown] = useState<FileRecord>();
  if (files.length === 0) return null;
  return (
    <>
      <ul className={styles['files']}>
        {files.map((file) => {
          const { id, name, size, url, thumbnailUrl, width, height } = file;
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
                {...(isShown(file) && {
                  'aria-haspopup': 'dialog' as const,
                  onClick: (event) => {
                    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                    event.preventDefault();
                    setShown(file);
                  },
                })}
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
      {shown && (
        <Late>
          <Preview file={shown} onClose={() => setShown(undefined)} />
        </Late>
      )}
    </>
  );
}
