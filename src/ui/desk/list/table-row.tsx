import { memo } from 'react';
import { useTranslations } from 'use-intl';

import { useAuthor } from '../api/author.ts';
import { nameOf, usePerson } from '../api/people.ts';
import { Avatar } from '../kit/avatar.tsx';
import { useAwayText } from '../kit/away.tsx';
import { PrioritySign, StatusSign } from '../kit/signs.tsx';
import { Time } from '../kit/time.tsx';
import type { ShownColumn } from './columns.ts';
import list from './list.module.css';
import { FoundTitle, Why } from './match.tsx';
import { Clock } from './row.tsx';
import { RowFrame, type RowProps } from './row-frame.tsx';
import styles from './table.module.css';

interface Props extends RowProps {
  columns: readonly ShownColumn[];
}

/** One ticket in one line: a cell for each column. */
export const TableRow = memo(function TableRow({ columns, ...props }: Props) {
  const t = useTranslations('list');
  const { status, isUnread } = props.ticket;
  return (
    <RowFrame {...props} linkClass={styles['cells']}>
      {columns.map((column) => (
        <Cell key={column} column={column} {...props} />
      ))}
      <span className="visually-hidden">
        {!columns.includes('status') && `${status.label} `}
        {isUnread && t('unread')}
      </span>
    </RowFrame>
  );
});

function Cell({ column, ticket, match }: RowProps & { column: ShownColumn }) {
  const t = useTranslations('list');
  const common = useTranslations('common');
  switch (column) {
    case 'code':
      return <span className={styles['quiet']}>{ticket.code}</span>;
    case 'title':
      return (
        <span className={styles['title']} dir="auto" data-unread={ticket.isUnread || undefined}>
          {match ? <FoundTitle match={match} title={ticket.title} /> : (ticket.title ?? t('untitled'))}
          {match && <Why match={match} />}
        </span>
      );
    case 'requester':
      return <Requester id={ticket.requesterId} />;
    case 'queue':
      return <span className={styles['text']}>{ticket.queue?.name}</span>;
    case 'status':
      return (
        <span className={styles['signed']}>
          <StatusSign group={ticket.status.statusGroup.label} />
          <span className={styles['text']}>{ticket.status.label}</span>
        </span>
      );
    case 'priority':
      return (
        <span className={styles['signed']} title={common(`priority.${ticket.priority}`)}>
          <PrioritySign priority={ticket.priority} />
          <span className="visually-hidden">{common(`priority.${ticket.priority}`)}</span>
        </span>
      );
    case 'assignee':
      return <Assignee id={ticket.assigneeId} />;
    case 'tags':
      return (
        <span className={styles['tags']} title={ticket.tags.map(({ name }) => name).join(', ')}>
          {shownTags(ticket.tags).map(({ id, name }) => (
            <span key={id} className={list['tag']}>
              {name}
            </span>
          ))}
          {ticket.tags.length > shownTags(ticket.tags).length && (
            <span className={styles['quiet']}>+{ticket.tags.length - shownTags(ticket.tags).length}</span>
          )}
        </span>
      );
    case 'due':
      return (
        <span className={styles['signed']}>
          <Due ticket={ticket} />
        </span>
      );
    case 'lastReply':
      return <LastReply ticket={ticket} />;
    case 'updated':
      return <Time at={ticket.updatedAt} isShort />;
    case 'age':
      return <Time at={ticket.createdAt} isShort />;
  }
}

/** Characters of two tags for which the column has room. */
const TAGS_ROOM = 14;

/** The first tags of a ticket: two if neither is cut off. */
function shownTags<Tag extends { name: string }>(tags: readonly Tag[]): readonly Tag[] {
  const two = tags.slice(0, 2);
  return two.reduce((sum, { name }) => sum + name.length, 0) > TAGS_ROOM ? tags.slice(0, 1) : two;
}

function Requester({ id }: { id: string | null }) {
  const person = usePerson(id);
  return <span className={styles['text']}>{person && nameOf(person)}</span>;
}

function Assignee({ id }: { id: string | null }) {
  const t = useTranslations('list');
  const person = usePerson(id);
  const away = useAwayText()(person);
  const name = person ? nameOf(person) : t('unassigned');
  return (
    <span className={styles['signed']} title={[name, away].filter(Boolean).join(' · ')}>
      <span className={list['sign']} data-away={away && ''}>
        <Avatar person={person} size={16} />
      </span>
      <span className={styles['text']} data-none={person ? undefined : ''}>
        {name}
        {away && <span className="visually-hidden"> · {away}</span>}
      </span>
    </span>
  );
}

function Due({ ticket }: Pick<RowProps, 'ticket'>) {
  const t = useTranslations('list');
  const requester = usePerson(ticket.requesterId);
  return <Clock ticket={ticket} waitsFor={requester ? nameOf(requester) : t('requester')} />;
}

/** Author and beginning of the last message. */
function LastReply({ ticket: { lastReply } }: Pick<RowProps, 'ticket'>) {
  const author = useAuthor(lastReply);
  if (!lastReply) return <span />;
  const name = author?.firstName ?? (author && nameOf(author));
  return (
    <span className={styles['text']} data-quiet="" dir="auto" title={lastReply.excerpt}>
      {name && <span className={styles['author']}>{name}: </span>}
      {lastReply.excerpt}
    </span>
  );
}
