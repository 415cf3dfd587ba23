import { X } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useTranslations } from 'use-intl';

import { part } from '../../kit/part.ts';
import { knownName, nameOf, usePeople, usePerson } from '../api/people.ts';
import { useChoices } from '../api/query.ts';
import type { Person, Queue, TicketDetail } from '../api/types.ts';
import { Avatar } from '../kit/avatar.tsx';
import { Away } from '../kit/away.tsx';
import { IconButton } from '../../kit/button.tsx';
import { PersonPicker } from '../kit/person-picker.tsx';
import { Picker } from '../../kit/picker.tsx';
import { Late } from '../../kit/late.tsx';
import { PrioritySign, StatusSign } from '../kit/signs.tsx';
import { Due, Time } from '../kit/time.tsx';
import { type Change, useChange } from './change.ts';
import type { Opening } from './opening.ts';
import { DateRow } from './date-row.tsx';
import styles from './details.module.css';
import type { Permissions } from './may.ts';
import { Known, ReadFacts } from './read-facts.tsx';
import { isOfTeam, mayChangeReaders, useQueue } from './readers.ts';
import { ReadersRow } from './readers-row.tsx';
import { Row, Section, Value } from './row.tsx';
import { targetsOf, useRequesterName } from './targets.ts';
import page from './ticket.module.css';

const PRIORITIES = ['URGENT', 'HIGH', 'MEDIUM', 'LOW', 'NO_PRIORITY'] as const;

const Approval = part(() => import('./approval.tsx').then(({ Approval }) => Approval));
const CustomFields = part(() => import('./custom-fields.tsx').then(({ CustomFields }) => CustomFields));
const MoveDialog = part(() => import('./move.tsx').then(({ MoveDialog }) => MoveDialog));
const Around = part(() => import('./around.tsx').then(({ Around }) => Around));

interface Props {
  ticket: TicketDetail;
  may: Permissions;
  opening: Opening | undefined;
  onOpening: (which: Opening | undefined) => void;
}

/** The ticket's details: shown as text, each becomes a control when it is pressed. */
export function Details({
  isSettled,
  onClose,
  ...props
}: Props & { isSettled: boolean; onClose: () => void }) {
  const t = useTranslations('ticket');
  const common = useTranslations('common');
  const { ticket, may } = props;
  const hasFields =
    ticket.requestTypeId !== null || Object.values(ticket.customFields).some((value) => value !== null);
  const isAsked = ticket.approvers.length > 0 || (ticket.approvedAt ?? ticket.declinedAt) !== null;
  return (
    <aside
      className={`${styles['details']} ${page['details']}`}
      aria-label={t('about')}
      onKeyDown={(event) => {
        // A popover takes its own Escape. The sheet closes, the panel of a wide page stays.
        if (event.key !== 'Escape' || event.defaultPrevented || innerWidth >= 1260) return;
        event.preventDefault();
        onClose();
      }}
    >
      <div className={styles['sheet-head']}>
        <h2>{t('details')}</h2>
        <IconButton label={common('close')} onPress={onClose}>
          <X size={16} aria-hidden />
        </IconButton>
      </div>
      {may.isWorker ? <Facts {...props} /> : <ReadFacts ticket={ticket} />}
      {isAsked && (
        <Suspense>
          <Approval ticket={ticket} may={may} />
        </Suspense>
      )}
      {hasFields && (
        <Suspense>
          <CustomFields ticket={ticket} canChange={may.isWorker} />
        </Suspense>
      )}
      {isSettled && (
        <Suspense>
          <Around ticket={ticket} may={may} />
        </Suspense>
      )}
    </aside>
  );
}

