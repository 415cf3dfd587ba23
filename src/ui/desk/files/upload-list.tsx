import { Paperclip } from 'lucide-react';
import { Suspense, useRef } from 'react';
import { useTranslations } from 'use-intl';

import { Button, IconButton } from '../../kit/button.tsx';
import { part } from '../../kit/part.ts';
import type { Uploads } from './uploads.ts';

const Entries = part(() => import('./upload-entries.tsx').then(({ UploadEntries }) => UploadEntries));

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
  const { files, entries } = uploads;
  const sending = entries.filter(({ reason }) => reason === undefined).length;
  return (
    <>
      {files.length + entries.length > 0 && (
        <Suspense>
          <Entries uploads={uploads} />
        </Suspense>
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
