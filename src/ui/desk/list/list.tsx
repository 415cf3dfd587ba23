import { useNavigate } from '@tanstack/react-router';
import { ArrowDownUp, ListFilter, Search } from 'lucide-react';
import {
  type ReactNode,
  type RefObject,
  Suspense,
  useCallback,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Input } from 'react-aria-components/Input';
import { useTranslations } from 'use-intl';

import { holdKeys } from '../../kit/held-keys.ts';
import { Opening } from '../../kit/late.tsx';
import { part } from '../../kit/part.ts';
import { prefetchTicket } from '../api/tickets.ts';
import { useRole } from '../api/session.ts';
import type { Ticket } from '../api/types.ts';
import { Button, IconButton } from '../../kit/button.tsx';
import { useMedia } from '../kit/media.ts';
import { Menu } from '../../kit/menu.tsx';
import { useSteady } from '../kit/steady.ts';
import { focusHeading } from '../kit/skip-link.tsx';
import { Failed, Loading } from '../kit/states.tsx';
import { Chips } from './chips.tsx';
import { Choose, useSetFilter } from './choose-filter.tsx';
import { type Display, type Grouping, groupIdsOf, useDisplay } from './display.ts';
import { Arrived, useEarlyStep } from './early-step.ts';
import { useListCommands } from './list-commands.ts';
import styles from './list.module.css';
import { useNextTicket } from './next-ticket.ts';
import { Rows, type RowsHandle, type RowsProps } from './rows.tsx';
import type { ListSearch } from './search.ts';
import { foundAt, isByMatch, useTickets } from './tickets.ts';
import { type Current, isOwnView, SORTS, useCurrent, useMe } from './views.ts';

import type { BulkPicker } from './bulk.tsx';

const Table = part(() => import('./table.tsx').then(({ Table }) => Table));
const DisplayButton = part(() => import('./display-button.tsx').then(({ DisplayButton }) => DisplayButton));
const Bulk = part(() => import('./bulk.tsx').then(({ Bulk }) => Bulk));
const Nothing = part(() => import('./outcome.tsx').then(({ Nothing }) => Nothing));
const NoView = part(() => import('./outcome.tsx').then(({ NoView }) => NoView));
const Scope = part(() => import('./outcome.tsx').then(({ Scope }) => Scope));

/** The list has at least 900 px beside the navigation: a line of columns a ticket. */
const WIDE = '(min-width: 1120px)';
/** Without columns and groups, up to so many rows are drawn as they are. */
const FEW = 50;
const TYPING_MS = 250;
const REFERENCE = /^[a-z][a-z0-9]*-\d+$/i;

/** The name of the list that the address names. */
function useViewName({ view, isMissing }: Current): string {
  const shell = useTranslations('shell');
  if (isMissing) return shell('view');
  return isOwnView(view.id) ? shell(view.id) : (view.name ?? shell('all'));
}

