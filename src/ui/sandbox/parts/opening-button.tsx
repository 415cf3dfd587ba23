import { type ReactNode, type RefObject, useRef, useState } from 'react';

import { Late } from '../../kit/late.tsx';
import { nativeButtonLook } from '../../kit/native-button.tsx';

/** The content that a button opens next to it. */
export interface Opened {
  trigger: RefObject<HTMLButtonElement | null>;
  onClose: () => void;
}

/** A button that opens something beside it, whose code is loaded then. */
export function OpeningButton({
  label,
  className = nativeButtonLook({ kind: 'quiet', size: 'icon' }),
  opensMenu = false,
  opened,
  children,
}: {
  label: string;
  /** Its look, where it is not the kit's. */
  className?: string | undefined;
  opensMenu?: boolean;
  opened: (beside: Opened) => ReactNode;
  children: ReactNode;
}) {
  const trigger = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        ref={trigger}
        type="button"
        className={className}
        title={label}
        aria-label={label}
        aria-haspopup={opensMenu ? 'menu' : 'dialog'}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen && <Late>{opened({ trigger, onClose: () => setOpen(false) })}</Late>}
    </>
  );
}
