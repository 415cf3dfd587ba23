import { useFormatter, useTranslations } from 'use-intl';

import { retryNow, useLostSince } from '../api/live.ts';
import { Button } from '../../kit/button.tsx';
import styles from './shell.module.css';

/** A quiet bar while the desk cannot be reached. */
export function Lost() {
  const t = useTranslations('shell');
  const format = useFormatter();
  const since = useLostSince();
  if (!since) return null;
  return (
    <div className={styles['lost']} role="status">
      {t('lost', { time: format.dateTime(since, { timeStyle: 'short' }) })}
      <Button size="small" onPress={retryNow}>
        {t('retry')}
      </Button>
    </div>
  );
}
