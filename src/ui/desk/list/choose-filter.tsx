import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';

import { part } from '../../kit/part.ts';
import { Opener } from '../../kit/opener.tsx';
import type { Filter } from './search.ts';
import type { Current } from './views.ts';

const FilterPicker = part(() => import('./filter-picker.tsx').then(({ FilterPicker }) => FilterPicker));

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
          onChange={onChange}
          onClose={close}
        />
      )}
    </Opener>
  );
}
