import { useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { type ReactElement, Suspense } from 'react';
import { useTranslations } from 'use-intl';

import { part } from '../kit/part.ts';
import { Button } from '../kit/button.tsx';
import { Opener } from '../kit/opener.tsx';
import styles from './list.module.css';
import type { Filter } from './search.ts';
import type { Current } from './views.ts';

const FilterPicker = part(() => import('./filter-picker.tsx').then(({ FilterPicker }) => FilterPicker));
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

/** Sets a filter of the list in its address; undefined removes it. */
export function useSetFilter({ view }: Current) {
  const navigate = useNavigate();
  return (filter: Filter, value: string | undefined) => {
    // '' removes what the view itself filters by.
    const next = value ?? (view.filters[filter] === undefined ? undefined : '');
    void navigate({ to: '.', search: ((before: object) => ({ ...before, [filter]: next })) as never });
  };
}

/** A button that opens the choice of a filter and its value; with `filter` of the value only. */
export function Choose({
  current,
  filter,
  onChange,
  button,
}: {
  current: Current;
  filter?: Filter;
  onChange: (filter: Filter, value: string | undefined) => void;
  button: ReactElement;
}) {
  return (
    <Opener button={button} opens="dialog">
      {({ trigger, close }) => (
        <FilterPicker
          trigger={trigger}
          current={current}
          filter={filter}
          onChange={(changed, value) => {
            close();
            onChange(changed, value);
          }}
          onClose={close}
        />
      )}
    </Opener>
  );
}
