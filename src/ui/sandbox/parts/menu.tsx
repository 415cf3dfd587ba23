import { lazy, type ReactNode } from 'react';

import type { MenuItem } from './menu-item.ts';
import { OpeningButton } from './opening-button.tsx';

const OpenMenu = lazy(() => import('./open-menu.tsx').then((menu) => ({ default: menu.OpenMenu })));

/** A button that opens a menu; `items` is called when it opens. `'line'` is a divider. */
export function MenuButton({
  label,
  sign,
  className = 'icon-button',
  end = true,
  items,
}: {
  label: string;
  sign: ReactNode;
  className?: string;
  end?: boolean;
  items: () => readonly MenuItem[];
}) {
  return (
    <OpeningButton
      label={label}
      className={className}
      opensMenu
      opened={(beside) => <OpenMenu {...beside} label={label} items={items()} end={end} />}
    >
      {sign}
    </OpeningButton>
  );
}
