import { useNavigate } from '@tanstack/react-router';
import { ArrowDownUp, Search } from 'lucide-react';
import { Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';

import { Opening } from '../kit/late.tsx';
import { part } from '../kit/part.ts';
import { prefetchTicket } from '../api/tickets.ts';
import { useRole } from '../api/session.ts';
import type { Ticket } from '../api/types.ts';
import { Button, IconButton } from '../kit/button.tsx';
import { useCommands } from '../kit/commands.ts';
import { Menu } from '../kit/menu.tsx';
import { Empty, Failed, Loading } from '../kit/states.tsx';
import { Chips } from './chips.tsx';
import styles from './list.module.css';
import { useNextTicket } from './next-ticket.ts';
import { Row } from './row.tsx';
import type { ListSearch } from './search.ts';
import { BEST, isByMatch, useTickets } from './tickets.ts';
import { type Current, isOwnView, SORTS, useCurrent } from './views.ts';

import type { BulkPicker } from './bulk.tsx';

const Bulk = part(() => import('./bulk.tsx').then(({ Bulk }) => Bulk));
const FirstSteps = part(() => import('./first-steps.tsx').then(({ FirstSteps }) => FirstSteps));

/** What keys do with the current row. */
const ACTS = [
  { which: 'assignee', label: 'assign', keys: 'a' },
  { which: 'status', label: 'status', keys: 's' },
  { which: 'priority', label: 'priority', keys: 'p' },
  { which: 'tag', label: 'tag', keys: 'l' },
  { which: 'snooze', label: 'snooze', keys: 'h' },
] as const;
const TYPING_MS = 250;
const REFERENCE = /^[a-z][a-z0-9]*-\d+$/i;

/** The name of the list that the address names. */
function useViewName({ view }: Current): string {
  const shell = useTranslations('shell');
  return isOwnView(view.id) ? shell(view.id) : (view.name ?? shell('all'));
}

/** The tickets of a view; `opened` is the reference of the ticket beside it. */
export function List({ opened }: { opened: string | undefined }) {
  const t = useTranslations('list');
  const navigate = useNavigate();
  const current = useCurrent();
  const name = useViewName(current);
  const { tickets, more } = useTickets(current);
  const items = useMemo(() => tickets.data?.items ?? [], [tickets.data]);
  const total = tickets.data?.totalCount ?? 0;
  const matches = new Map(tickets.data?.matches?.map((match) => [match.ticketId, match]));
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [cursor, setCursor] = useState<string>();
  const [bulk, setBulk] = useState<BulkPicker>();
  const isTeam = useRole() !== 'requester';
  const rows = useRef<HTMLUListElement>(null);

  const at = items.findIndex(({ code }) => code === (opened ?? cursor));
  // The same view stands beside the ticket, and is found again on the way back.
  const beside: ListSearch = {
    ...current.address,
    ...(current.view.id !== 'open' && { view: current.view.id }),
  };
  // The same object for the same content: rows are not drawn again.
  const besideText = JSON.stringify(beside);
  const search = useMemo(() => JSON.parse(besideText) as ListSearch, [besideText]);

  const select = useCallback((id: string, isSelected: boolean) => {
    setSelected((before) => {
      const next = new Set(before);
      if (isSelected) next.add(id);
      else next.delete(id);
      return next;
    });
  }, []);
  const open = (ticket: Ticket | undefined) => {
    if (ticket)
      void navigate({ to: '/tickets/$code', params: { code: ticket.code }, search: search as never });
  };
  const move = (by: 1 | -1) => {
    const next = items[at === -1 ? 0 : Math.min(items.length - 1, Math.max(0, at + by))];
    if (!next) return;
    setCursor(next.code);
    rows.current
      ?.querySelector(`[data-code="${CSS.escape(next.code)}"]`)
      ?.scrollIntoView({ block: 'nearest' });
    if (opened) open(next);
    else rows.current?.querySelector<HTMLElement>(`[data-code="${CSS.escape(next.code)}"] a`)?.focus();
    const after = items[items.indexOf(next) + by];
    if (after) prefetchTicket(after.code);
  };
  useNextTicket(() => {
    // Found now: what is done with the open ticket may move it in the list.
    const next = items[at + 1];
    if (!next) return undefined;
    prefetchTicket(next.code);
    return () => open(next);
  });
  const back = () => {
    if (selected.size > 0) setSelected(new Set());
    else if (opened) toList(opened);
  };
  const toList = (from: string) => {
    setCursor(from);
    const { view: _, ...rest } = current.address;
    void navigate({ to: '/views/$view', params: { view: current.view.id }, search: rest as never });
  };
  const cursorId = items[at]?.id;
  useCommands([
    {
      id: 'next',
      group: t('group'),
      label: t('next'),
      keys: 'j',
      alsoKeys: 'ArrowDown',
      isHidden: true,
      run: () => move(1),
    },
    {
      id: 'previous',
      group: t('group'),
      label: t('previous'),
      keys: 'k',
      alsoKeys: 'ArrowUp',
      isHidden: true,
      run: () => move(-1),
    },
    { id: 'back', group: t('group'), label: t('back'), keys: 'Escape', alsoKeys: 'u', run: back },
    ...(isTeam
      ? [
          {
            id: 'select',
            group: t('group'),
            label: t('selectIt'),
            keys: 'x',
            run: () => cursorId && select(cursorId, !selected.has(cursorId)),
          },
          {
            id: 'select-all',
            group: t('group'),
            label: t('selectAll'),
            run: () => setSelected(new Set(items.map(({ id }) => id))),
          },
        ]
      : []),
    // The current row alone; an open ticket and selected ones have these keys for themselves.
    ...(isTeam && !opened && cursorId && selected.size === 0
      ? ACTS.map(({ which, label, keys }) => ({
          id: `${which}-current`,
          group: t('ofTicket'),
          label: t(label),
          keys,
          run: () => {
            setSelected(new Set([cursorId]));
            setBulk(which);
          },
        }))
      : []),
    {
      id: 'search',
      group: t('group'),
      label: t('searchTickets'),
      keys: '/',
      run: () => document.getElementById('search')?.focus(),
    },
  ]);
  useEffect(() => {
    if (!opened) document.title = name;
  }, [opened, name]);
  useEffect(() => {
    if (opened)
      rows.current
        ?.querySelector(`[data-code="${CSS.escape(opened)}"]`)
        ?.scrollIntoView({ block: 'nearest' });
  }, [opened]);
  const chosen = items.filter(({ id }) => selected.has(id));

  // Beside a ticket, that is the main thing.
  const Place = opened ? 'section' : 'main';
  return (
    <Place className={styles['list']} aria-label={t('title')}>
      <header className={styles['header']}>
        <div className={styles['bar']}>
          <h1 tabIndex={-1}>{name}</h1>
          <SearchField key={current.view.id} current={current} />
          {!isByMatch(current) && <Sort current={current} />}
        </div>
        <Chips current={current} name={name} />
        <Scope current={current} shown={items.length} total={total} />
        {tickets.data?.meaning === false && <p className={styles['note']}>{t('byWordsOnly')}</p>}
      </header>
      <div className={styles['rows']} aria-busy={tickets.isFetching}>
        {tickets.error && items.length === 0 ? (
          <Failed error={tickets.error} onRetry={() => void tickets.refetch()} />
        ) : !tickets.data ? (
          <Loading rows={14} />
        ) : items.length === 0 ? (
          <Nothing current={current} />
        ) : (
          <ul ref={rows}>
            {items.map((ticket) => (
              <Row
                key={ticket.id}
                ticket={ticket}
                match={matches.get(ticket.id)}
                search={search}
                isOpen={ticket.code === opened}
                isCurrent={ticket.code === (opened ?? cursor)}
                isSelected={selected.has(ticket.id)}
                isSelecting={selected.size > 0}
                onSelect={isTeam ? select : undefined}
              />
            ))}
          </ul>
        )}
        {more.isThere && (
          <p className={styles['more']}>
            {t('shown', { shown: items.length, total })}
            <Button size="small" isPending={more.isReading} onPress={more.read}>
              <MoreText />
            </Button>
          </p>
        )}
      </div>
      {chosen.length > 0 && (
        // A key that opens one of its pickers shows it first.
        <Suspense fallback={bulk && <Opening />}>
          <Bulk tickets={chosen} open={bulk} onOpen={setBulk} onClear={() => setSelected(new Set())} />
        </Suspense>
      )}
    </Place>
  );
}

function MoreText() {
  return useTranslations('common')('more');
}

/** Searches while one types; a reference opens its ticket with Enter. */
function SearchField({ current }: { current: Current }) {
  const t = useTranslations('list');
  const navigate = useNavigate();
  const [text, setText] = useState(current.search);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const search = (words: string) => {
    clearTimeout(timer.current);
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
        clearTimeout(timer.current);
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
      <input
        id="search"
        type="search"
        aria-label={t('searchTickets')}
        title={t('searchHelp')}
        placeholder={t('placeholder')}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => search(target.value), TYPING_MS);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          setText('');
          search('');
          event.currentTarget.blur();
        }}
      />
    </form>
  );
}

