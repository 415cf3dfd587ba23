import { Plus } from 'lucide-react';
import { Suspense } from 'react';
import { useTranslations } from 'use-intl';

import { part } from '../../kit/part.ts';
import { Button } from '../../kit/button.tsx';
import { Choose, useSetFilter } from './choose-filter.tsx';
import styles from './list.module.css';
import type { Current } from './views.ts';

const Chosen = part(() => import('./chosen-filters.tsx').then(({ Chosen }) => Chosen));
const Changes = part(() => import('./chosen-filters.tsx').then(({ Changes }) => Changes));

/** The filters of the list, each to be changed or removed, how to add one, and how to keep them as a view. */
export function Chips({ current }: { current: Current }) {
  const t = useTranslations('list');
  const set = useSetFilter(current);
  // What makes one of the desk's own views is said by its name.
  const hasChips = current.isChanged || current.view.ownerId !== undefined;
  return (
    <div className={styles['chips']}>
      <Suspense>{hasChips && <Chosen current={current} />}</Suspense>
      <span>
        <Choose
          current={current}
          onChange={set}
          button={
            <Button size="small" kind="quiet">
              <Plus size={13} aria-hidden />
              {t('filter')}
            </Button>
          }
        />
      </span>
      <Suspense>{current.isChanged && <Changes current={current} />}</Suspense>
    </div>
  );
}
