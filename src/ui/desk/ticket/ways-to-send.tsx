import { ChevronDown } from 'lucide-react';
import type { Ref } from 'react';
import { useTranslations } from 'use-intl';

import { Button, IconButton } from '../../kit/button.tsx';
import { Menu } from '../../kit/menu.tsx';
import styles from './composer.module.css';
import type { useSend } from './use-send.ts';

/** A way to send a message other than by the button itself. */
export interface WayToSend {
  id: string;
  label: string;
  keys?: string;
  run: () => void;
}

/** The ways to send that a worker has; `chooseTime` asks when it is to be sent. */
export function useWaysToSend(
  { send, isDelayed }: Pick<ReturnType<typeof useSend>, 'send' | 'isDelayed'>,
  isNote: boolean,
  chooseTime: () => void,
): WayToSend[] {
  const t = useTranslations('ticket');
  return [
    {
      id: 'close',
      label: t(isNote ? 'noteAndClose' : 'sendAndClose'),
      keys: 'Mod+Shift+Enter',
      run: () => send('Closed'),
    },
    { id: 'wait', label: t(isNote ? 'noteAndWait' : 'sendAndWait'), run: () => send('Waiting') },
    { id: 'next', label: t(isNote ? 'noteAndNext' : 'sendAndNext'), run: () => send('Next') },
    ...(isDelayed ? [{ id: 'later', label: t('sendLater'), run: chooseTime }] : []),
  ];
}

/** The button that sends, and a menu of the other ways. */
export function SendButtons({
  ref,
  label,
  ways,
  isDisabled,
  onSend,
}: {
  ref: Ref<HTMLSpanElement>;
  label: string;
  ways: readonly WayToSend[];
  isDisabled: boolean;
  onSend: () => void;
}) {
  const t = useTranslations('ticket');
  return (
    <span className={styles['send']} ref={ref}>
      <Button kind="primary" onPress={onSend} isDisabled={isDisabled}>
        {label}
      </Button>
      {ways.length > 0 && (
        <Menu label={t('sendMenu')} entries={ways.map(({ run, ...way }) => ({ ...way, onAction: run }))}>
          <IconButton label={t('sendMenu')} kind="primary">
            <ChevronDown size={16} aria-hidden />
          </IconButton>
        </Menu>
      )}
    </span>
  );
}
