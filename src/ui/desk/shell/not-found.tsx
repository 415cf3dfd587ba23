import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';

import { Button } from '../../kit/button.tsx';
import { Empty } from '../kit/states.tsx';
import styles from '../kit/states.module.css';

export function NotFound() {
  const t = useTranslations('shell');
  return (
    <main>
      <Empty title={t('notFound')} isPage>
        <p>{t('notFoundMore')}</p>
        <p className={styles['way']}>
          <Link to="/views/$view" params={{ view: 'open' }}>
            {t('backToOpen')}
          </Link>
        </p>
      </Empty>
    </main>
  );
}

/** A page that failed while it was drawn: its reason, and how to go on. */
export function Crashed({ error }: ErrorComponentProps) {
  const t = useTranslations('shell');
  return (
    <main>
      <Empty title={t('crashed')} isPage>
        <p>{t('crashedMore', { message: error instanceof Error ? error.message : String(error) })}</p>
        <Button onPress={() => location.reload()}>{t('reload')}</Button>
      </Empty>
    </main>
  );
}
