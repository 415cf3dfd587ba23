import { type ReactNode, type RefObject, Suspense, useRef, useState } from 'react';

/** What a button opens beside it. */
export interface Opened {
  trigger: RefObject<HTMLButtonElement | null>;
  close: () => void;
}

/** A button that opens something beside it, whose code is loaded then. */
export function OpeningButton({
  label,
  className,
  opensMenu = false,
  opened,
  children,
}: {
  label: string;
  className: string;
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
        aria-haspopup={opensMenu ? 'menu' : undefined}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen && <Suspense>{opened({ trigger, close: () => setOpen(false) })}</Suspense>}
    </>
  );
}
