import type { ReactNode, RefObject } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Popover } from 'react-aria-components/Popover';

import styles from './picker.module.css';

/** The small dialog that an `Opener` opens next to its button. */
export function Panel({
  label,
  trigger,
  placement = 'bottom start',
  look = { popover: styles['popover'] ?? '', dialog: styles['dialog'] ?? '' },
  onClose,
  children,
}: {
  label: string;
  trigger: RefObject<HTMLElement | null>;
  placement?: 'bottom start' | 'bottom end';
  /** Its classes, where it is not a picker. */
  look?: { popover: string; dialog: string };
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Popover
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      triggerRef={trigger}
      className={look.popover}
      placement={placement}
      offset={4}
    >
      <Dialog aria-label={label} className={look.dialog}>
        {children}
      </Dialog>
    </Popover>
  );
}