/** The tickets of a view; `opened` is the reference of the ticket beside it. */
export function List({ opened }: { opened: string | undefined }) {
  const t = useTranslations('list');
  const current = useCurrent();
  const name = useViewName(current);
  const me = useMe();
  const isWide = useMedia(WIDE) && !opened;
  const display = useDisplay(current.view);
  // The best matches have an order of their own.
  const groupBy = isByMatch(current) ? undefined : display.groupBy;
  const found = useTickets(current, groupBy);
  const { data, isPlaceholderData } = found.tickets;
  const { items, handlers } = useSteady({
    items: useMemo(() => data?.items ?? [], [data]),
    name: JSON.stringify([current.view.id, current.address, groupBy, isPlaceholderData]),
    keyOf: (ticket) => (groupBy ? [ticket.id, ...groupIdsOf(ticket, groupBy)].join(' ') : ticket.id),
  });
  const matches = useMemo(
    () => new Map(data?.matches?.map((match) => [match.ticketId, match])),
    [data?.matches],
  );
  const { selected, select, setSelected } = useSelection();
  const [bulk, setBulk] = useState<BulkPicker>();
  const isTeam = useRole() !== 'requester';
  const rows = useRef<RowsHandle>(null);
  const [areDrawn, setDrawn] = useState(false);
  const { search, at, move: step, toList } = useSteps({ current, items, matches, opened, rows });
  const areThere = areDrawn && !isPlaceholderData;
  const areComing = !areThere && !found.tickets.error && (!data || isPlaceholderData || items.length > 0);
  const move = useEarlyStep({ areThere, areComing, isFocused: !opened }, step);
  const download = () =>
    void import('./csv.ts').then(({ downloadCsv }) => downloadCsv({ current, me, groupBy, name }));
  const currentId = items.find(({ code }) => code === at)?.id;
  /** Opens a choice for the selected tickets, or else for the current row: an open ticket has these keys for itself. */
  const actOn = () => {
    if (selected.size > 0) return setBulk;
    if (opened) return undefined;
    return (which: BulkPicker) => {
      if (!currentId) return;
      setSelected([currentId]);
      setBulk(which);
    };
  };
  useListCommands({
    move,
    back: () => {
      if (selected.size > 0) setSelected([]);
      else if (opened) toList(opened);
    },
    select: () => {
      if (currentId) select(currentId, !selected.has(currentId));
    },
    selectAll: () => setSelected(items.map(({ id }) => id)),
    act: actOn(),
    hasRow: selected.size > 0 || currentId !== undefined,
    download,
  });
  useEffect(() => {
    if (!opened) document.title = name;
  }, [opened, name]);
  const chosen = items.filter(({ id }) => selected.has(id));
  return (
    // Beside a ticket, that is the main thing. One element for both: another one would begin at the top again.
    <section className={styles['list']} role={opened ? 'region' : 'main'} aria-label={t('title')}>
      <header className={styles['header']}>
        <div className={styles['bar']}>
          <h1 tabIndex={-1}>{name}</h1>
          <SearchField
            key={current.view.id}
            current={current}
            onLeave={() => rows.current?.show(at ?? items[0]?.code ?? '', true)}
            onDown={() => move(1)}
          />
          <AddFilter current={current} />
          <Sort current={current} />
          {!opened && (
            // Its room: the other buttons stay where they are when it comes.
            <Suspense fallback={<span className={styles['button']} />}>
              <DisplayButton
                current={current}
                display={display}
                isWide={isWide}
                onCsv={isTeam ? download : undefined}
              />
            </Suspense>
          )}
        </div>
        <Chips current={current} />
        <Suspense>
          {current.search !== '' && (
            <Scope
              current={current}
              shown={items.length}
              total={data?.totalCount ?? 0}
              hasMeaning={data?.meaning !== false}
              hasWords={data?.matches?.some(({ by }) => by === 'words') ?? false}
            />
          )}
        </Suspense>
      </header>
      <Found
        found={found}
        handlers={handlers}
        list={current}
        display={display}
        groupBy={groupBy}
        isWide={isWide}
        onDrawn={setDrawn}
        rows={{
          ref: rows,
          items,
          matches,
          search,
          opened,
          current: at,
          selected,
          onSelect: isTeam ? select : undefined,
        }}
      />
      {chosen.length > 0 && (
        // A key that opens one of its pickers shows it first.
        <Suspense fallback={bulk && <Opening />}>
          <Bulk tickets={chosen} open={bulk} onOpen={setBulk} onClear={() => setSelected([])} />
        </Suspense>
      )}
    </section>
  );
}

/** The ids of the tickets that are selected. */
function useSelection() {
  const [selected, setIds] = useState<ReadonlySet<string>>(new Set());
  // The same function each time: rows are not drawn again.
  const select = useCallback((id: string, isSelected: boolean) => {
    setIds((before) => {
      const next = new Set(before);
      if (isSelected) next.add(id);
      else next.delete(id);
      return next;
    });
  }, []);
  return { selected, select, setSelected: (ids: readonly string[]) => setIds(new Set(ids)) };
}

