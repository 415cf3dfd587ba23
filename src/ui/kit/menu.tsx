import type { ReactElement } from 'react';

import { part } from './part.ts';
import { Opener } from './opener.tsx';
import type { MenuEntry } from './types.ts';

export type { MenuEntry } from './types.ts';

const Entries = part(() => import('./entries.tsx').then(({ Entries }) => Entries));

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
