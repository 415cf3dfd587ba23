import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Ellipsis, ListFilter } from 'lucide-react';
import { type ComponentProps, useCallback, useState } from 'react';
import { useTranslations } from 'use-intl';

import { Late } from '../kit/late.tsx';
import { part } from '../kit/part.ts';
import { call, Refusal } from '../api/call.ts';
import { useLiveEvent } from '../api/live.ts';
import { keyOf, operation, queryClient } from '../api/query.ts';
import type { Answer, BodyOf } from '../api/types.ts';
import { IconButton } from '../kit/button.tsx';
import { Menu } from '../kit/menu.tsx';
import { showToast } from '../kit/toast.tsx';
import styles from './list.module.css';
import { OWN_VIEWS, useMe, useSavedViews, type View, withMe } from './views.ts';

const SaveView = part(() => import('./save-view.tsx').then(({ SaveView }) => SaveView));

/** Views whose number says nothing to do. */
const UNCOUNTED: readonly string[] = ['all'];

/** The numbers of all views in one request; empty where the service counts none. */
function useCounts() {
  const me = useMe();
  const views = [...OWN_VIEWS.filter(({ id }) => !UNCOUNTED.includes(id)), ...useSavedViews()].slice(0, 30);
  const body = { filters: views.map(({ id, filters }) => ({ key: id, query: withMe(filters, me) })) };
  return useQuery({
    queryKey: keyOf('countTickets', { body }),
    queryFn: async ({ signal }) => {
      try {
        return await call('countTickets', { body }, { signal });
      } catch (error) {
        if (error instanceof Refusal && error.isAbsent) return { counts: [] };
        throw error;
      }
    },
    select: ({ counts }) => new Map(counts.map((each) => [each.key, each])),
    placeholderData: keepPreviousData,
  }).data;
}

/** How many tickets a view has. */
export function ViewCount({ view }: { view: string }) {
  const count = useCounts()?.get(view);
  if (!count?.count) return null;
  return (
    <span className={styles['count']}>
      {count.count}
      {count.isCapped && '+'}
    </span>
  );
}

const unreadQuery = operation('countNotifications');

/** How many notifications are unread. */
export function InboxCount() {
  const t = useTranslations('shell');
  const { data } = useQuery({ ...unreadQuery, retry: false });
  useLiveEvent(
    'notifications',
    useCallback((answer: unknown) => {
      queryClient.setQueryData(unreadQuery.queryKey, answer as Answer<'countNotifications'>);
      void queryClient.invalidateQueries({ queryKey: ['listNotifications'] });
    }, []),
  );
  if (!data?.unread) return null;
  return (
    <span className={styles['count']} data-unread="">
      {data.unread}
      <span className="visually-hidden"> {t('unread', { count: data.unread })}</span>
    </span>
  );
}

/** The views that were saved: one's own and shared ones. */
export function SavedViews({ link }: { link: Omit<ComponentProps<typeof Link>, 'to'> }) {
  const t = useTranslations('list');
  const saved = useSavedViews();
  const own = saved.filter(({ isShared }) => !isShared);
  const shared = saved.filter(({ isShared }) => isShared);
  return (
    <>
      {(
        [
          ['yourViews', own],
          ['sharedViews', shared],
        ] as const
      ).map(
        ([title, views]) =>
          views.length > 0 && (
            <section key={title}>
              <h2>{t(title)}</h2>
              <ul>
                {views.map((view) => (
                  <Saved key={view.id} view={view} link={link} />
                ))}
              </ul>
            </section>
          ),
      )}
    </>
  );
}

function Saved({ view, link }: { view: View; link: object }) {
  const t = useTranslations('list');
  const navigate = useNavigate();
  const [isRenaming, setRenaming] = useState(false);
  const name = view.name ?? view.id;
  const attempt = async (act: () => Promise<unknown>): Promise<boolean> => {
    try {
      await act();
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      showToast({ kind: 'error', text: error.message });
      return false;
    }
  };
  const restore = async () => {
    const { isShared = false, filters, sortBy, sortDirection } = view;
    const body = { name, isShared, filters, sortBy, sortDirection } as BodyOf<'createView'>;
    if (await attempt(() => call('createView', { body })))
      await queryClient.invalidateQueries({ queryKey: ['listViews'] });
  };
  const remove = async () => {
    if (!(await attempt(() => call('deleteView', { params: { id: view.id } })))) return;
    await queryClient.invalidateQueries({ queryKey: ['listViews'] });
    await navigate({ to: '/views/$view', params: { view: 'open' }, search: {} as never });
    showToast({ kind: 'done', text: t('deleted', { name }), undo: restore });
  };
  return (
    <li className={styles['saved']}>
      <Link to="/views/$view" params={{ view: view.id }} search={{} as never} {...link}>
        <ListFilter size={16} aria-hidden />
        <span>{name}</span>
        <ViewCount view={view.id} />
      </Link>
      <Menu
        label={t('viewActions', { name })}
        entries={[
          { id: 'rename', label: t('renameView'), onAction: () => setRenaming(true) },
          { id: 'delete', label: t('deleteView'), isDangerous: true, onAction: () => void remove() },
        ]}
      >
        <IconButton label={t('viewActions', { name })}>
          <Ellipsis size={14} aria-hidden />
        </IconButton>
      </Menu>
      {isRenaming && (
        <Late>
          <SaveView renamed={view} suggested={name} onClose={() => setRenaming(false)} />
        </Late>
      )}
    </li>
  );
}
