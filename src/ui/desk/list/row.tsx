import { AlarmClock } from 'lucide-react';
import { memo, Suspense } from 'react';
import { useFormatter, useTranslations } from 'use-intl';

import { nameOf, usePerson } from '../api/people.ts';
import type { Ticket } from '../api/types.ts';
import { Avatar } from '../kit/avatar.tsx';
import { useAwayText } from '../kit/away.tsx';
import { part } from '../../kit/part.ts';
import { PrioritySign, StatusSign } from '../kit/signs.tsx';
import { Due, Paused, Time } from '../kit/time.tsx';
import styles from './list.module.css';
import { RowFrame, type RowProps } from './row-frame.tsx';

const FoundTitle = part(() => import('./match.tsx').then(({ FoundTitle }) => FoundTitle));
const Why = part(() => import('./match.tsx').then(({ Why }) => Why));

/** One ticket in two lines of a fixed height. */
export const Row = memo(function Row(props: RowProps) {
  const t = useTranslations('list');
  const common = useTranslations('common');
  const { ticket, match } = props;
  const requester = usePerson(ticket.requesterId);
  const assignee = usePerson(ticket.assigneeId);
  const away = useAwayText()(assignee);
  const assigned = assignee ? [nameOf(assignee), away].filter(Boolean).join(' · ') : t('unassigned');
  const { code, title, status, priority, updatedAt, isUnread } = ticket;
  return (
    <RowFrame {...props}>
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
    </RowFrame>
  );
});

/** The clock that ends first, or that the targets are paused; of a snoozed ticket when it comes back. */
export function Clock({ ticket, waitsFor }: { ticket: Ticket; waitsFor: string }) {
  const t = useTranslations('list');
  const format = useFormatter();
  const { snoozeUntil, firstReplyDueAt, resolutionDueAt, slaPausedAt, dueAt, status } = ticket;
  if (snoozeUntil && new Date(snoozeUntil) > new Date()) {
    const until = new Date(snoozeUntil);
    const isToday = until.toDateString() === new Date().toDateString();
    const time = format.dateTime(until, { dateStyle: 'medium', timeStyle: 'short' });
    return (
      <span className={styles['snoozed']} title={t('snoozedUntil', { time })}>
        <AlarmClock size={13} aria-hidden />
        {format.dateTime(until, isToday ? { timeStyle: 'short' } : { month: 'short', day: 'numeric' })}
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
