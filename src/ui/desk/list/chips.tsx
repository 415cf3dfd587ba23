import { Suspense } from 'react';

import { part } from '../../kit/part.ts';
import styles from './list.module.css';
import type { Current } from './views.ts';

const Chosen = part(() => import('./chosen-filters.tsx').then(({ Chosen }) => Chosen));
const Changes = part(() => import('./chosen-filters.tsx').then(({ Changes }) => Changes));

/** The filters of the list, each to be changed or removed, and how to keep them as a view. */
export function Chips({ current }: { current: Current }) {
  // What makes one of the desk's own views is said by its name.
  if (!current.isChanged && current.view.ownerId === undefined) return null;
  return (
    <div className={styles['chips']}>
      <Suspense>
        <Chosen current={current} />
        {current.isChanged && <Changes current={current} />}
      </Suspense>
    </div>
  );
}
