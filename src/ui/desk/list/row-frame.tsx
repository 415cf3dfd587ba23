import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import { prefetchTicket } from '../api/tickets.ts';
import type { Ticket } from '../api/types.ts';
import styles from './list.module.css';
import type { ListSearch } from './search.ts';
import { foundAt, type Match } from './tickets.ts';

export interface RowProps {
  ticket: Ticket;
  /** Identifies the row for a long list (table.tsx). */
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

/**
 * What every row of a list has: its marks, the box that selects it, and the link to the ticket around what it shows.
 */
export function RowFrame({
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
  linkClass = '',
  children,
}: RowProps & { linkClass?: string | undefined; children: ReactNode }) {
  const { code } = ticket;
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
        {...foundAt(match)}
        preload={false}
        className={`${styles['link']} ${linkClass}`}
        aria-current={isOpen ? 'page' : undefined}
        onPointerEnter={() => prefetchTicket(code)}
      >
        {children}
      </Link>
    </li>
  );
}

/** The dot of an unread ticket, and under the pointer the box that selects it. */
function Check({
  ticket: { id, code, isUnread },
  isSelected,
  onSelect,
}: Pick<RowProps, 'ticket' | 'isSelected' | 'onSelect'>) {
  const t = useTranslations('list');
  return (
    <label className={styles['check']}>
      {onSelect && (
        // The browser's own: there are hundreds of them, and each needs a name and a change alone.
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
