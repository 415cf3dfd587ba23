import { Button } from 'react-aria-components/Button';
import { useTranslations } from 'use-intl';

import styles from './skip-link.module.css';

/** Gives the heading of what is open the focus. Returns whether there is one. */
export function focusHeading(): boolean {
  const heading = [...document.querySelectorAll('h1')].findLast((each) => each.checkVisibility());
  if (!heading) return false;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  return true;
}

/** The keyboard's first stop: leads past the navigation and the list to the heading of what is open. */
export function SkipLink() {
  const t = useTranslations('common');
  return (
    <nav className={styles['skip']} aria-label={t('skip')}>
      <Button onPress={focusHeading}>{t('skip')}</Button>
    </nav>
  );
}
