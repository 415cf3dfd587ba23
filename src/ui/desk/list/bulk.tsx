import { X } from 'lucide-react';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';

import { nameOf, usePeople } from '../api/people.ts';
import { useChoices } from '../api/query.ts';
import { type ShownChange, useChangeTickets } from '../api/tickets.ts';
import type { Status, Ticket } from '../api/types.ts';
import { Button, IconButton } from '../kit/button.tsx';
import { useCommands } from '../kit/commands.ts';
import { PersonPicker } from '../kit/person-picker.tsx';
import { Picker } from '../kit/picker.tsx';
import { PrioritySign, StatusSign } from '../kit/signs.tsx';
import styles from './list.module.css';
import { snoozeTimes } from './snooze-times.ts';
import { useMe } from './views.ts';

const PRIORITIES = ['URGENT', 'HIGH', 'MEDIUM', 'LOW', 'NO_PRIORITY'] as const;
type Open = 'assignee' | 'status' | 'priority' | 'tag' | 'snooze' | undefined;

/** What can be done with several tickets at once. */
export function Bulk({ tickets, onClear }: { tickets: readonly Ticket[]; onClear: () => void }) {
  const t = useTranslations('list');
  const common = useTranslations('common');
  const format = useFormatter();
  const me = useMe();
  const [open, setOpen] = useState<Open>();
  const statuses = useChoices('listStatuses').toSorted((one, other) => one.order - other.order);
  const tags = useChoices('listTags');
  const known = usePeople(me ? [me] : []);
  const changeAll = useChangeTickets();
  const count = tickets.length;
  const apply = async (change: ShownChange) => {
    setOpen(undefined);
    onClear();
    await changeAll(tickets, change);
  };
  const assign = (id: string) => {
    const person = known.get(id);
    void apply({
      change: { assigneeId: id || null },
      said: id
        ? t('assigned', { count, name: person ? nameOf(person) : '…' })
        : t('unassignedDone', { count }),
    });
  };
  const setStatus = (status: Status | undefined) =>
    status &&
    void apply({
      change: { statusId: status.id },
      shown: { statusId: status.id, status },
      said: t('statusSet', { count, name: status.label }),
    });
  const closed =
    statuses.find(({ statusGroup }) => statusGroup.label === 'Closed') ??
    statuses.find(({ statusGroup }) => statusGroup.label === 'Done');
  const openAt = (which: Open) => ({
    isOpen: open === which,
    onOpenChange: (isOpen: boolean) => setOpen(isOpen ? which : undefined),
  });
  useCommands([
    { id: 'assign-all', group: t('ofTicket'), label: t('assign'), keys: 'a', run: () => setOpen('assignee') },
    { id: 'status-all', group: t('ofTicket'), label: t('status'), keys: 's', run: () => setOpen('status') },
    {
      id: 'priority-all',
      group: t('ofTicket'),
      label: t('priority'),
      keys: 'p',
      run: () => setOpen('priority'),
    },
    { id: 'tag-all', group: t('ofTicket'), label: t('tag'), keys: 'l', run: () => setOpen('tag') },
    { id: 'snooze-all', group: t('ofTicket'), label: t('snooze'), keys: 'h', run: () => setOpen('snooze') },
  ]);
  return (
    <div className={styles['bulk']} role="toolbar" aria-label={common('actions')}>
      <span role="status">{t('selected', { count })}</span>
      <PersonPicker
        {...openAt('assignee')}
        label={t('assign')}
        selected={[]}
        only="team"
        first={me ? [me] : []}
        none={t('unassigned')}
        onChange={([id]) => assign(id ?? '')}
      >
        <Button size="small">{t('assign')}</Button>
      </PersonPicker>
      <Picker
        {...openAt('status')}
        label={t('status')}
        selected={[]}
        options={statuses.map(({ id, label, statusGroup }) => ({
          ...{ id, text: label, group: statusGroup.label },
          sign: <StatusSign group={statusGroup.label} />,
        }))}
        onChange={([id]) => setStatus(statuses.find((status) => status.id === id))}
      >
        <Button size="small">{t('status')}</Button>
      </Picker>
      <Picker
        {...openAt('priority')}
        label={t('priority')}
        selected={[]}
        options={PRIORITIES.map((id) => ({
          id,
          text: common(`priority.${id}`),
          sign: <PrioritySign priority={id} />,
        }))}
        onChange={([id]) => {
          const priority = id as (typeof PRIORITIES)[number];
          void apply({
            change: { priority },
            said: t('prioritySet', { count, name: common(`priority.${priority}`) }),
          });
        }}
      >
        <Button size="small">{t('priority')}</Button>
      </Picker>
      {tags.length > 0 && (
        <Picker
          {...openAt('tag')}
          label={t('tag')}
          selected={[]}
          options={tags.map(({ id, name }) => ({ id, text: name }))}
          onChange={([id]) => {
            const tag = tags.find((each) => each.id === id);
            if (tag)
              void apply({
                change: { addTags: [{ id: tag.id }] },
                shown: {},
                said: t('tagged', { count, name: tag.name }),
                undo: { removeTags: [{ id: tag.id }] },
              });
          }}
        >
          <Button size="small">{t('tag')}</Button>
        </Picker>
      )}
      <Picker
        {...openAt('snooze')}
        label={t('snooze')}
        selected={[]}
        options={snoozeTimes(new Date()).map(({ id, at }) => ({
          ...{ id: at.toISOString(), text: t(id) },
          detail: format.dateTime(at, { weekday: 'short', hour: 'numeric', minute: 'numeric' }),
        }))}
        onChange={([at]) => {
          if (!at) return;
          const time = format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'short' });
          void apply({
            change: { snoozeUntil: at },
            said: t('snoozed', { count, time }),
            undo: { snoozeUntil: null },
          });
        }}
      >
        <Button size="small">{t('snooze')}</Button>
      </Picker>
      {closed && (
        <Button size="small" onPress={() => setStatus(closed)}>
          {t('closeAll')}
        </Button>
      )}
      <IconButton label={t('clearSelection')} keys="Escape" onPress={onClear}>
        <X size={14} aria-hidden />
      </IconButton>
    </div>
  );
}
