import { useNavigate } from '@tanstack/react-router';
import { Plus, X } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';

import { Late } from '../kit/late.tsx';
import { part } from '../kit/part.ts';
import { nameOf, usePeople } from '../api/people.ts';
import { useChoices } from '../api/query.ts';
import { useRole } from '../api/session.ts';
import { Button } from '../kit/button.tsx';
import { Opener } from '../kit/opener.tsx';
import styles from './list.module.css';
import { type Filter, FILTERS } from './search.ts';
import type { Current } from './views.ts';

const FilterPicker = part(() => import('./filter-picker.tsx').then(({ FilterPicker }) => FilterPicker));
const SaveView = part(() => import('./save-view.tsx').then(({ SaveView }) => SaveView));

/** The filters of the list, each to be changed or removed, and how to add one. */
export function Chips({ current, name }: { current: Current; name: string }) {
  const t = useTranslations('list');
  const navigate = useNavigate();
  const role = useRole();
  const [isSaving, setSaving] = useState(false);
  const textOf = useFilterText(current);
  const set = (filter: Filter, value: string | undefined) => {
    // '' removes what the view itself filters by.
    const next = value ?? (current.view.filters[filter] === undefined ? undefined : '');
    void navigate({ to: '.', search: ((before: object) => ({ ...before, [filter]: next })) as never });
  };
  // What makes the view is said by its name; what was added or changed has a chip.
  const shown = FILTERS.filter(
    (filter) =>
      current.filters[filter] !== undefined && current.filters[filter] !== current.view.filters[filter],
  );
  const removed = FILTERS.filter((filter) => current.address[filter] === '' && current.view.filters[filter]);
  const clear = () =>
    void navigate({
      to: '.',
      search: ((before: object) =>
        Object.fromEntries(
          Object.entries(before).filter(
            ([key]) => !FILTERS.includes(key as Filter) && !key.startsWith('sort'),
          ),
        )) as never,
    });
  return (
    <div className={styles['chips']}>
      {shown.map((filter) => (
        <span key={filter} className={styles['chip']}>
          <Choose
            current={current}
            filter={filter}
            onChange={set}
            button={
              <Button size="small" kind="quiet">
                {t(`fields.${filter}`)}: {textOf(filter)}
              </Button>
            }
          />
          <Button
            size="small"
            kind="quiet"
            aria-label={t('removeFilter', { name: t(`fields.${filter}`) })}
            onPress={() => set(filter, undefined)}
          >
            <X size={12} aria-hidden />
          </Button>
        </span>
      ))}
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
      {(shown.length > 0 || removed.length > 0 || current.isChanged) && (
        <Button size="small" kind="quiet" onPress={clear}>
          {t('clear')}
        </Button>
      )}
      {current.isChanged && role !== 'requester' && (
        <Button size="small" kind="quiet" onPress={() => setSaving(true)}>
          {t('saveView')}
        </Button>
      )}
      <Late>
        {isSaving && <SaveView current={current} suggested={name} onClose={() => setSaving(false)} />}
      </Late>
    </div>
  );
}

/** A button that opens the choice of a filter and its value; with `filter` of the value only. */
function Choose({
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

/** The text of a filter's value. */
function useFilterText({ filters }: Current): (filter: Filter) => string {
  const t = useTranslations('list');
  const common = useTranslations('common');
  const format = useFormatter();
  const [queues, statuses, tags, types] = [
    useChoices('listQueues', 'queueId' in filters),
    useChoices('listStatuses', 'statusId' in filters),
    useChoices('listTags', 'tagId' in filters),
    useChoices('listRequestTypes', 'requestTypeId' in filters),
  ];
  const ids = (['assigneeId', 'requesterId', 'approverId', 'followerId'] as const).flatMap((name) => {
    const id = filters[name];
    return id && id !== 'me' ? [id] : [];
  });
  const people = usePeople(ids);
  return (filter) => {
    const value = filters[filter] ?? '';
    switch (filter) {
      case 'openFilter':
      case 'unassignedFilter':
      case 'undecidedFilter':
      case 'snoozedFilter':
        return t(value === 'true' ? 'yes' : 'no');
      case 'statusId':
        return statuses.find(({ id }) => id === value)?.label ?? value;
      case 'queueId':
        return queues.find(({ id }) => id === value)?.name ?? value;
      case 'tagId':
        return tags.find(({ id }) => id === value)?.name ?? value;
      case 'requestTypeId':
        return types.find(({ id }) => id === value)?.name ?? value;
      case 'priority':
        return common(`priority.${value as 'HIGH'}`);
      case 'due':
        return t(`dues.${value as 'today'}`);
      case 'createdFrom':
      case 'createdTo':
        return format.dateTime(new Date(value), { dateStyle: 'medium' });
      default:
        return value === 'me' ? t('me') : people.has(value) ? nameOf(people.get(value)) : value;
    }
  };
}