function Sort({ current }: { current: Current }) {
  const t = useTranslations('list');
  const navigate = useNavigate();
  const to = (part: ListSearch) => () =>
    void navigate({ to: '.', search: ((before: object) => ({ ...before, ...part })) as never });
  const other = current.sortDirection === 'asc' ? 'desc' : 'asc';
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
      <IconButton
        label={`${t('sort')}: ${current.sortBy in SORT_NAMES ? t(`sorts.${current.sortBy as 'dueAt'}`) : ''}`}
      >
        <ArrowDownUp size={15} aria-hidden />
      </IconButton>
    </Menu>
  );
}

const SORT_NAMES = Object.fromEntries(SORTS.map((name) => [name, true]));

/** What a search covered, and how to search further. */
function Scope({ current, shown, total }: { current: Current; shown: number; total: number }) {
  const t = useTranslations('list');
  const navigate = useNavigate();
  if (!current.search || shown === 0) return null;
  const { search } = current;
  return (
    <p className={styles['bar']}>
      <span className={styles['count']} style={{ margin: 0 }}>
        {current.isByWords ? t('count', { count: total }) : t('best', { count: shown })}
      </span>
      {current.view.id !== 'all' && (
        <Button
          size="small"
          kind="quiet"
          onPress={() =>
            void navigate({ to: '/views/$view', params: { view: 'all' }, search: { search } as never })
          }
        >
          {t('searchAll')}
        </Button>
      )}
      {!current.isByWords && shown >= BEST && (
        <Button
          size="small"
          kind="quiet"
          onPress={() =>
            void navigate({ to: '.', search: ((before: object) => ({ ...before, by: 'words' })) as never })
          }
        >
          {t('listAll')}
        </Button>
      )}
    </p>
  );
}