function Facts(props: Props) {
  const t = useTranslations('ticket');
  const { ticket } = props;
  const change = useChange(ticket);
  const targets = targetsOf(ticket);
  const requester = useRequesterName(ticket);
  return (
    <Section>
      <dl className={styles['rows']}>
        <StatusRow {...props} change={change} />
        <AssigneeRow {...props} change={change} />
        <PriorityRow {...props} change={change} />
        <QueueRow {...props} change={change} />
        <ReadersRow ticket={ticket} />
        <TypeRow {...props} change={change} />
        <TagsRow {...props} change={change} />
        <DateRow
          {...props}
          name="dueAt"
          label={t('due')}
          empty={t('noDate')}
          onChange={(dueAt, value) =>
            void change({ dueAt }, { said: dueAt ? t('said.due', { value }) : t('said.notDue') })
          }
        />
        {props.may.maySnooze && (
          <DateRow
            {...props}
            name="snoozeUntil"
            keys="h"
            label={t('snoozedUntil')}
            empty={t('notSnoozed')}
            onChange={(snoozeUntil, value) =>
              void change(
                { snoozeUntil },
                { said: snoozeUntil ? t('said.snoozed', { value }) : t('said.notSnoozed') },
              )
            }
          />
        )}
        <PeopleRow
          label={t('requester')}
          ids={ticket.requesterId ? [ticket.requesterId] : []}
          onChange={([requesterId = null], { added }) =>
            requesterId && void change({ requesterId }, { said: t('said.requester', { value: added }) })
          }
        />
        <PeopleRow
          label={t('approvers')}
          multiple
          ids={ticket.approvers.map(({ id }) => id)}
          onChange={(approverIds, { added, removed }) => {
            const said = added
              ? t('said.approverAdded', { value: added })
              : t('said.approverRemoved', { value: removed });
            const approvers = approverIds.map((id) => ({ id }));
            void change({ approverIds }, { said, shown: { approvers } });
          }}
        />
        <PeopleRow
          label={t('followers')}
          multiple
          ids={ticket.followers.map(({ id }) => id)}
          onChange={(ids, { added, removed }) => {
            const said = added
              ? t('said.followerAdded', { value: added })
              : t('said.followerRemoved', { value: removed });
            const followers = ids.map((id) => ({ id }));
            void change({ followers }, { said, shown: { followers } });
          }}
        />
        {targets.map(({ at, label, name }) => (
          <Row key={label} label={t(name)}>
            <Due at={at} label={t(label)} />
          </Row>
        ))}
        {ticket.slaPausedAt && (
          <Row label={t('targets')}>
            <span className={styles['plain']}>
              {t('pausedFor', { name: requester })} · <Time at={ticket.slaPausedAt} isShort />
            </span>
          </Row>
        )}
        <Known ticket={ticket} />
      </dl>
    </Section>
  );
}

type RowProps = Props & { change: Change };

const openAt = ({ opening, onOpening }: Props, which: Opening) => ({
  isOpen: opening === which,
  onOpenChange: (isOpen: boolean) => onOpening(isOpen ? which : undefined),
});

function StatusRow(props: RowProps) {
  const t = useTranslations('ticket');
  const { ticket, change } = props;
  const workspace = ticket.queue?.workspaceId ?? ticket.status.statusGroup.workspaceId;
  // Some statuses are limited to certain request types.
  const statuses = useChoices('listStatuses')
    .filter(
      ({ statusGroup, requestTypes, id }) =>
        id === ticket.statusId ||
        (statusGroup.workspaceId === workspace &&
          (requestTypes.length === 0 ||
            requestTypes.some(({ requestTypeId }) => requestTypeId === ticket.requestTypeId))),
    )
    .toSorted((one, other) => one.order - other.order);
  return (
    <Row label={t('status')}>
      <Picker
        label={t('status')}
        options={statuses.map(({ id, label, statusGroup }) => ({
          id,
          text: label,
          group: statusGroup.label,
          sign: <StatusSign group={statusGroup.label} />,
        }))}
        selected={[ticket.statusId]}
        onChange={([id]) => {
          const status = statuses.find((each) => each.id === id);
          if (status && status.id !== ticket.statusId)
            void change(
              { statusId: status.id },
              { said: t('said.status', { value: status.label }), shown: { status } },
            );
        }}
        {...openAt(props, 'status')}
      >
        <Value label={t('status')} text={ticket.status.label} keys="s">
          <StatusSign group={ticket.status.statusGroup.label} />
        </Value>
      </Picker>
    </Row>
  );
}

