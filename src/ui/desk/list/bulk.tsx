import { X } from 'lucide-react';
import type { ComponentProps } from 'react';
import { useFormatter, useTranslations } from 'use-intl';

import { knownName } from '../api/people.ts';
import { useChoices } from '../api/query.ts';
import { type ShownChange, type TicketChange, useChangeTickets } from '../api/tickets.ts';
import type { Status, Ticket } from '../api/types.ts';
import { Button, IconButton } from '../kit/button.tsx';
import { useCommands } from '../kit/commands.ts';
import { MoreTexts } from '../kit/more-texts.tsx';
import { PersonPicker } from '../kit/person-picker.tsx';
import { Picker } from '../kit/picker.tsx';
import { PrioritySign, StatusSign } from '../kit/signs.tsx';
import { listParts } from '../messages/list-parts.ts';
import styles from './list.module.css';
import { snoozeTimes } from './snooze-times.ts';
import { useMe } from './views.ts';

const PRIORITIES = ['URGENT', 'HIGH', 'MEDIUM', 'LOW', 'NO_PRIORITY'] as const;
export type BulkPicker = 'assignee' | 'status' | 'priority' | 'tag' | 'snooze' | undefined;

const TEXTS = { listParts };

/** What can be done with several tickets at once. */
export function Bulk(props: ComponentProps<typeof Actions>) {
  return (
    <MoreTexts texts={TEXTS}>
      <Actions {...props} />
    </MoreTexts>
  );
}

function Actions({
  tickets,
  open,
  onOpen,
  onClear,
}: {
  tickets: readonly Ticket[];
  /** The picker that is open. */
  open: BulkPicker;
  onOpen: (which: BulkPicker) => void;
  onClear: () => void;
}) {
  const t = useTranslations('list');
  const bulk = useTranslations('listParts.bulk');
  const common = useTranslations('common');
  const format = useFormatter();
  const me = useMe();
  const statuses = useChoices('listStatuses').toSorted((one, other) => one.order - other.order);
  const tags = useChoices('listTags');
  const changeAll = useChangeTickets();
  const count = tickets.length;
  const apply = async (asked: ShownChange) => {
    onOpen(undefined);
    onClear();
    await changeAll(tickets, asked);
  };
  /** Writes a field of all tickets; to undo it, each gets its own former value. */
  const set = (
    field: 'assigneeId' | 'statusId' | 'priority' | 'snoozeUntil',
    change: TicketChange,
    more: Pick<ShownChange, 'said' | 'shown'>,
  ) => {
    const former = new Map(tickets.map((ticket) => [ticket.id, { [field]: ticket[field] }]));
    // What another user has changed since is not undone.
    const expectedByUndo = { [field]: change[field] } as ShownChange['expectedByUndo'];
    return apply({ change, ...more, undo: (id) => former.get(id), expectedByUndo });
  };
  const assign = (id: string) => {
    void set(
      'assigneeId',
      { assigneeId: id || null },
      {
        said: id ? bulk('assigned', { count, name: knownName(id) }) : bulk('unassignedDone', { count }),
      },
    );
  };
  const setStatus = (status: Status | undefined) =>
    status &&
    void set(
      'statusId',
      { statusId: status.id },
      {
        shown: { status },
        said: bulk('statusSet', { count, name: status.label }),
      },
    );
  const closed =
    statuses.find(({ statusGroup }) => statusGroup.label === 'Closed') ??
    statuses.find(({ statusGroup }) => statusGroup.label === 'Done');
  const openAt = (which: BulkPicker) => ({
    isOpen: open === which,
    onOpenChange: (isOpen: boolean) => onOpen(isOpen ? which : undefined),
  });
  useCommands([
    { id: 'assign-all', group: t('ofTicket'), label: t('assign'), keys: 'a', run: () => onOpen('assignee') },
    { id: 'status-all', group: t('ofTicket'), label: t('status'), keys: 's', run: () => onOpen('status') },
    {
      id: 'priority-all',
      group: t('ofTicket'),
      label: t('priority'),
      keys: 'p',
      run: () => onOpen('priority'),
    },
    { id: 'tag-all', group: t('ofTicket'), label: t('tag'), keys: 'l', run: () => onOpen('tag') },
    { id: 'snooze-all', group: t('ofTicket'), label: t('snooze'), keys: 'h', run: () => onOpen('snooze') },
  ]);
  return (
    <div className={styles['bulk']} role="toolbar" aria-label={common('actions')}>
      <span role="status">{bulk('selected', { count })}</span>
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
          id,
          text: label,
          group: statusGroup.label,
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
          void set(
            'priority',
            { priority },
            { said: bulk('prioritySet', { count, name: common(`priority.${priority}`) }) },
          );
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
            const hadTag = new Set(
              tickets.filter(({ tags: own }) => own.some((each) => each.id === id)).map((each) => each.id),
            );
            if (tag)
              void apply({
                change: { addTags: [{ id: tag.id }] },
                said: bulk('tagged', { count, name: tag.name }),
                undo: (ticket) => (hadTag.has(ticket) ? undefined : { removeTags: [{ id: tag.id }] }),
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
          id: at.toISOString(),
          text: bulk(id),
          detail: format.dateTime(at, { weekday: 'short', hour: 'numeric', minute: 'numeric' }),
        }))}
        onChange={([at]) => {
          if (!at) return;
          const time = format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'short' });
          void set('snoozeUntil', { snoozeUntil: at }, { said: bulk('snoozed', { count, time }) });
        }}
      >
        <Button size="small">{t('snooze')}</Button>
      </Picker>
      {closed && (
        <Button size="small" onPress={() => setStatus(closed)}>
          {bulk('closeAll')}
        </Button>
      )}
      <IconButton label={bulk('clearSelection')} keys="Escape" onPress={onClear}>
        <X size={14} aria-hidden />
      </IconButton>
    </div>
  );
}
