import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { Button as Pressable } from 'react-aria-components/Button';
import { useTranslations } from 'use-intl';

import { call, Refusal } from '../api/call.ts';
import { nameOf, usePerson } from '../api/people.ts';
import { keyOf } from '../api/query.ts';
import type { Ticket } from '../api/types.ts';
import { Avatar } from '../kit/avatar.tsx';
import { PrioritySign, StatusSign } from '../kit/signs.tsx';
import type { Grouping } from './display.ts';
import styles from './table.module.css';
import { type Current, useMe, withMe } from './views.ts';

export interface Group {
  /** The id by which its tickets are grouped; '' without one. */
  id: string;
  tickets: readonly Ticket[];
}

/** Groups of one request for their numbers at most (LIMITS.ticketCounts of the contract). */
const COUNTED = 30;
/** The key of the number of those without an assignee. */
export const NONE = 'none';

function idsOf(ticket: Ticket, groupBy: Grouping): string[] {
  if (groupBy !== 'tagId') return [ticket[groupBy] ?? ''];
  return ticket.tags.length > 0 ? ticket.tags.map(({ id }) => id) : [''];
}

/** The tickets by group, in the order in which the groups begin. A ticket with several tags is in each of theirs. */
export function groupsOf(tickets: readonly Ticket[], groupBy: Grouping): Group[] {
  const groups = new Map<string, Ticket[]>();
  for (const ticket of tickets)
    for (const id of idsOf(ticket, groupBy)) groups.set(id, [...(groups.get(id) ?? []), ticket]);
  return [...groups].map(([id, own]) => ({ id, tickets: own }));
}

/** How many tickets of the list, loaded or not, each group has, as far as the service can count it. */
export function useGroupCounts(
  { filters, search }: Current,
  groupBy: Grouping | undefined,
  groups: readonly Group[],
): ReadonlyMap<string, { count: number; isCapped: boolean }> {
  const me = useMe();
  const of = (id: string) => (id ? { [groupBy ?? '']: id } : { unassignedFilter: 'true' });
  const body = {
    filters: groups
      // No filter finds the tickets without a tag, a queue or a requester.
      .filter(({ id }) => groupBy && (id || groupBy === 'assigneeId'))
      .slice(0, COUNTED)
      .map(({ id }) => ({
        key: id || NONE,
        query: { ...withMe(filters, me), ...(search && { search }), ...of(id) },
      })),
  };
  const { data } = useQuery({
    queryKey: keyOf('countTickets', { body }),
    queryFn: async ({ signal }) => {
      try {
        return await call('countTickets', { body }, { signal });
      } catch (error) {
        // Another service may count none.
        if (error instanceof Refusal && error.isAbsent) return { counts: [] };
        throw error;
      }
    },
    enabled: body.filters.length > 0,
    placeholderData: keepPreviousData,
  });
  return new Map(data?.counts.map((each) => [each.key, each]));
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
  /** Of the whole list; absent: unknown. */
  count: { count: number; isCapped: boolean } | undefined;
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