function AssigneeRow(props: RowProps) {
  const t = useTranslations('ticket');
  const { ticket, may, change } = props;
  const person = usePerson(ticket.assigneeId);
  const queue = useQueue(ticket.queueId);
  const text = ticket.assigneeId ? nameOf(person) : t('unassigned');
  return (
    <Row label={t('assignee')}>
      <PersonPicker
        label={t('assignee')}
        only="team"
        none={t('unassigned')}
        first={may.me ? [may.me] : []}
        {...(queue?.visibility === 'team' && {
          apart: {
            isFirst: (each: Person) => isOfTeam(queue, each),
            first: t('ofTeam', { queue: queue.name }),
            others: t('notOfTeam'),
          },
        })}
        selected={[ticket.assigneeId ?? '']}
        onChange={([id = '']) => {
          if (id !== (ticket.assigneeId ?? ''))
            void change(
              { assigneeId: id || null },
              { said: id ? t('said.assigned', { value: knownName(id) }) : t('said.unassigned') },
            );
        }}
        {...openAt(props, 'assignee')}
      >
        <Value label={t('assignee')} text={text} keys="a" isEmpty={!ticket.assigneeId}>
          <Avatar person={person} size={16} />
        </Value>
      </PersonPicker>
      <span className={styles['below']}>
        <Away person={person} />
      </span>
    </Row>
  );
}

function PriorityRow(props: RowProps) {
  const t = useTranslations('ticket');
  const common = useTranslations('common');
  const { ticket, change } = props;
  const textOf = (priority: string) => common(`priority.${priority}` as never);
  return (
    <Row label={t('priority')}>
      <Picker
        label={t('priority')}
        options={PRIORITIES.map((id) => ({ id, text: textOf(id), sign: <PrioritySign priority={id} /> }))}
        selected={[ticket.priority]}
        onChange={([id]) => {
          const priority = PRIORITIES.find((each) => each === id);
          if (priority && priority !== ticket.priority)
            void change({ priority }, { said: t('said.priority', { value: textOf(priority) }) });
        }}
        {...openAt(props, 'priority')}
      >
        <Value label={t('priority')} text={textOf(ticket.priority)} keys="p">
          <PrioritySign priority={ticket.priority} />
        </Value>
      </Picker>
    </Row>
  );
}

/** A move that may change who reads the ticket says so first. */
function QueueRow(props: RowProps) {
  const t = useTranslations('ticket');
  const { ticket, may, change } = props;
  const queues = useChoices('listQueues');
  const [asked, setAsked] = useState<Queue>();
  const text = ticket.queue ? named(ticket.queue) : t('none');
  const move = (queue: Queue) => {
    setAsked(undefined);
    void change({ queueId: queue.id }, { said: t('said.queue', { value: named(queue) }) });
  };
  const moveOrAsk = (queue: Queue) => {
    const from = queues.find(({ id }) => id === ticket.queueId);
    if (mayChangeReaders(ticket, from, queue)) setAsked(queue);
    else move(queue);
  };
  return (
    <Row label={t('queue')}>
      <Picker
        label={t('queue')}
        options={queues.map((queue) => ({ id: queue.id, text: named(queue), detail: queue.prefix }))}
        selected={[ticket.queueId ?? '']}
        onChange={([id]) => {
          const queue = queues.find((each) => each.id === id);
          if (queue && queue.id !== ticket.queueId) moveOrAsk(queue);
        }}
        {...openAt(props, 'queue')}
      >
        <Value label={t('queue')} text={text} isEmpty={!ticket.queue} />
      </Picker>
      <Late>
        {asked && (
          <MoveDialog
            ticket={ticket}
            may={may}
            queue={asked}
            onMove={() => move(asked)}
            onClose={() => setAsked(undefined)}
          />
        )}
      </Late>
    </Row>
  );
}

const named = ({ emoji, name }: { emoji: string | null; name: string }) =>
  emoji && !/^:?[\w+-]+:?$/.test(emoji) ? `${emoji} ${name}` : name;

/** The request types are read when they are looked for: most tickets keep theirs. */
function TypeRow(props: RowProps) {
  const t = useTranslations('ticket');
  const { ticket } = props;
  const text = ticket.requestType?.name ?? t('noRequestType');
  const [wasOpen, setOpened] = useState(false);
  const open = openAt(props, 'requestType');
  return (
    <Row label={t('requestType')}>
      <TypePicker
        {...props}
        isLoaded={wasOpen || open.isOpen}
        isOpen={open.isOpen}
        onOpenChange={(isOpen) => {
          setOpened(true);
          open.onOpenChange(isOpen);
        }}
      >
        <Value label={t('requestType')} text={text} isEmpty={!ticket.requestType} />
      </TypePicker>
    </Row>
  );
}

