import { useNavigate } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';

import { Late } from '../../kit/late.tsx';
import { part } from '../../kit/part.ts';
import { nameOf, usePeople } from '../api/people.ts';
import { useChoices } from '../api/query.ts';
import { useRole } from '../api/session.ts';
import { Button } from '../../kit/button.tsx';
import { MoreTexts } from '../kit/more-texts.tsx';
import { listParts } from '../messages/list-parts.ts';
import { Choose, useSetFilter } from './choose-filter.tsx';
import { useDisplay } from './display.ts';
import styles from './list.module.css';
import { saveChanges } from './saved-views.ts';
import { type Filter, FILTERS, takesSeveral, valuesOf } from './search.ts';
import { type Current, useMe } from './views.ts';

const SaveView = part(() => import('./save-view.tsx').then(({ SaveView }) => SaveView));

const TEXTS = { listParts };

/** The filters of the list as chips: those that differ from the view, and all of a saved one, as it can be changed. */
export function Chosen({ current }: { current: Current }) {
  return (
    <MoreTexts texts={TEXTS}>
      <ChosenChips current={current} />
    </MoreTexts>
  );
}

function ChosenChips({ current }: { current: Current }) {
  const t = useTranslations('listParts.filters');
  const set = useSetFilter(current);
  const textOf = useFilterText(current);
  const isSaved = current.view.ownerId !== undefined;
  const shown = FILTERS.filter(
    (filter) =>
      current.filters[filter] !== undefined &&
      (isSaved || current.filters[filter] !== current.view.filters[filter]),
  );
  return shown.map((filter) => (
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
  ));
}

/** The actions for a list that differs from its view: discard or save the changes. */
export function Changes({ current }: { current: Current }) {
  return (
    <MoreTexts texts={TEXTS}>
      <Acts current={current} />
    </MoreTexts>
  );
}

function Acts({ current }: { current: Current }) {
  const t = useTranslations('listParts.filters');
  const navigate = useNavigate();
  const role = useRole();
  const me = useMe();
  const { groupBy } = useDisplay(current.view);
  const [isSaving, setSaving] = useState(false);
  const { ownerId } = current.view;
  const isSaved = ownerId !== undefined;
  const mayChange = isSaved && (role === 'admin' || ownerId === me);
  const discard = () =>
    void navigate({
      to: '.',
      search: ((before: object) =>
        Object.fromEntries(
          Object.entries(before).filter(
            ([key]) => !FILTERS.includes(key as Filter) && !key.startsWith('sort'),
          ),
        )) as never,
    });
  const save = async () => {
    // The view has now what the address added.
    if (await saveChanges(current, groupBy)) discard();
  };
  return (
    <>
      <Button size="small" kind="quiet" onPress={discard}>
        {t(isSaved ? 'discard' : 'clear')}
      </Button>
      {mayChange && (
        <Button size="small" kind="quiet" onPress={() => void save()}>
          {t('saveChanges')}
        </Button>
      )}
      {role !== 'requester' && (
        <Button size="small" kind="quiet" onPress={() => setSaving(true)}>
          {t(isSaved ? 'saveNewView' : 'saveView')}
        </Button>
      )}
      <Late>
        {isSaving && <SaveView current={current} groupBy={groupBy} onClose={() => setSaving(false)} />}
      </Late>
    </>
  );
}

/** The text of a filter's values: "High or Urgent". */
function useFilterText({ filters }: Current): (filter: Filter) => string {
  const t = useTranslations('listParts.filters');
  const common = useTranslations('common');
  const format = useFormatter();
  const [queues, statuses, tags, types] = [
    useChoices('listQueues', 'queueId' in filters),
    useChoices('listStatuses', 'statusId' in filters),
    useChoices('listTags', 'tagId' in filters),
    useChoices('listRequestTypes', 'requestTypeId' in filters),
  ];
  const ids = (['assigneeId', 'requesterId', 'approverId', 'followerId'] as const).flatMap((name) =>
    valuesOf(filters[name]).filter((id) => id !== 'me'),
  );
  const people = usePeople(ids);
  const textOf = (filter: Filter, value: string) => {
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
  return (filter) => {
    const values = takesSeveral(filter) ? valuesOf(filters[filter]) : [filters[filter] ?? ''];
    return format.list(
      values.map((value) => textOf(filter, value)),
      { type: 'disjunction' },
    );
  };
}
