import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import { Button } from '../../kit/button.tsx';
import styles from './states.module.css';

/**
 * Nothing there: why, and what to do.
 * @param isPage it is all of the page, so its title is the page's heading.
 */
export function Empty({
  title,
  isPage = false,
  children,
}: {
  title: string;
  isPage?: boolean;
  children?: ReactNode;
}) {
  const Title = isPage ? 'h1' : 'p';
  return (
    <div className={styles['state']}>
      <Title className={styles['title']}>{title}</Title>
      {children && <div className={styles['more']}>{children}</div>}
    </div>
  );
}

/**
 * What is on its way, in the shape that it will have: lines of text, rows of a list that each begin with a sign, or
 * messages.
 */
export function Loading({
  rows = 8,
  shape = 'lines',
}: {
  rows?: number;
  shape?: 'lines' | 'rows' | 'messages';
}) {
  const t = useTranslations('common');
  return (
    <div className={styles['loading']} data-shape={shape} role="status" aria-label={t('loading')}>
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} className={styles['coming']}>
          <span className={styles['bar']} style={{ width: `${90 - ((row * 17) % 45)}%` }} />
        </span>
      ))}
    </div>
  );
}

/** Replaces content that could not be loaded, with the reason. */
export function Failed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const t = useTranslations('common');
  return (
    <div className={styles['state']} role="alert">
      <p className={styles['title']}>{t('failed')}</p>
      <p className={styles['more']}>{error.message}</p>
      <Button onPress={onRetry}>{t('retry')}</Button>
    </div>
  );
}
