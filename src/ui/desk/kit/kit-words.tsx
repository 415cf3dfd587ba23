import { type ReactNode, useMemo } from 'react';
import { useTranslations } from 'use-intl';

import { WordsContext } from '../../kit/words.ts';

/** Gives the kit its words from the desk's texts. */
export function KitWords({ children }: { children: ReactNode }) {
  const t = useTranslations('common');
  const words = useMemo(
    () => ({
      close: t('close'),
      loading: t('loading'),
      nothingFound: t('nothingFound'),
      messages: t('messages'),
      undo: t('undo'),
      create: (name: string) => t('create', { name }),
    }),
    [t],
  );
  return <WordsContext value={words}>{children}</WordsContext>;
}
