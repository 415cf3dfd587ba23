import { X } from 'lucide-react';
import { Link } from 'react-aria-components/Link';
import { Text } from 'react-aria-components/Text';
import {
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components/Toast';

import { Button, IconButton } from './button.tsx';
import type { ToastText } from './types.ts';
import styles from './toast.module.css';
import { useWords } from './words.ts';

const SHOWN_MS = 10_000;
const queue = new ToastQueue<ToastText>({ maxVisibleToasts: 3 });

export function addToast(toast: ToastText): void {
  // Said again, it stands there once.
  const same = queue.visibleToasts.find(
    ({ content }) => content.kind === 'error' && content.text === toast.text,
  );
  if (same) queue.close(same.key);
  queue.add(toast, toast.kind === 'error' ? {} : { timeout: SHOWN_MS });
}

/** Undoes what was done last, of what is still shown. */
export function undoLast(): void {
  const last = queue.visibleToasts.find(({ content }) => content.undo);
  if (!last) return;
  queue.close(last.key);
  void last.content.undo?.();
}

export function Region() {
  const words = useWords();
  return (
    <ToastRegion queue={queue} className={styles['region'] ?? ''} aria-label={words.messages}>
      {({ toast }) => (
        <Toast toast={toast} className={styles[toast.content.kind] ?? ''}>
          <ToastContent className={styles['text'] ?? ''}>
            <Text slot="title">{toast.content.text}</Text>
          </ToastContent>
          {toast.content.undo && (
            <Button
              size="small"
              onPress={() => {
                queue.close(toast.key);
                void toast.content.undo?.();
              }}
            >
              {words.undo}
            </Button>
          )}
          {toast.content.link && (
            <Link href={toast.content.link.to} onPress={() => queue.close(toast.key)}>
              {toast.content.link.text}
            </Link>
          )}
          <IconButton slot="close" label={words.close}>
            <X size={14} aria-hidden />
          </IconButton>
        </Toast>
      )}
    </ToastRegion>
  );
}
