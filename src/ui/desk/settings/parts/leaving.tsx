import { useBlocker } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';

import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';

/** Asks before a page with unsaved changes is left: the desk where it is left for another page, else the browser. */
export function AskBeforeLeaving() {
  const t = useTranslations('settings.leaving');
  const { status, proceed, reset } = useBlocker({
    // The tab of a page is in its address, too.
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname,
    enableBeforeUnload: true,
    withResolver: true,
  });
  if (status !== 'blocked') return null;
  return (
    <Dialog
      title={t('title')}
      onClose={reset}
      footer={
        <>
          <Button onPress={proceed}>{t('leave')}</Button>
          <Button kind="primary" autoFocus onPress={reset}>
            {t('stay')}
          </Button>
        </>
      }
    >
      <p>{t('help')}</p>
    </Dialog>
  );
}
