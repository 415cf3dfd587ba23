import { lazy, type ReactNode, Suspense, useRef, useState } from 'react';

import type { MenuItem } from './menu-item.ts';

const OpenMenu = lazy(() => import('./open-menu.tsx').then((menu) => ({ default: menu.OpenMenu })));

/** A button that opens a menu, whose code is loaded then; `items` is called when it opens. `'line'` is a divider. */
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
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        title={label}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {sign}
      </button>
      {isOpen && (
        <Suspense>
          <OpenMenu label={label} items={items()} trigger={button} end={end} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