/** Steps from ticket to ticket of a list, and back to the list. */
function useSteps({
  current,
  items,
  matches,
  opened,
  rows,
}: {
  current: Current;
  items: readonly Ticket[];
  matches: RowsProps['matches'];
  opened: string | undefined;
  rows: RefObject<RowsHandle | null>;
}) {
  const navigate = useNavigate();
  const [cursor, setCursor] = useState<string>();
  const search = useSearchBeside(current);
  const open = ({ id, code }: Ticket) =>
    void navigate({
      to: '/tickets/$code',
      params: { code },
      search: search as never,
      ...foundAt(matches.get(id)),
    });
  useNextTicket(({ code, isListed }) => {
    if (opened !== code || (isListed && !items.some((ticket) => ticket.code === code))) return undefined;
    // Found now: what is done with the open ticket may move it in the list.
    const next = rows.current?.below(code);
    if (!next) return undefined;
    prefetchTicket(next.code);
    return () => open(next);
  });
  useEffect(() => {
    if (opened) rows.current?.show(opened, false);
  }, [opened, rows]);
  // When the current row leaves the list, closed or snoozed, the one below it is the current one.
  const around = useRef<{ view: string; codes: (string | undefined)[] }>(undefined);
  const followCursor = useEffectEvent(() => {
    if (!cursor || opened) return;
    const step = (by: 1 | -1) => rows.current?.step(cursor, by).next?.code;
    const view = current.view.id;
    if (items.some(({ code }) => code === cursor)) around.current = { view, codes: [step(1), step(-1)] };
    else if (around.current?.view === view) {
      const codes = new Set(items.map(({ code }) => code));
      setCursor(around.current.codes.find((code) => code !== undefined && codes.has(code)));
      around.current = undefined;
    }
  });
  useEffect(() => followCursor(), [items, cursor, opened]);
  return {
    /** What the addresses of its tickets say of the list. */
    search,
    /** The reference of the current row. */
    at: opened ?? cursor,
    move: (by: 1 | -1) => {
      const { next, after } = rows.current?.step(opened ?? cursor, by) ?? {};
      if (!next) return;
      setCursor(next.code);
      rows.current?.show(next.code, !opened);
      if (opened) open(next);
      if (after) prefetchTicket(after.code);
    },
    /** Leaves a ticket for the list. */
    toList: (from: string) => {
      setCursor(from);
      const { view: _, ...rest } = current.address;
      void navigate({ to: '/views/$view', params: { view: current.view.id }, search: rest as never });
    },
  };
}

/** The same view stands beside the ticket, and is found again on the way back. */
function useSearchBeside({ address, view }: Current): ListSearch {
  const text = JSON.stringify({ ...address, ...(view.id !== 'open' && { view: view.id }) });
  // The same object for the same content: rows are not drawn again.
  return useMemo(() => JSON.parse(text) as ListSearch, [text]);
}

/** The rows that were found, or why there are none, and how to read on. */
function Found({
  found: { tickets, more },
  handlers,
  onDrawn,
  rows,
  list,
  display,
  groupBy,
  isWide,
}: {
  found: ReturnType<typeof useTickets>;
  handlers: ReturnType<typeof useSteady>['handlers'];
  /** Called when the rows are shown, and when they are no longer. */
  onDrawn: (areDrawn: boolean) => void;
  rows: RowsProps;
  list: Current;
  display: Display;
  groupBy: Grouping | undefined;
  isWide: boolean;
}) {
  const t = useTranslations('list');
  const count = rows.items.length;
  const drawn = (): ReactNode => {
    if (list.isMissing)
      return (
        <Suspense>
          <NoView />
        </Suspense>
      );
    if (tickets.error && count === 0)
      return <Failed error={tickets.error} onRetry={() => void tickets.refetch()} />;
    if (!tickets.data) return <Loading rows={14} shape="rows" />;
    if (count === 0)
      return (
        <Suspense>
          <Nothing current={list} />
        </Suspense>
      );
    return (
      <Suspense fallback={isWide ? <Loading rows={14} shape="rows" /> : <Rows {...rows} />}>
        {isWide || groupBy || count > FEW ? (
          <Table {...rows} list={list} display={display} groupBy={groupBy} isWide={isWide} more={more} />
        ) : (
          <Rows {...rows} />
        )}
        <Arrived onChange={onDrawn} />
      </Suspense>
    );
  };
  return (
    <div
      className={styles['rows']}
      aria-busy={tickets.isFetching}
      // Rows of the list that was shown before.
      data-former={tickets.isPlaceholderData || undefined}
      {...handlers}
    >
      {drawn()}
      {more.isThere && !list.isMissing && (
        <p className={styles['more']}>
          {t('shown', { shown: count, total: tickets.data?.totalCount ?? 0 })}
          <Button size="small" isPending={more.isReading} onPress={more.read}>
            <MoreText />
          </Button>
        </p>
      )}
    </div>
  );
}

function MoreText() {
  return useTranslations('common')('more');
}

