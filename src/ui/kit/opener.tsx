import { type ReactElement, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { ButtonContext } from 'react-aria-components/Button';

import { Late } from './late.tsx';

/**
 * A button, and what it opens beside itself. Components for overlays are much code that no page shows at first: what is
 * opened is a `lazy` component, and gets the button to stand beside.
 */
export function Opener({
  button,
  opens,
  isOpen,
  onOpenChange,
  children,
}: {
  /** A kit `Button`, or another one of React Aria's. */
  button: ReactElement;
  opens: 'dialog' | 'menu';
  isOpen?: boolean | undefined;
  onOpenChange?: ((isOpen: boolean) => void) | undefined;
  children: (panel: { trigger: RefObject<HTMLButtonElement | null>; close: () => void }) => ReactNode;
}) {
  const trigger = useRef<HTMLButtonElement>(null);
  const [isOwnOpen, setOwnOpen] = useState(false);
  const open = isOpen ?? isOwnOpen;
  // A panel that has been closed says so once more when it is gone: by then another one may be open.
  const isOpenNow = useRef(open);
  useEffect(() => {
    isOpenNow.current = open;
  }, [open]);
  const setOpen = (next: boolean) => {
    if (next === isOpenNow.current) return;
    isOpenNow.current = next;
    setOwnOpen(next);
    onOpenChange?.(next);
  };
  return (
    <>
      <ButtonContext
        value={{
          ref: trigger,
          onPress: () => setOpen(!open),
          'aria-haspopup': opens,
          'aria-expanded': open,
        }}
      >
        {button}
      </ButtonContext>
      {open && <Late>{children({ trigger, close: () => setOpen(false) })}</Late>}
    </>
  );
}
