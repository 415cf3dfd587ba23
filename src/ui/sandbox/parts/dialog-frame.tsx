import { type ComponentProps, type ReactNode, useLayoutEffect, useRef } from 'react';
import { Dialog as Content, Heading } from 'react-aria-components/Dialog';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';

import { Icon } from '../icons.tsx';
import { classNames } from './class-names.ts';

export interface DialogProps {
  title: string;
  className?: string;
  /** Another one: the same dialog shows something else, from its beginning. */
  contentKey?: string;
  /** Before the title. */
  before?: ReactNode;
  /** Behind the title. */
  beside?: ReactNode;
  foot?: ReactNode;
  /** Escape, and a press outside if `isDismissable`. */
  onClose: () => void;
  /** The cross; default as `onClose`. */
  onCross?: () => void;
  isDismissable?: boolean;
  /** Makes it a form. */
  onSubmit?: ComponentProps<'form'>['onSubmit'];
  children: ReactNode;
}

/** Where the focus goes first. */
const FIRST = [
  '[data-first]',
  '[autofocus]',
  '.dialog-body :is(input, textarea)',
  '.dialog-body button',
  '.dialog-foot .primary',
  '.dialog-foot button',
];

export function DialogFrame({
  title,
  className,
  contentKey = '',
  before,
  beside,
  foot,
  onClose,
  onCross = onClose,
  isDismissable = true,
  onSubmit,
  children,
}: DialogProps) {
  const inside = (
    <>
      <header className="dialog-head">
        {before}
        <Heading slot="title" level={2}>
          {title}
        </Heading>
        {beside}
        <button type="button" className="icon-button" aria-label="Close" title="Close" onClick={onCross}>
          <Icon name="close" />
        </button>
      </header>
      <div className="dialog-body" tabIndex={-1}>
        {children}
      </div>
      {foot && <footer className="dialog-foot">{foot}</footer>}
    </>
  );
  return (
    <ModalOverlay
      className="overlay"
      isOpen
      isDismissable={isDismissable}
      onOpenChange={(isOpen) => !isOpen && onClose()}
    >
      <Modal className={classNames('dialog', className)}>
        <Content key={contentKey} className="dialog-content">
          <FirstFocus>
            {onSubmit ? (
              <form className="modal-form" noValidate onSubmit={onSubmit}>
                {inside}
              </form>
            ) : (
              inside
            )}
          </FirstFocus>
        </Content>
      </Modal>
    </ModalOverlay>
  );
}

/** Gives the focus to the first control of a dialog that has just been opened. */
function FirstFocus({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const found = FIRST.map((selector) => place.current?.querySelector<HTMLElement>(selector)).find(Boolean);
    found?.focus();
  }, []);
  return (
    <div ref={place} className="dialog-content">
      {children}
    </div>
  );
}
