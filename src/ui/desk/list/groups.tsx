import { ChevronDown, ChevronRight } from 'lucide-react';
import { Button as Pressable } from 'react-aria-components/Button';
import { useTranslations } from 'use-intl';

import { nameOf, usePerson } from '../api/people.ts';
import { type TicketCount, useTicketCounts } from '../api/ticket-counts.ts';
import type { Ticket } from '../api/types.ts';
import { Avatar } from '../kit/avatar.tsx';
import { PrioritySign, StatusSign } from '../kit/signs.tsx';
import { type Grouping, groupIdsOf } from './display.ts';
import styles from './table.module.css';
import { type Current, useMe, asQuery } from './views.ts';

export interface Group {
  /** The id by which its tickets are grouped; '' without one. */
  id: string;
  tickets: readonly Ticket[];
}

/** The key of the number of those without an assignee. */
export const NONE = 'none';

/** The tickets by group, in the order in which the groups begin. A ticket with several tags is in each of theirs. */
export function groupsOf(tickets: readonly Ticket[], groupBy: Grouping): Group[] {
  const groups = new Map<string, Ticket[]>();
  for (const ticket of tickets)
    for (const id of groupIdsOf(ticket, groupBy)) groups.set(id, [...(groups.get(id) ?? []), ticket]);
  return [...groups].map(([id, own]) => ({ id, tickets: own }));
}

/** How many tickets of the list, loaded or not, each group has, as far as the service can count it. */
export function useGroupCounts(
  { filters, search }: Current,
  groupBy: Grouping | undefined,
  groups: readonly Group[],
): ReadonlyMap<string, TicketCount> {
  const me = useMe();
  const of = (id: string) => (id ? { [groupBy ?? '']: id } : { unassignedFilter: 'true' });
  // No filter finds the tickets without a tag, a queue or a requester.
  const countable = groups.filter(({ id }) => groupBy && (id || groupBy === 'assigneeId'));
  return useTicketCounts(
    countable.map(({ id }) => ({
      key: id || NONE,
      query: { ...asQuery(filters, me), ...(search && { search }), ...of(id) },
    })),
  );
}

/** The line above a group: what it is, and how many tickets it has. Pressing it hides and shows them. */
export function GroupHead({
  group: { id, tickets },
  groupBy,
  count,
  isClosed,
  onToggle,
}: {
  group: Group;
  groupBy: Grouping;
  /** Number of tickets in the whole list; absent if unknown. */
  count: TicketCount | undefined;
  isClosed: boolean;
  onToggle: () => void;
}) {
  const t = useTranslations('listParts.table');
  const shown = count?.count ?? tickets.length;
  const Sign = isClosed ? ChevronRight : ChevronDown;
  return (
    <li className={styles['group']}>
      <Pressable className={styles['groupName'] ?? ''} aria-expanded={!isClosed} onPress={onToggle}>
        <Sign size={14} aria-hidden />
        <Name id={id} groupBy={groupBy} sample={tickets[0]} />
        <span className={styles['number']} title={t(count ? 'ofAll' : 'ofLoaded', { count: shown })}>
          {shown}
          {count?.isCapped && '+'}
        </span>
      </Pressable>
    </li>
  );
}

function Name({ id, groupBy, sample }: { id: string; groupBy: Grouping; sample: Ticket | undefined }) {
  const t = useTranslations('listParts.table');
  const list = useTranslations('list');
  const common = useTranslations('common');
  const isOfPeople = groupBy === 'assigneeId' || groupBy === 'requesterId';
  const person = usePerson(isOfPeople ? id : null);
  if (!sample) return null;
  switch (groupBy) {
    case 'statusId':
      return (
        <>
          <StatusSign group={sample.status.statusGroup.label} />
          {sample.status.label}
        </>
      );
    case 'priority':
      return (
        <>
          <PrioritySign priority={sample.priority} />
          {common(`priority.${sample.priority}`)}
        </>
      );
    case 'queueId':
      return sample.queue?.name ?? t('noQueue');
    case 'tagId':
      return sample.tags.find((tag) => tag.id === id)?.name ?? t('noTags');
    case 'assigneeId':
    case 'requesterId': {
      const none = groupBy === 'assigneeId' ? list('unassigned') : t('noRequester');
      return (
        <>
          <Avatar person={person} size={16} />
          {id ? person && nameOf(person) : none}
        </>
      );
    }
  }
}
