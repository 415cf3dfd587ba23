import { useNavigate } from '@tanstack/react-router';
import { ArrowDown, ArrowUp } from 'lucide-react';
import {
  type CSSProperties,
  type RefObject,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Button as Pressable } from 'react-aria-components/Button';
import { useTranslations } from 'use-intl';

import type { More } from '../api/rows.ts';
import type { Ticket } from '../api/types.ts';
import { useMedia } from '../kit/media.ts';
import { MoreTexts } from '../kit/more-texts.tsx';
import { listParts } from '../messages/list-parts.ts';
import { type ShownColumn, SORT_OF, templateOf, useColumns } from './columns.ts';
import type { Display, Grouping } from './display.ts';
import { type Group, GroupHead, groupsOf, NONE, useGroupCounts } from './groups.tsx';
import { Row } from './row.tsx';
import { type RowsProps, showRow, stepped } from './rows.tsx';
import { TableRow } from './table-row.tsx';
import styles from './table.module.css';
import { isByMatch } from './tickets.ts';
import type { Current } from './views.ts';
import { useWindow } from './window.ts';

const TEXTS = { listParts };
/** Scrolling to the end reads on until there are so many rows, which each change reads again; then a press does. */
const MOST_BY_SCROLLING = 1_000;

interface Props extends RowsProps {
  list: Current;
  display: Display;
  groupBy: Grouping | undefined;
  /** One line a ticket, in columns; otherwise two lines. */
  isWide: boolean;
  more: More;
}

/** A list with columns, in groups, or a long one: of many rows only those in view are drawn. */
export function Table(props: Props) {
  return (
    <MoreTexts texts={TEXTS}>
      <Lines {...props} />
    </MoreTexts>
  );
}

/** A line of the list: a ticket, or the head of a group. */
type Line = { key: string; group: Group } | { key: string; ticket: Ticket };

const isTicket = (line: Line): line is Extract<Line, { ticket: Ticket }> => 'ticket' in line;

function linesOf(
  items: readonly Ticket[],
  groups: readonly Group[] | undefined,
  closed: ReadonlySet<string>,
): Line[] {
  if (!groups) return items.map((ticket) => ({ key: ticket.id, ticket }));
  return groups.flatMap((group) => [
    { key: `group ${group.id}`, group },
    ...(closed.has(group.id) ? [] : group.tickets).map((ticket) => ({
      key: `${group.id} ${ticket.id}`,
      ticket,
    })),
  ]);
}

