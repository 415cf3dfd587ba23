import { lazy, type ReactElement, type ReactNode } from 'react';

import { Opener } from './opener.tsx';

const Entries = lazy(() => import('./entries.tsx').then(({ Entries }) => ({ default: Entries })));

export interface MenuEntry {
  id: string;
  label: string;
  sign?: ReactNode;
  keys?: string;
  isDangerous?: boolean;
  href?: string;
  onAction?: () => void;
}

/** Things to do, behind a button. */
export function Menu({
  label,
  entries,
  children,
}: {
  label: string;
  entries: readonly MenuEntry[];
  children: ReactElement;
}) {
  return (
    <Opener button={children} opens="menu">
      {({ trigger, close }) => <Entries label={label} entries={entries} trigger={trigger} onClose={close} />}
    </Opener>
  );
}
