import { useQuery } from '@tanstack/react-query';
import { useLocation, useParams, useSearch } from '@tanstack/react-router';

import { choices, useChoices } from '../api/query.ts';
import { useRole, useSession } from '../api/session.ts';
import { READER_TIME_ZONE } from '../kit/locale.ts';
import { isOfTeam } from '../ticket/readers.ts';
import { type Filter, FILTERS, type Filters, type ListSearch, readSearch, valuesOf } from './search.ts';

/** A list of tickets by a name: one that the desk has, or one that was saved. */
export interface View {
  id: string;
  /** Absent: one of the desk's own, whose name is in the catalogue. */
  name?: string;
  isShared?: boolean;
  /** Only saved views have one; null if a program created it. */
  ownerId?: string | null;
  position?: number;
  filters: Filters;
  sortBy?: string | null;
  sortDirection?: string | null;
}

/** The desk's own views. */
export const OWN_VIEWS = [
  { id: 'open', filters: { openFilter: 'true', snoozedFilter: 'false' } },
  { id: 'mine', filters: { openFilter: 'true', snoozedFilter: 'false', assigneeId: 'me' } },
  { id: 'unassigned', filters: { openFilter: 'true', snoozedFilter: 'false', unassignedFilter: 'true' } },
  { id: 'snoozed', filters: { openFilter: 'true', snoozedFilter: 'true' } },
  { id: 'approvals', filters: { openFilter: 'true', undecidedFilter: 'true', approverId: 'me' } },
  { id: 'all', filters: {} },
] as const satisfies View[];
export type OwnViewId = (typeof OWN_VIEWS)[number]['id'];

export const isOwnView = (id: string): id is OwnViewId => OWN_VIEWS.some((view) => view.id === id);

const savedQuery = { ...choices('listViews'), staleTime: 60_000 };

/** The views that were saved: shared ones and one's own; none where the service has none. */
export function useSavedViews(): View[] {
  return (useQuery(savedQuery).data ?? []) as View[];
}

/**
 * Each queue whose tickets the person reads as a view of the open ones; its id is that of the queue. What only another
 * team reads would be a list without tickets: it is left out.
 */
export function useQueueViews(): View[] {
  const session = useSession();
  const me = useMe();
  const role = useRole();
  return useChoices('listQueues')
    .filter(
      (queue) =>
        queue.visibility !== 'team' ||
        role === 'admin' ||
        isOfTeam(queue, { id: me, role, queueIds: session?.queueIds }),
    )
    .map(queueView);
}

const queueView = ({ id, name }: { id: string; name: string }): View => ({
  id,
  name,
  filters: { openFilter: 'true', snoozedFilter: 'false', queueId: id },
});

/**
 * Filters as the service takes them: `me` is the signed-in person (without one, for a key, nothing is theirs), and the
 * days of `due` end in the reader's time zone.
 */
export function asQuery(filters: Filters, me: string | null | undefined): Record<string, string> {
  const query = Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [
      name,
      valuesOf(value)
        .map((one) => (one === 'me' ? (me ?? 'nobody') : one))
        .join(),
    ]),
  );
  return filters.due ? { ...query, timeZone: READER_TIME_ZONE } : query;
}

export interface Current {
  view: View;
  /** No view has the id in the address. */
  isMissing: boolean;
  /** The view's filters with those of the address. */
  filters: Filters;
  search: string;
  isByWords: boolean;
  sortBy: string;
  sortDirection: 'asc' | 'desc';
  /** Whether the address differs from the view: it can be saved. */
  isChanged: boolean;
  address: ListSearch;
}

export const SORTS = ['updatedAt', 'createdAt', 'dueAt', 'priority'] as const;

/** The inbox in place of a view: also what `view` is in the address of a ticket that was opened from it. */
export const INBOX = 'inbox';

/** The id of the view that is shown or stands beside the open ticket, or INBOX; undefined on other pages. */
export function useHere(): string | undefined {
  const params: { view?: string; code?: string } = useParams({ strict: false });
  const { view = 'open' } = readSearch(useSearch({ strict: false }));
  const isInbox = useLocation({ select: ({ pathname }) => pathname === '/inbox' });
  if (isInbox) return INBOX;
  return params.view ?? (params.code ? view : undefined);
}

/** Where the list is that stands beside the open ticket, with its filters. */
export function useListAddress() {
  const { view = 'open', ...search } = readSearch(useSearch({ strict: false }));
  // The router's types know either page, not one of the two.
  const address =
    view === INBOX ? { to: '/inbox', search: {} } : { to: '/views/$view', params: { view }, search };
  return address as { to: '/views/$view'; params: { view: string }; search: ListSearch };
}

/** The list that the address names. */
export function useCurrent(): Current {
  const params: { view?: string } = useParams({ strict: false });
  const address = readSearch(useSearch({ strict: false }));
  const { data: saved } = useQuery(savedQuery);
  // By its address the list of any queue can be opened.
  const { data: queues } = useQuery(choices('listQueues'));
  const id = params.view ?? address.view ?? 'open';
  const known = [
    ...OWN_VIEWS,
    ...((saved ?? []) as View[]),
    ...((queues ?? []) as { id: string; name: string }[]).map(queueView),
  ].find((each) => each.id === id);
  const view: View = known ?? { id, filters: {} };
  const own = Object.fromEntries(
    FILTERS.flatMap((name) => (address[name] === undefined ? [] : [[name, address[name]]])),
  );
  const filters = Object.fromEntries(
    // How a saved view is grouped is no filter (display.ts).
    Object.entries({ ...view.filters, ...own }).filter(([name, value]) => value !== '' && name !== 'groupBy'),
  ) as Filters;
  const { view: _view, ...rest } = address;
  return {
    view,
    isMissing: !known && saved !== undefined && queues !== undefined,
    filters,
    address,
    search: address.search ?? '',
    isByWords: address.by === 'words',
    sortBy: address.sortBy ?? view.sortBy ?? 'updatedAt',
    sortDirection: (address.sortDirection ?? view.sortDirection) === 'asc' ? 'asc' : 'desc',
    isChanged: Object.keys(rest).some((name) => FILTERS.includes(name as Filter) || name.startsWith('sort')),
  };
}

export const useMe = (): string | null | undefined => {
  const session = useSession();
  return session?.userId;
};
