import { Button } from 'react-aria-components/Button';
import { useTranslations } from 'use-intl';

import styles from './skip-link.module.css';

/** The keyboard's first stop: leads past the navigation and the list to the heading of what is open. */
export function SkipLink() {
  const t = useTranslations('common');
  const skip = () => {
    const heading = [...document.querySelectorAll('h1')].at(-1);
    if (!heading) return;
    heading.tabIndex = -1;
    heading.focus();
  };
  return (
    <nav className={styles['skip']} aria-label={t('skip')}>
      <Button onPress={skip}>{t('skip')}</Button>
    </nav>
  );
}
