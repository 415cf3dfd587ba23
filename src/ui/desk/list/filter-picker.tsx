import { type ComponentProps, type RefObject, useState } from 'react';
import { useNow, useTranslations } from 'use-intl';

import { Late } from '../../kit/late.tsx';
import { part } from '../../kit/part.ts';
import { useChoices } from '../api/query.ts';
import { useRole } from '../api/session.ts';
import { MoreTexts } from '../kit/more-texts.tsx';
import { Panel } from '../../kit/panel.tsx';
import { PersonPicker } from '../kit/person-picker.tsx';
import { type Option, Picker } from '../../kit/picker.tsx';
import { PrioritySign, StatusSign } from '../kit/signs.tsx';
import { Loading } from '../kit/states.tsx';
import { listParts } from '../messages/list-parts.ts';
import styles from './list.module.css';
import { type Filter, FILTERS, takesSeveral, valuesOf } from './search.ts';
import { type Current, useMe } from './views.ts';

const PRIORITIES = ['URGENT', 'HIGH', 'MEDIUM', 'LOW', 'NO_PRIORITY'] as const;
const MidnightChooser = part(() =>
  import('../ticket/date-chooser.tsx').then(({ MidnightChooser }) => MidnightChooser),
);
/** Chosen to see the calendar. */
const OTHER_DAY = 'other day';
const DAYS = { today: 0, week: 7, month: 30 } as const;

/** Requesters see no people but those on their tickets. */
const OF_PEOPLE: readonly Filter[] = ['assigneeId', 'requesterId', 'approverId', 'followerId'];

const TEXTS = { listParts };

/** Chooses a filter and its values; with `filter` the values only. What takes several stays open. */
export function FilterPicker(props: ComponentProps<typeof Chooser>) {
  return (
    <MoreTexts texts={TEXTS}>
      <Chooser {...props} />
    </MoreTexts>
  );
}

function Chooser({
  trigger,
  current,
  filter,
  onChange,
  onClose,
}: {
  trigger: RefObject<HTMLElement | null>;
  current: Current;
  filter: Filter | undefined;
  onChange: (filter: Filter, value: string | undefined) => void;
  onClose: () => void;
}) {
  const t = useTranslations('list');
  const more = useTranslations('listParts.filters');
  const role = useRole();
  const [chosen, setChosen] = useState(filter);
  const fields = FILTERS.filter((name) => role !== 'requester' || !OF_PEOPLE.includes(name));
  return (
    <Panel label={chosen ? more(`fields.${chosen}`) : t('filter')} trigger={trigger} onClose={onClose}>
      <div
        // One press closes it, whatever was typed.
        onKeyDownCapture={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          event.stopPropagation();
          onClose();
        }}
      >
        {chosen ? (
          <Values
            key={chosen}
            current={current}
            filter={chosen}
            onChange={(value) => {
              if (!takesSeveral(chosen)) onClose();
              onChange(chosen, value);
            }}
          />
        ) : (
          <Picker
            key="fields"
            label={t('filter')}
            options={fields.map((id) => ({ id, text: more(`fields.${id}`) }))}
            selected={[]}
            onChange={([id]) => setChosen(id as Filter)}
          />
        )}
      </div>
    </Panel>
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
  const more = useTranslations('listParts.filters');
  const me = useMe();
  const [isPicking, setPicking] = useState(false);
  const options = useOptions(filter);
  const value = current.filters[filter];
  // Not from the address, which follows later: the next of two quick presses adds to the first.
  const [selected, setSelected] = useState(() =>
    valuesOf(value).map((one) => (one === 'me' ? (me ?? '') : one)),
  );
  const label = more(`fields.${filter}`);
  const placeOf = (id: string) => options.findIndex((option) => option.id === id);
  const choose = (ids: string[]) => {
    setSelected(ids);
    onChange(ids.map((id) => (id === me ? 'me' : id)).join() || undefined);
  };
  if (OF_PEOPLE.includes(filter))
    return (
      <PersonPicker
        label={label}
        multiple
        selected={selected}
        first={me ? [me] : []}
        only={filter === 'assigneeId' ? 'team' : 'all'}
        onChange={choose}
      />
    );
  if (isPicking)
    return (
      <div className={styles['calendar']}>
        <Late meanwhile={<Loading rows={6} />}>
          <MidnightChooser
            label={label}
            value={value ? new Date(value) : null}
            onChange={(midnight) => onChange(midnight.toISOString())}
          />
        </Late>
      </div>
    );
  return (
    <Picker
      label={label}
      options={options}
      multiple={takesSeveral(filter)}
      selected={selected}
      onChange={(ids) =>
        ids.includes(OTHER_DAY)
          ? setPicking(true)
          : choose(ids.toSorted((one, other) => placeOf(one) - placeOf(other)))
      }
    />
  );
}

function useOptions(filter: Filter): Option[] {
  const more = useTranslations('listParts.filters');
  const common = useTranslations('common');
  const [queues, statuses, tags, types] = [
    useChoices('listQueues', filter === 'queueId'),
    useChoices('listStatuses', filter === 'statusId'),
    useChoices('listTags', filter === 'tagId'),
    useChoices('listRequestTypes', filter === 'requestTypeId'),
  ];
  const now = useNow();
  const midnight = (days: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - days).toISOString();
  switch (filter) {
    case 'statusId':
      return statuses
        .toSorted((one, other) => one.order - other.order)
        .map(({ id, label, statusGroup }) => ({
          id,
          text: label,
          group: statusGroup.label,
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
      return (['overdue', 'today', 'week'] as const).map((id) => ({ id, text: more(`dues.${id}`) }));
    case 'createdFrom':
    case 'createdTo':
      return [
        ...(['today', 'week', 'month'] as const).map((id) => ({
          id: midnight(DAYS[id]),
          text: more(`${filter === 'createdFrom' ? 'dates' : 'daysAgo'}.${id}`),
        })),
        { id: OTHER_DAY, text: more('pickDay') },
      ];
    default:
      return [
        { id: 'true', text: more('yes') },
        { id: 'false', text: more('no') },
      ];
  }
}