/** Searches while one types; a reference opens its ticket with Enter. */
function SearchField({
  current,
  onLeave,
  onDown,
}: {
  current: Current;
  /** Gives the focus back to the list. */
  onLeave: () => void;
  /** Goes to what was found. */
  onDown: () => void;
}) {
  const t = useTranslations('list');
  const navigate = useNavigate();
  const [text, setText] = useState(current.search);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const stopTimer = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
  };
  useEffect(() => stopTimer, []);
  const goDown = useGoDown(current.search, onDown);
  const search = (words: string) => {
    stopTimer();
    const { by: _, view: _view, ...rest } = current.address;
    void navigate({
      to: '/views/$view',
      params: { view: current.view.id },
      search: { ...rest, search: words.trim() || undefined } as never,
      replace: Boolean(current.search),
    });
  };
  return (
    <form
      role="search"
      className={styles['search']}
      onSubmit={(event) => {
        event.preventDefault();
        const words = text.trim();
        stopTimer();
        if (!REFERENCE.test(words)) search(words);
        else
          void navigate({
            to: '/tickets/$code',
            params: { code: words.toUpperCase() },
            search: {} as never,
          });
      }}
    >
      <Search size={14} aria-hidden />
      <Input
        id="search"
        type="search"
        aria-label={t('searchTickets')}
        title={t('searchHelp')}
        placeholder={t('placeholder')}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          stopTimer();
          timer.current = setTimeout(() => search(target.value), TYPING_MS);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' && event.key !== 'ArrowDown') return;
          event.preventDefault();
          if (event.key === 'ArrowDown') {
            const words = timer.current === undefined ? current.search : text.trim();
            stopTimer();
            if (words !== current.search) search(words);
            goDown(words);
            return;
          }
          setText('');
          search('');
          focusHeading();
          onLeave();
        }}
      />
    </form>
  );
}

/**
 * Returns how to go to the rows of a search that may have been asked for just now: then they are on their way, and keys
 * that follow are for them.
 */
function useGoDown(searched: string, onDown: () => void): (words: string) => void {
  const awaited = useRef<{ words: string; release: () => void }>(undefined);
  const end = () => {
    awaited.current?.release();
    awaited.current = undefined;
  };
  const arrive = useEffectEvent(() => {
    if (awaited.current?.words === searched) onDown();
    end();
  });
  useEffect(() => arrive(), [searched]);
  useEffect(() => end, []);
  return (words) => {
    if (words === searched) onDown();
    else awaited.current ??= { words, release: holdKeys() };
  };
}

function AddFilter({ current }: { current: Current }) {
  const t = useTranslations('list');
  return (
    <Choose
      current={current}
      onChange={useSetFilter(current)}
      button={
        <IconButton label={t('filter')}>
          <ListFilter size={15} aria-hidden />
        </IconButton>
      }
    />
  );
}

function Sort({ current }: { current: Current }) {
  const t = useTranslations('list');
  const navigate = useNavigate();
  const to = (part: ListSearch) => () =>
    void navigate({ to: '.', search: ((before: object) => ({ ...before, ...part })) as never });
  // Names of columns sort by more; those say so themselves.
  const known = SORTS.find((name) => name === current.sortBy);
  const other = current.sortDirection === 'asc' ? 'desc' : 'asc';
  const button = (
    <IconButton
      label={known ? `${t('sort')}: ${t(`sorts.${known}`)}` : t('sort')}
      // The best matches have an order of their own; the other buttons stay where they are.
      isDisabled={isByMatch(current)}
    >
      <ArrowDownUp size={15} aria-hidden />
    </IconButton>
  );
  if (isByMatch(current)) return button;
  return (
    <Menu
      label={t('sort')}
      entries={[
        ...SORTS.map((sortBy) => ({
          id: sortBy,
          label: `${t(`sorts.${sortBy}`)}${sortBy === current.sortBy ? ' ✓' : ''}`,
          onAction: to({ sortBy, sortDirection: sortBy === 'dueAt' ? 'asc' : 'desc' }),
        })),
        {
          id: 'direction',
          label: t(other === 'asc' ? 'ascending' : 'descending'),
          onAction: to({ sortBy: current.sortBy, sortDirection: other }),
        },
      ]}
    >
      {button}
    </Menu>
  );
}
