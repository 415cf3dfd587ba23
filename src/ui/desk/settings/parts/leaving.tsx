import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl';

import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';

/**
 * Asks before a page with unsaved changes is left: in a dialog for another page of the desk, else the browser does. Not
 * with the router's own hook, which would be code of every page.
 */
export function AskBeforeLeaving() {
  const t = useTranslations('settings.leaving');
  const { history } = useRouter();
  const [asked, setAsked] = useState<{ answer: (isLeaving: boolean) => void }>();
  useEffect(
    () =>
      history.block({
        enableBeforeUnload: true,
        blockerFn: async ({ currentLocation, nextLocation }) => {
          // The tab of a page is in its address, too.
          if (currentLocation.pathname === nextLocation.pathname) return false;
          const { promise, resolve } = Promise.withResolvers<boolean>();
          setAsked({ answer: resolve });
          const isLeaving = await promise;
          setAsked(undefined);
          return !isLeaving;
        },
      }),
    [history],
  );
  if (!asked) return null;
  return (
    <Dialog
      title={t('title')}
      onClose={() => asked.answer(false)}
      footer={
        <>
          <Button onPress={() => asked.answer(true)}>{t('leave')}</Button>
          <Button kind="primary" autoFocus onPress={() => asked.answer(false)}>
            {t('stay')}
          </Button>
        </>
      }
    >
      <p>{t('help')}</p>
    </Dialog>
  );
}