function Lines({
  ref,
  items,
  matches,
  search,
  opened,
  current,
  selected,
  onSelect,
  list,
  display,
  groupBy,
  isWide,
  more,
}: Props) {
  const rows = useRef<HTMLUListElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const columns = useColumns(display.columns);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const groups = useMemo(() => (groupBy ? groupsOf(items, groupBy) : undefined), [items, groupBy]);
  const counts = useGroupCounts(list, groupBy, groups ?? []);
  const lines = useMemo(() => linesOf(items, groups, closed), [items, groups, closed]);
  const rowHeight = useRowHeight(isWide, display.isCompact);
  const drawn = useWindow(rows, { count: lines.length, rowHeight });
  const listName = JSON.stringify([list.view.id, list.address, groupBy]);
  useEnd(end, { listName, count: items.length, more });

  const currentLine = useCurrentLine(ref, { rows, lines, current, drawn });
  const look = { '--row': `${rowHeight}px`, '--cells': templateOf(columns) } as CSSProperties;
  const place = (at: number) => (drawn.to - drawn.from < lines.length ? at + 1 : undefined);
  const toggle = (id: string) =>
    setClosed((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  return (
    <>
      {isWide && <Head columns={columns} list={list} look={look} />}
      <ul
        ref={rows}
        className={styles['lines']}
        data-wide={isWide || undefined}
        style={{ ...look, padding: drawn.padding }}
      >
        {lines.slice(drawn.from, drawn.to).map((each, index) => {
          if (!isTicket(each))
            return (
              groupBy && (
                <GroupHead
                  key={each.key}
                  group={each.group}
                  groupBy={groupBy}
                  count={counts.get(each.group.id || NONE)}
                  isClosed={closed.has(each.group.id)}
                  onToggle={() => toggle(each.group.id)}
                />
              )
            );
          const { ticket } = each;
          const row = {
            ticket,
            line: each.key,
            match: matches.get(ticket.id),
            search,
            isOpen: ticket.code === opened,
            isCurrent: each.key === currentLine,
            isSelected: selected.has(ticket.id),
            isSelecting: selected.size > 0,
            onSelect,
            place: place(drawn.from + index),
            count: lines.length,
          };
          return isWide ? (
            <TableRow key={each.key} {...row} columns={columns} />
          ) : (
            <Row key={each.key} {...row} />
          );
        })}
      </ul>
      <div ref={end} />
    </>
  );
}

/**
 * The key of the current line, and for the keys the way from it to others: a ticket with two tags is there twice. Keys
 * need a line before it is drawn.
 */
function useCurrentLine(
  ref: Props['ref'],
  {
    rows,
    lines,
    current,
    drawn,
  }: {
    rows: RefObject<HTMLElement | null>;
    lines: readonly Line[];
    /** The reference of the ticket. */
    current: string | undefined;
    drawn: Pick<ReturnType<typeof useWindow>, 'draw' | 'scrollTo'>;
  },
): string | undefined {
  const [currentKey, setCurrentKey] = useState<string>();
  const latestKey = useRef(currentKey);
  const lineOf = (code: string | undefined, key: string | undefined) => {
    const isIt = (each: Line | undefined) => each && isTicket(each) && each.ticket.code === code;
    const last = lines.findIndex((each) => each.key === key);
    return isIt(lines[last]) ? last : lines.findIndex(isIt);
  };
  useImperativeHandle(ref, () => ({
    step: (code, by) => {
      const tickets = lines.filter(isTicket);
      const from = lines[lineOf(code, latestKey.current)];
      const { next, after } = stepped(tickets, from && isTicket(from) ? tickets.indexOf(from) : -1, by);
      latestKey.current = next?.key;
      setCurrentKey(next?.key);
      return { next: next?.ticket, after: after?.ticket };
    },
    below: (code) =>
      lines
        .slice(lineOf(code, latestKey.current) + 1)
        .filter(isTicket)
        .find(({ ticket }) => ticket.code !== code)?.ticket,
    show: (code, isFocused) => {
      const at = lineOf(code, latestKey.current);
      if (at === -1) return;
      if (isFocused) drawn.draw(at);
      if (!showRow(rowAt(rows, lines[at]?.key), isFocused)) drawn.scrollTo(at);
    },
  }));
  // It stands where it did when the list was left for a ticket.
  const showCurrent = useEffectEvent(() => {
    const at = lineOf(current, undefined);
    if (at !== -1 && !showRow(rowAt(rows, lines[at]?.key), false)) drawn.scrollTo(at);
  });
  useEffect(() => showCurrent(), []);
  return lines[lineOf(current, currentKey)]?.key;
}

const rowAt = (rows: RefObject<HTMLElement | null>, key: string | undefined) =>
  key === undefined ? undefined : rows.current?.querySelector(`[data-line="${CSS.escape(key)}"]`);

/** Row heights, as in list.module.css; larger for touch. */
function useRowHeight(isWide: boolean, isCompact: boolean): number {
  const isCoarse = useMedia('(pointer: coarse)');
  if (!isWide) return isCoarse ? 52 : 40;
  if (isCoarse) return isCompact ? 40 : 48;
  return isCompact ? 28 : 36;
}

/** Reads on when the end comes near: what failed is not asked for again by itself. */
function useEnd(
  end: RefObject<HTMLElement | null>,
  { listName, count, more }: { listName: string; count: number; more: More },
): void {
  const [asked, setAsked] = useState('');
  const place = `${count} ${listName}`;
  const isWanted = more.isThere && !more.isReading && count < MOST_BY_SCROLLING && asked !== place;
  const readOn = useEffectEvent(() => {
    setAsked(place);
    more.read();
  });
  useEffect(() => {
    const mark = end.current;
    if (!isWanted || !mark) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) readOn();
      },
      { root: mark.parentElement, rootMargin: '600px' },
    );
    observer.observe(mark);
    return () => observer.disconnect();
  }, [end, isWanted]);
}

/** The names of the columns; pressing one sorts by it, pressing it again the other way round. */
function Head({
  columns,
  list,
  look,
}: {
  columns: readonly ShownColumn[];
  list: Current;
  look: CSSProperties;
}) {
  const t = useTranslations('listParts.table');
  return (
    <div className={styles['head']} role="group" aria-label={t('columns')} style={look}>
      {columns.map((column) => (
        <Name key={column} column={column} list={list} />
      ))}
    </div>
  );
}

function Name({ column, list }: { column: ShownColumn; list: Current }) {
  const t = useTranslations('listParts.table');
  const navigate = useNavigate();
  const name = t(`names.${column}`);
  const sort = SORT_OF[column];
  // The best matches of a search have an order of their own.
  if (!sort || isByMatch(list)) return <span>{name}</span>;
  const [sortBy, first] = sort;
  const sorted = list.sortBy === sortBy ? list.sortDirection : undefined;
  const label = sorted === undefined ? 'sortBy' : sorted === 'asc' ? 'sortedUp' : 'sortedDown';
  const press = () => {
    const sortDirection = sorted === undefined ? first : sorted === 'asc' ? 'desc' : 'asc';
    const search = (before: object) => ({ ...before, sortBy, sortDirection });
    void navigate({ to: '.', search: search as never });
  };
  return (
    <Pressable className={styles['sort'] ?? ''} aria-label={t(label, { name })} onPress={press}>
      <span className={styles['text']}>{name}</span>
      {sorted && (sorted === 'asc' ? <ArrowUp size={12} aria-hidden /> : <ArrowDown size={12} aria-hidden />)}
    </Pressable>
  );
}