function TypePicker({
  ticket,
  change,
  isLoaded,
  children,
  ...open
}: RowProps & {
  isLoaded: boolean;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  children: React.ReactElement;
}) {
  const t = useTranslations('ticket');
  const forms = useChoices('listForms', isLoaded).filter(
    ({ published, type }) => published && type !== 'collection',
  );
  return (
    <Picker
      label={t('requestType')}
      options={[
        { id: '', text: t('noRequestType') },
        ...forms.map(({ id, name, parent }) => ({ id, text: name, ...(parent && { detail: parent.name }) })),
      ]}
      selected={[ticket.requestTypeId ?? '']}
      onChange={([id = '']) => {
        const form = forms.find((each) => each.id === id);
        if (id === (ticket.requestTypeId ?? '')) return;
        void change(
          { requestTypeId: id || null },
          {
            said: t('said.requestType', { value: form?.name ?? t('none') }),
            shown: {
              requestType: form ? { id: form.id, name: form.name, isPrivate: form.isPrivate } : null,
            },
          },
        );
      }}
      isOpen={open.isOpen}
      onOpenChange={open.onOpenChange}
    >
      {children}
    </Picker>
  );
}

function TagsRow(props: RowProps) {
  const t = useTranslations('ticket');
  const { ticket, change } = props;
  const open = openAt(props, 'tags');
  const [wasOpen, setOpened] = useState(false);
  const tags = useChoices('listTags', wasOpen || open.isOpen);
  const all = new Map([...ticket.tags, ...tags].map((tag) => [tag.id, tag]));
  const text = ticket.tags.map(({ name }) => name).join(', ');
  return (
    <Row label={t('tags')}>
      <Picker
        label={t('tags')}
        multiple
        options={[...all.values()].map(({ id, name }) => ({ id, text: name }))}
        selected={ticket.tags.map(({ id }) => id)}
        onChange={(ids) => {
          const added = ids.filter((id) => !ticket.tags.some((tag) => tag.id === id));
          const removed = ticket.tags.filter(({ id }) => !ids.includes(id));
          const value = [...added.map((id) => all.get(id)), ...removed].map((tag) => tag?.name).join(', ');
          void change(
            {
              ...(added.length > 0 && { addTags: added.map((id) => ({ id })) }),
              ...(removed.length > 0 && { removeTags: removed.map(({ id }) => ({ id })) }),
            },
            {
              said: added.length > 0 ? t('said.tagAdded', { value }) : t('said.tagRemoved', { value }),
              shown: {
                tags: ids.flatMap((id) => {
                  const tag = all.get(id);
                  return tag ? [{ id, name: tag.name, color: tag.color }] : [];
                }),
              },
            },
          );
        }}
        isOpen={open.isOpen}
        onOpenChange={(isOpen) => {
          setOpened(true);
          open.onOpenChange(isOpen);
        }}
      >
        <Value label={t('tags')} text={text || t('none')} keys="l" isEmpty={!text} isWrapped>
          {ticket.tags.length > 0 && (
            <span className={styles['tags']}>
              {ticket.tags.map(({ id, name }) => (
                <span key={id} className={styles['tag']}>
                  {name}
                </span>
              ))}
            </span>
          )}
        </Value>
      </Picker>
    </Row>
  );
}

/** People in a field of the ticket. */
export function PeopleRow({
  label,
  ids,
  multiple = false,
  onChange,
}: {
  label: string;
  ids: readonly string[];
  multiple?: boolean;
  /** `added` and `removed` are names. */
  onChange: (ids: string[], change: { added: string; removed: string }) => void;
}) {
  const t = useTranslations('ticket');
  const people = usePeople(ids);
  const text = ids.map((id) => nameOf(people.get(id))).join(', ');
  const namesOf = (some: readonly string[]) => some.map(knownName).join(', ');
  return (
    <Row label={label}>
      <PersonPicker
        label={label}
        multiple={multiple}
        selected={ids}
        onChange={(next) => {
          const added = namesOf(next.filter((id) => !ids.includes(id)));
          const removed = namesOf(ids.filter((id) => !next.includes(id)));
          if (added || removed) onChange(next, { added, removed });
        }}
      >
        <Value label={label} text={text || t('nobody')} isEmpty={!text}>
          {ids.length === 1 && <Avatar person={people.get(ids[0] ?? '')} size={16} />}
        </Value>
      </PersonPicker>
    </Row>
  );
}
