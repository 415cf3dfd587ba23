import { X } from 'lucide-react';
import { type ComponentProps, type ReactNode, useLayoutEffect, useRef } from 'react';
import { Dialog as Content, Heading } from 'react-aria-components/Dialog';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';

import { IconButton } from './button.tsx';
import styles from './dialog.module.css';
import { useWords } from './words.ts';

interface Props {
  title: string;
  /** Escape, the cross, and a press outside unless it is not `isDismissable`. */
  onClose: () => void;
  /** The cross, where it does more than Escape. */
  onCross?: () => void;
  isDismissable?: boolean;
  /** `wide` for tables and previews. */
  size?: 'normal' | 'wide';
  /** Before the title and behind it. */
  before?: ReactNode;
  beside?: ReactNode;
  footer?: ReactNode;
  /** Another one: the same dialog shows something else, from its beginning. */
  contentKey?: string;
  /** Makes a form of it, with the footer's buttons. */
  onSubmit?: ComponentProps<'form'>['onSubmit'];
  children: ReactNode;
}

/** A question that has to be answered before anything else. */
export function DialogModal({
  title,
  onClose,
  onCross,
  isDismissable = true,
  size = 'normal',
  before,
  beside,
  footer,
  contentKey = '',
  onSubmit,
  children,
}: Props) {
  const words = useWords();
  const inside = (
    <>
      <header className={styles['header']}>
        {before}
        <Heading slot="title" className={styles['title'] ?? ''}>
          {title}
        </Heading>
        {beside}
        <IconButton label={words.close} {...(!onCross && { keys: 'Escape' })} onPress={onCross ?? onClose}>
          <X size={16} aria-hidden />
        </IconButton>
      </header>
      <div className={styles['body']}>{children}</div>
      {footer && <footer className={styles['footer']}>{footer}</footer>}
    </>
  );
  return (
    <ModalOverlay
      isOpen
      isDismissable={isDismissable}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      className={styles['overlay'] ?? ''}
    >
      <Modal className={`${styles['modal']} ${styles[size]}`}>
        <Content key={contentKey} className={styles['dialog'] ?? ''} data-modal="">
          {onSubmit ? (
            <form className={styles['dialog']} noValidate onSubmit={onSubmit}>
              {inside}
            </form>
          ) : (
            inside
          )}
          <Focus />
        </Content>
      </Modal>
    </ModalOverlay>
  );
}

/**
 * Gives the dialog the focus as it is drawn, unless something in it has it. React Aria does so later, if a key has
 * pressed the browser's own control even once nothing moves on the page: keys would be lost until then.
 */
function Focus() {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const dialog = place.current?.closest<HTMLElement>('[role=dialog]');
    if (!dialog?.contains(document.activeElement)) dialog?.focus({ preventScroll: true });
  }, []);
  return <span ref={place} hidden />;
}
