import { X } from 'lucide-react';
import type { ComponentProps } from 'react';
import { useFormatter, useTranslations } from 'use-intl';

import { knownName } from '../api/people.ts';
import { useChoices } from '../api/query.ts';
import { type ShownChange, type TicketChange, useChangeTickets } from '../api/tickets.ts';
import type { Status, Ticket } from '../api/types.ts';
import { Button, IconButton } from '../../kit/button.tsx';
import { MoreTexts } from '../kit/more-texts.tsx';
import { Opener } from '../../kit/opener.tsx';
import { part } from '../../kit/part.ts';
import { PersonPicker } from '../kit/person-picker.tsx';
import { Picker } from '../../kit/picker.tsx';
import { PrioritySign, StatusSign } from '../kit/signs.tsx';
import { listParts } from '../messages/list-parts.ts';
import details from '../ticket/details.module.css';
import styles from './list.module.css';
import { useMe } from './views.ts';

const Panel = part(() => import('../../kit/panel.tsx').then(({ Panel }) => Panel));
const DateChooser = part(() => import('../ticket/date-chooser.tsx').then(({ DateChooser }) => DateChooser));

const PRIORITIES = ['URGENT', 'HIGH', 'MEDIUM', 'LOW', 'NO_PRIORITY'] as const;
export type BulkPicker = 'assignee' | 'status' | 'priority' | 'tag' | 'snooze' | undefined;

const TEXTS = { listParts };

/** The actions for several selected tickets. */
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
  const me = useMe();
  const statuses = useChoices('listStatuses').toSorted((one, other) => one.order - other.order);
  const tags = useChoices('listTags');
  const changes = useBulkChanges(tickets, () => {
    onOpen(undefined);
    onClear();
  });
  const closed =
    statuses.find(({ statusGroup }) => statusGroup.label === 'Closed') ??
    statuses.find(({ statusGroup }) => statusGroup.label === 'Done');
  const pickerOf = (which: BulkPicker, label: string) => ({
    label,
    selected: [],
    isOpen: open === which,
    onOpenChange: (isOpen: boolean) => onOpen(isOpen ? which : undefined),
    children: <Button size="small">{label}</Button>,
  });
  return (
    <div className={styles['bulk']} role="toolbar" aria-label={common('actions')}>
      <span role="status">{bulk('selected', { count: tickets.length })}</span>
      <PersonPicker
        {...pickerOf('assignee', t('assign'))}
        only="team"
        first={me ? [me] : []}
        none={t('unassigned')}
        onChange={([id = '']) => changes.assign(id)}
      />
      <Picker
        {...pickerOf('status', t('status'))}
        options={statuses.map(({ id, label, statusGroup }) => ({
          id,
          text: label,
          group: statusGroup.label,
          sign: <StatusSign group={statusGroup.label} />,
        }))}
        onChange={([id]) => changes.setStatus(statuses.find((status) => status.id === id))}
      />
      <Picker
        {...pickerOf('priority', t('priority'))}
        options={PRIORITIES.map((id) => ({
          id,
          text: common(`priority.${id}`),
          sign: <PrioritySign priority={id} />,
        }))}
        onChange={([id]) => changes.setPriority(PRIORITIES.find((each) => each === id))}
      />
      {tags.length > 0 && (
        <Picker
          {...pickerOf('tag', t('tag'))}
          options={tags.map(({ id, name }) => ({ id, text: name }))}
          onChange={([id]) => changes.addTag(tags.find((tag) => tag.id === id))}
        />
      )}
      <Snooze
        isOpen={open === 'snooze'}
        onOpenChange={(isOpen) => onOpen(isOpen ? 'snooze' : undefined)}
        onChoose={changes.snooze}
      />
      {closed && (
        <Button size="small" onPress={() => changes.setStatus(closed)}>
          {bulk('closeAll')}
        </Button>
      )}
      <IconButton label={bulk('clearSelection')} keys="Escape" onPress={onClear}>
        <X size={14} aria-hidden />
      </IconButton>
    </div>
  );
}

/** Until when they are put aside, chosen as on the page of a ticket. */
function Snooze({
  isOpen,
  onOpenChange,
  onChoose,
}: {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  onChoose: (until: Date) => void;
}) {
  const label = useTranslations('list')('snooze');
  return (
    <Opener
      button={<Button size="small">{label}</Button>}
      opens="dialog"
      isOpen={isOpen}
      onOpenChange={onOpenChange}
    >
      {({ trigger, close }) => (
        <Panel
          label={label}
          trigger={trigger}
          look={{ popover: details['popover'] ?? '', dialog: details['dialog'] ?? '' }}
          onClose={close}
        >
          <DateChooser
            kind="snooze"
            value={null}
            removeLabel=""
            onChoose={(until) => {
              if (until) onChoose(until);
            }}
          />
        </Panel>
      )}
    </Opener>
  );
}

/** The changes of several tickets at once, each of which can be undone; `onChange` is called as one begins. */
function useBulkChanges(tickets: readonly Ticket[], onChange: () => void) {
  const bulk = useTranslations('listParts.bulk');
  const common = useTranslations('common');
  const format = useFormatter();
  const changeAll = useChangeTickets();
  const count = tickets.length;
  const apply = (asked: ShownChange) => {
    onChange();
    void changeAll(tickets, asked);
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
    apply({ change, ...more, undo: (id) => former.get(id), expectedByUndo });
  };
  return {
    /** @param id empty: to nobody. */
    assign: (id: string) => {
      const said = id ? bulk('assigned', { count, name: knownName(id) }) : bulk('unassignedDone', { count });
      set('assigneeId', { assigneeId: id || null }, { said });
    },
    setStatus: (status: Status | undefined) => {
      if (!status) return;
      const said = bulk('statusSet', { count, name: status.label });
      set('statusId', { statusId: status.id }, { said, shown: { status } });
    },
    setPriority: (priority: (typeof PRIORITIES)[number] | undefined) => {
      if (!priority) return;
      const said = bulk('prioritySet', { count, name: common(`priority.${priority}`) });
      set('priority', { priority }, { said });
    },
    addTag: (tag: { id: string; name: string } | undefined) => {
      if (!tag) return;
      const had = tickets.filter(({ tags }) => tags.some(({ id }) => id === tag.id)).map(({ id }) => id);
      apply({
        change: { addTags: [{ id: tag.id }] },
        said: bulk('tagged', { count, name: tag.name }),
        undo: (ticket) => (had.includes(ticket) ? undefined : { removeTags: [{ id: tag.id }] }),
      });
    },
    snooze: (until: Date) => {
      const time = format.dateTime(until, { dateStyle: 'medium', timeStyle: 'short' });
      set('snoozeUntil', { snoozeUntil: until.toISOString() }, { said: bulk('snoozed', { count, time }) });
    },
  };
}
