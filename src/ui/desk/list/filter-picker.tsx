import { useState } from 'react';
import { useNow, useTranslations } from 'use-intl';

import { useChoices } from '../api/query.ts';
import { useRole } from '../api/session.ts';
import { Dialog } from '../kit/dialog.tsx';
import { PersonPicker } from '../kit/person-picker.tsx';
import { type Option, Picker } from '../kit/picker.tsx';
import { PrioritySign, StatusSign } from '../kit/signs.tsx';
import { type Filter, FILTERS } from './search.ts';
import { type Current, useMe } from './views.ts';

const PRIORITIES = ['URGENT', 'HIGH', 'MEDIUM', 'LOW', 'NO_PRIORITY'] as const;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Requesters see no people but those on their tickets. */
const OF_PEOPLE: readonly Filter[] = ['assigneeId', 'requesterId', 'approverId', 'followerId'];

/** Chooses a filter and its value; with `filter` the value only. */
export function FilterPicker({
  current,
  filter,
  onChange,
  onClose,
}: {
  current: Current;
  filter: Filter | undefined;
  onChange: (filter: Filter, value: string | undefined) => void;
  onClose: () => void;
}) {
  const t = useTranslations('list');
  const role = useRole();
  const [chosen, setChosen] = useState(filter);
  const fields = FILTERS.filter((name) => role !== 'requester' || !OF_PEOPLE.includes(name));
  return (
    <Dialog title={chosen ? t(`fields.${chosen}`) : t('filter')} onClose={onClose}>
      {chosen ? (
        <Values
          key={chosen}
          current={current}
          filter={chosen}
          onChange={(value) => onChange(chosen, value)}
        />
      ) : (
        <Picker
          key="fields"
          label={t('filter')}
          options={fields.map((id) => ({ id, text: t(`fields.${id}`) }))}
          selected={[]}
          onChange={([id]) => setChosen(id as Filter)}
        />
      )}
    </Dialog>
  );
}

function Values({
  current,
  filter,
  onChange,
}: {
  current: Current;
  filter: Filter;
  onChange: (value: string | undefined) => void;
}) {
  const t = useTranslations('list');
  const me = useMe();
  const options = useOptions(filter);
  const value = current.filters[filter];
  const label = t(`fields.${filter}`);
  const selected = value === undefined ? [] : [value === 'me' ? (me ?? '') : value];
  if (OF_PEOPLE.includes(filter))
    return (
      <PersonPicker
        label={label}
        selected={selected}
        first={me ? [me] : []}
        only={filter === 'assigneeId' ? 'team' : 'all'}
        onChange={([id]) => onChange(id === me ? 'me' : id)}
      />
    );
  return <Picker label={label} options={options} selected={selected} onChange={([id]) => onChange(id)} />;
}

function useOptions(filter: Filter): Option[] {
  const t = useTranslations('list');
  const common = useTranslations('common');
  const [queues, statuses, tags, types] = [
    useChoices('listQueues', filter === 'queueId'),
    useChoices('listStatuses', filter === 'statusId'),
    useChoices('listTags', filter === 'tagId'),
    useChoices('listRequestTypes', filter === 'requestTypeId'),
  ];
  const now = useNow();
  const since = (days: number) =>
    new Date(now.getTime() - days * DAY_MS).toISOString().slice(0, 10) + 'T00:00:00.000Z';
  switch (filter) {
    case 'statusId':
      return statuses
        .toSorted((one, other) => one.order - other.order)
        .map(({ id, label, statusGroup }) => ({
          ...{ id, text: label, group: statusGroup.label },
          sign: <StatusSign group={statusGroup.label} />,
        }));
    case 'queueId':
      return queues.map(({ id, name, prefix }) => ({ id, text: name, detail: prefix }));
    case 'tagId':
      return tags.map(({ id, name }) => ({ id, text: name }));
    case 'requestTypeId':
      return types.map(({ id, name }) => ({ id, text: name }));
    case 'priority':
      return PRIORITIES.map((id) => ({
        id,
        text: common(`priority.${id}`),
        sign: <PrioritySign priority={id} />,
      }));
    case 'due':
      return (['overdue', 'today', 'week'] as const).map((id) => ({ id, text: t(`dues.${id}`) }));
    case 'createdFrom':
    case 'createdTo':
      return (['today', 'week', 'month'] as const).map((id) => ({
        id: since({ today: 0, week: 7, month: 30 }[id]),
        text: t(`dates.${id}`),
      }));
    default:
      return [
        { id: 'true', text: t('yes') },
        { id: 'false', text: t('no') },
      ];
  }
}
