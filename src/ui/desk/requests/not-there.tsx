import { Link } from 'react-aria-components/Link';
import { useTranslations } from 'use-intl';

import { Empty } from '../kit/states.tsx';
import states from '../kit/states.module.css';
import styles from './requests.module.css';

/** What stands where there is no such page or request: why, and the two ways on. */
export function NotThere({ title, more }: { title: string; more: string }) {
  const t = useTranslations('requests');
  return (
    <main className={styles['list']}>
      <Empty title={title} isPage>
        <p>{more}</p>
        <p className={states['way']}>
          <Link href="/requests">{t('back')}</Link>
          <Link href="/requests/new">{t('newRequest')}</Link>
        </p>
      </Empty>
    </main>
  );
}

/** An address that no page has. */
export function NotFound() {
  const t = useTranslations('requests');
  return <NotThere title={t('notFound')} more={t('notFoundMore')} />;
}
