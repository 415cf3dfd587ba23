import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Dialog as Content, Heading } from 'react-aria-components/Dialog';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';

import { IconButton } from './button.tsx';
import styles from './dialog.module.css';
import { useWords } from './words.ts';

/** A question that has to be answered before anything else. `size="wide"` for tables and previews. */
export function DialogModal({
  title,
  onClose,
  size = 'normal',
  footer,
  children,
}: {
  title: string;
  onClose: () => void;
  size?: 'normal' | 'wide';
  footer?: ReactNode;
  children: ReactNode;
}) {
  const words = useWords();
  return (
    <ModalOverlay
      isOpen
      isDismissable
      onOpenChange={(isOpen) => !isOpen && onClose()}
      className={styles['overlay'] ?? ''}
    >
      <Modal className={`${styles['modal']} ${styles[size]}`}>
        <Content className={styles['dialog'] ?? ''} data-modal="">
          <header className={styles['header']}>
            <Heading slot="title" className={styles['title'] ?? ''}>
              {title}
            </Heading>
            <IconButton label={words.close} keys="Escape" onPress={onClose}>
              <X size={16} aria-hidden />
            </IconButton>
          </header>
          <div className={styles['body']}>{children}</div>
          {footer && <footer className={styles['footer']}>{footer}</footer>}
        </Content>
      </Modal>
    </ModalOverlay>
  );
}
