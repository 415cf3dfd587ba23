import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Ellipsis, Folder, ListFilter, type LucideIcon } from 'lucide-react';
import { useCallback, useState } from 'react';
import { useTranslations } from 'use-intl';

import { Late } from '../kit/late.tsx';
import { part } from '../kit/part.ts';
import { call, Refusal } from '../api/call.ts';
import { useLiveEvent } from '../api/live.ts';
import { keyOf, operation, queryClient } from '../api/query.ts';
import type { Answer } from '../api/types.ts';
import { IconButton } from '../kit/button.tsx';
import { Opener } from '../kit/opener.tsx';
import { usePinned } from './display.ts';
import styles from './list.module.css';
import { OWN_VIEWS, useHere, useMe, useQueueViews, useSavedViews, type View, withMe } from './views.ts';

const ViewMenu = part(() => import('./view-menu.tsx').then(({ ViewMenu }) => ViewMenu));
const SaveView = part(() => import('./save-view.tsx').then(({ SaveView }) => SaveView));

/** Views whose number says nothing to do. */
const UNCOUNTED: readonly string[] = ['all'];

/** The numbers of all views in one request; empty where the service counts none. */
function useCounts() {
  const me = useMe();
  // The server counts the same ones before the page asks (src/desk/first-data.ts).
  const own = OWN_VIEWS.filter(({ id }) => !UNCOUNTED.includes(id));
  const views = [...own, ...useSavedViews(), ...useQueueViews()].slice(0, 30);
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

/** A link to a view. It is marked while the view is shown, or stands beside the ticket that is open. */
export function ViewLink({
  view,
  name,
  Sign,
  link,
}: {
  view: string;
  name: string;
  Sign: LucideIcon;
  link: object;
}) {
  const here = useHere();
  return (
    <Link
      to="/views/$view"
      params={{ view }}
      search={{} as never}
      activeOptions={{ includeSearch: false }}
      aria-current={here === view || undefined}
      {...link}
    >
      <Sign size={16} aria-hidden />
      <span>{name}</span>
      <ViewCount view={view} />
    </Link>
  );
}

/** The queues, each with its open tickets. */
export function QueueViews({ link }: { link: object }) {
  const t = useTranslations('list');
  const queues = useQueueViews();
  if (queues.length === 0) return null;
  return (
    <section>
      <h2>{t('queues')}</h2>
      <ul>
        {queues.map(({ id, name = id }) => (
          <li key={id}>
            <ViewLink view={id} name={name} Sign={Folder} link={link} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The views that were saved: those that the person has pinned, or their other ones and shared ones. */
export function SavedViews({ arePinned, link }: { arePinned: boolean; link: object }) {
  const t = useTranslations('list');
  const saved = useSavedViews().toSorted((one, other) => (one.position ?? 0) - (other.position ?? 0));
  const pinned = usePinned();
  const others = saved.filter(({ id }) => !pinned.includes(id));
  const sections: [title: 'pinnedViews' | 'yourViews' | 'sharedViews', views: View[]][] = arePinned
    ? // In the order in which they were pinned.
      [['pinnedViews', pinned.flatMap((id) => saved.find((view) => view.id === id) ?? [])]]
    : [
        ['yourViews', others.filter(({ isShared }) => !isShared)],
        ['sharedViews', others.filter(({ isShared }) => isShared)],
      ];
  return sections.map(
    ([title, views]) =>
      views.length > 0 && (
        <section key={title}>
          <h2>{t(title)}</h2>
          <ul>
            {views.map((view) => (
              <Saved key={view.id} view={view} views={views} link={link} />
            ))}
          </ul>
        </section>
      ),
  );
}

function Saved({ view, views, link }: { view: View; views: readonly View[]; link: object }) {
  const t = useTranslations('list');
  const [isEditing, setEditing] = useState(false);
  const name = view.name ?? view.id;
  const label = t('viewActions', { name });
  return (
    <li className={styles['saved']}>
      <ViewLink view={view.id} name={name} Sign={ListFilter} link={link} />
      <Opener
        opens="menu"
        button={
          <IconButton label={label}>
            <Ellipsis size={14} aria-hidden />
          </IconButton>
        }
      >
        {({ trigger, close }) => (
          <ViewMenu
            view={view}
            views={views}
            label={label}
            trigger={trigger}
            onEdit={() => setEditing(true)}
            onClose={close}
          />
        )}
      </Opener>
      <Late>{isEditing && <SaveView edited={view} onClose={() => setEditing(false)} />}</Late>
    </li>
  );
}
