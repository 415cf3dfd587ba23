import { type Ref, useImperativeHandle, useRef } from 'react';

import type { Ticket } from '../api/types.ts';
import { Row } from './row.tsx';
import type { ListSearch } from './search.ts';
import type { Match } from './tickets.ts';

/** What keyboard navigation needs to know about the rows. */
export interface RowsHandle {
  /** The ticket after or before the one with a reference, without one the first, and the one that follows it. */
  step: (code: string | undefined, by: 1 | -1) => { next?: Ticket | undefined; after?: Ticket | undefined };
  /** The next other ticket below the one with a reference; the first if it is not in the list. */
  below: (code: string) => Ticket | undefined;
  /** Scrolls the row of a reference into view, with `isFocused` gives it the focus. */
  show: (code: string, isFocused: boolean) => void;
}

export interface RowsProps {
  ref: Ref<RowsHandle>;
  items: readonly Ticket[];
  matches: ReadonlyMap<string, Match>;
  search: ListSearch;
  /** The reference of the ticket that is open beside the list. */
  opened: string | undefined;
  /** The reference of the current row. */
  current: string | undefined;
  selected: ReadonlySet<string>;
  /** Absent: they can do nothing with several tickets. */
  onSelect: ((id: string, isSelected: boolean) => void) | undefined;
}

/** Returns the entry after or before another one, and the one that follows it; at the ends, the last and the first. */
export function stepped<Entry>(entries: readonly Entry[], at: number, by: 1 | -1) {
  const to = at === -1 ? 0 : Math.min(entries.length - 1, Math.max(0, at + by));
  return { next: entries[to], after: entries[to + by] };
}

/** Scrolls a row into view and gives its link the focus, if it is wanted. False: the row is not drawn. */
export function showRow(row: Element | null | undefined, isFocused: boolean): boolean {
  row?.scrollIntoView({ block: 'nearest' });
  if (isFocused) row?.querySelector('a')?.focus();
  return Boolean(row);
}

/** The rows of a list as it is at first: two lines each, all of them drawn. Longer ones are a table (table.tsx). */
export function Rows({ ref, items, matches, search, opened, current, selected, onSelect }: RowsProps) {
  const list = useRef<HTMLUListElement>(null);
  useImperativeHandle(
    ref,
    () => ({
      step: (code, by) =>
        stepped(
          items,
          items.findIndex((each) => each.code === code),
          by,
        ),
      below: (code) => items[items.findIndex((each) => each.code === code) + 1],
      show: (code, isFocused) =>
        showRow(list.current?.querySelector(`[data-code="${CSS.escape(code)}"]`), isFocused),
    }),
    [items],
  );
  return (
    <ul ref={list}>
      {items.map((ticket) => (
        <Row
          key={ticket.id}
          ticket={ticket}
          match={matches.get(ticket.id)}
          search={search}
          isOpen={ticket.code === opened}
          isCurrent={ticket.code === current}
          isSelected={selected.has(ticket.id)}
          isSelecting={selected.size > 0}
          onSelect={onSelect}
        />
      ))}
    </ul>
  );
}