function Nothing({ current }: { current: Current }) {
  const t = useTranslations('list');
  const navigate = useNavigate();
  const { search } = current;
  const isWhole = current.view.id === 'all' && Object.keys(current.filters).length === 0;
  const toAll = () =>
    void navigate({
      to: '/views/$view',
      params: { view: 'all' },
      search: (search ? { search } : {}) as never,
    });
  if (search)
    return (
      <Empty title={t('nothingFound', { search })}>
        <p>{t(isWhole ? 'nothingFoundMore' : 'nothingFoundHere')}</p>
        {!isWhole && <Button onPress={toAll}>{t('searchAll')}</Button>}
      </Empty>
    );
  if (current.isChanged)
    return (
      <Empty title={t('noneMatch')}>
        <Button
          onPress={() =>
            void navigate({ to: '/views/$view', params: { view: current.view.id }, search: {} as never })
          }
        >
          {t('clear')}
        </Button>
      </Empty>
    );
  const kind = isOwnView(current.view.id) ? current.view.id : 'saved';
  return (
    <Empty title={t(`empty.${kind}.title`)}>
      <p>{t(`empty.${kind}.more`)}</p>
      <Suspense>
        <FirstSteps />
      </Suspense>
      {!isWhole && <Button onPress={toAll}>{t('showAll')}</Button>}
    </Empty>
  );
}
