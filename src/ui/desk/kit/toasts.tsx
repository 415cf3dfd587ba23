import { useTranslations } from 'use-intl';

import { Toasts as Shown, undoLastToast } from '../../kit/toast.tsx';
import { useCommands } from './commands.ts';

/** The messages in the corner, and the command that undoes what was done last. */
export function Toasts() {
  const t = useTranslations('common');
  useCommands([
    { id: 'undo', group: t('general'), label: t('undo'), keys: 'z', run: () => void undoLastToast() },
  ]);
  return <Shown />;
}
