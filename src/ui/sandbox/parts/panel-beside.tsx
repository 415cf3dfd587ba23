import type { ReactNode } from 'react';
import { Popover } from 'react-aria-components/Popover';

import type { Opened } from './opening-button.tsx';

/** A panel below the button that opened it, at the end or the beginning of that. */
export function PanelBeside({
  trigger,
  close,
  end,
  children,
}: Opened & {
  end: boolean;
  children: ReactNode;
}) {
  return (
    <Popover
      isOpen
      onOpenChange={(isOpen) => !isOpen && close()}
      triggerRef={trigger}
      className="popup"
      placement={end ? 'bottom end' : 'bottom start'}
      offset={4}
    >
      {children}
    </Popover>
  );
}
