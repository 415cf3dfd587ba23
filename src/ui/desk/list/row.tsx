import { Link } from '@tanstack/react-router';
import { AlarmClock } from 'lucide-react';
import { memo, Suspense } from 'react';
import { useFormatter, useTranslations } from 'use-intl';

import { nameOf, usePerson } from '../api/people.ts';
import { prefetchTicket } from '../api/tickets.ts';
import type { Ticket } from '../api/types.ts';
import { Avatar } from '../kit/avatar.tsx';
import { useAwayText } from '../kit/away.tsx';
import { part } from '../kit/part.ts';
import { PrioritySign, StatusSign } from '../kit/signs.tsx';
import { Due, Paused, Time } from '../kit/time.tsx';
import styles from './list.module.css';
import type { ListSearch } from './search.ts';
import type { Match } from './tickets.ts';

const FoundTitle = part(() => import('./match.tsx').then(({ FoundTitle }) => FoundTitle));
const Why = part(() => import('./match.tsx').then(({ Why }) => Why));

export interface RowProps {
  ticket: Ticket;
  /** By which a long list finds it (table.tsx). */
  line?: string;
  /** Where it is in a list of which only a part is drawn, from 1. */
  place?: number | undefined;
  count?: number;
  match: Match | undefined;
  search: ListSearch;
  isOpen: boolean;
  isCurrent: boolean;
  isSelected: boolean;
  /** Whether others are selected: the boxes stay visible. */
  isSelecting: boolean;
  /** Absent: they can do nothing with several tickets. */
  onSelect: ((id: string, isSelected: boolean) => void) | undefined;
}

/** One ticket in two lines of a fixed height. */
export const Row = memo(function Row({
  ticket,
  line,
  place,
  count,
  match,
  search,
  isOpen,
  isCurrent,
  isSelected,
  isSelecting,
  onSelect,
}: RowProps) {
  const t = useTranslations('list');
  const common = useTranslations('common');
  const requester = usePerson(ticket.requesterId);
  const assignee = usePerson(ticket.assigneeId);
  const away = useAwayText()(assignee);
  const assigned = assignee ? [nameOf(assignee), away].filter(Boolean).join(' · ') : t('unassigned');
  const { code, title, status, priority, updatedAt, isUnread } = ticket;
  return (
    <li
      className={styles['row']}
      data-code={code}
      data-line={line}
      aria-posinset={place}
      aria-setsize={place && count}
      data-current={isCurrent || undefined}
      data-selected={isSelected || undefined}
      data-selecting={isSelecting || undefined}
    >
      <Check ticket={ticket} isSelected={isSelected} onSelect={onSelect} />
      <Link
        to="/tickets/$code"
        params={{ code }}
        search={search as never}
        preload={false}
        className={styles['link']}
        aria-current={isOpen ? 'page' : undefined}
        onPointerEnter={() => prefetchTicket(code)}
      >
        <span className={styles['first']}>
          <StatusSign group={status.statusGroup.label} />
          <span className="visually-hidden">
            {status.label}
            {isUnread && `, ${t('unread')}`}
          </span>
          <span className={styles['code']}>{code}</span>
          <span className={styles['title']} dir="auto" data-unread={isUnread || undefined}>
            {match ? (
              <Suspense fallback={title}>
                <FoundTitle match={match} title={title} />
              </Suspense>
            ) : (
              (title ?? t('untitled'))
            )}
          </span>
          <Time at={updatedAt} isShort />
        </span>
        <span className={styles['second']}>
          <span className={styles['people']}>
            {requester ? nameOf(requester) : ' '}
            <Suspense>{match && <Why match={match} />}</Suspense>
          </span>
          {ticket.tags.slice(0, 2).map((tag) => (
            <span key={tag.id} className={styles['tag']}>
              {tag.name}
            </span>
          ))}
          <Clock ticket={ticket} waitsFor={requester ? nameOf(requester) : t('requester')} />
          {priority !== 'NO_PRIORITY' && priority !== 'MEDIUM' && (
            <span className={styles['sign']} title={common(`priority.${priority}`)}>
              <PrioritySign priority={priority} />
              <span className="visually-hidden">{common(`priority.${priority}`)}</span>
            </span>
          )}
          <span className={styles['sign']} title={assigned} data-away={away && ''}>
            <Avatar person={assignee} size={16} />
            <span className="visually-hidden">{assigned}</span>
          </span>
        </span>
      </Link>
    </li>
  );
});

/** The dot of an unread ticket, and under the pointer the box that selects it. */
export function Check({
  ticket: { id, code, isUnread },
  isSelected,
  onSelect,
}: Pick<RowProps, 'ticket' | 'isSelected' | 'onSelect'>) {
  const t = useTranslations('list');
  return (
    <label className={styles['check']}>
      {onSelect && (
        <input
          type="checkbox"
          checked={isSelected}
          aria-label={t('select', { reference: code })}
          onChange={({ target }) => onSelect(id, target.checked)}
        />
      )}
      <span className={styles['dot']} data-unread={isUnread || undefined} />
    </label>
  );
}

/** The clock that ends first, or that the targets are paused; of a snoozed ticket when it comes back. */
export function Clock({ ticket, waitsFor }: { ticket: Ticket; waitsFor: string }) {
  const t = useTranslations('list');
  const format = useFormatter();
  const { snoozeUntil, firstReplyDueAt, resolutionDueAt, slaPausedAt, dueAt, status } = ticket;
  if (snoozeUntil && new Date(snoozeUntil) > new Date()) {
    const time = format.dateTime(new Date(snoozeUntil), { dateStyle: 'medium', timeStyle: 'short' });
    return (
      <span className={styles['snoozed']} title={t('snoozedUntil', { time })}>
        <AlarmClock size={13} aria-hidden />
        {format.dateTime(new Date(snoozeUntil), { month: 'short', day: 'numeric' })}
      </span>
    );
  }
  const [first] = (
    [
      [firstReplyDueAt, t('firstReply')],
      [resolutionDueAt, t('resolution')],
      [dueAt, t('due')],
    ] as const
  )
    .flatMap(([at, label]) => (at ? [{ at, label }] : []))
    .toSorted((one, other) => (one.at < other.at ? -1 : 1));
  if (status.statusGroup.label === 'Closed' || status.statusGroup.label === 'Done') return null;
  if (first) return <Due {...first} isInLink />;
  return slaPausedAt ? (
    <Paused since={slaPausedAt} label={t('pausedFor', { name: waitsFor })} isInLink>
      {t('paused')}
    </Paused>
  ) : null;
}
