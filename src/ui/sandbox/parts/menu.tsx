import type { ReactNode } from 'react';

import { part } from '../../kit/part.ts';
import type { MenuEntry } from '../../kit/types.ts';
import { OpeningButton } from './opening-button.tsx';

const Entries = part(() => import('../../kit/entries.tsx').then(({ Entries }) => Entries));

/** A button that opens a menu; `entries` is called when it opens. */
export function MenuButton({
  label,
  sign,
  className,
  placement = 'bottom end',
  entries,
}: {
  label: string;
  sign: ReactNode;
  className?: string;
  placement?: 'bottom start' | 'bottom end';
  entries: () => readonly MenuEntry[];
}) {
  return (
    <OpeningButton
      label={label}
      className={className}
      opensMenu
      opened={(beside) => <Entries {...beside} label={label} placement={placement} entries={entries()} />}
    >
      {sign}
    </OpeningButton>
  );
}
