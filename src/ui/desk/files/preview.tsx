import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';

import { Dialog } from '../../kit/dialog.tsx';
import { Failed, Loading } from '../kit/states.tsx';
import styles from './preview.module.css';
import { addressOf, type FileRecord } from './record.ts';

/** A picture as large as the window allows, or the text of a file; loaded when the first one is pressed. */
export function Preview({ file, onClose }: { file: FileRecord; onClose: () => void }) {
  const t = useTranslations('files');
  const { name, url, thumbnailUrl } = file;
  const address = addressOf(url);
  return (
    <Dialog
      title={name}
      size="wide"
      onClose={onClose}
      footer={
        <a href={address} download={name}>
          {t('download')}
        </a>
      }
    >
      {thumbnailUrl ? (
        <img className={styles['picture']} src={address} alt={name} />
      ) : (
        <Text name={name} address={address} />
      )}
    </Dialog>
  );
}

function Text({ name, address }: { name: string; address: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['file', address],
    queryFn: async ({ signal }) => {
      const response = await fetch(address, { signal });
      if (!response.ok) throw new Error(`The desk answered ${response.status}.`);
      return response.text();
    },
    staleTime: Infinity,
  });
  if (error) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  return (
    // Keys scroll it.
    <pre className={styles['text']} role="region" aria-label={name} tabIndex={0}>
      {data}
    </pre>
  );
}
