import { useQuery } from '@tanstack/react-query';
import { Folder } from 'lucide-react';
import { Suspense, useCallback } from 'react';
import { useTranslations } from 'use-intl';

import { part } from '../../kit/part.ts';
import { useLiveEvent } from '../api/live.ts';
import { operation, queryClient } from '../api/query.ts';
import type { Answer } from '../api/types.ts';
import styles from './list.module.css';
import { ViewLink } from './view-link.tsx';
import { useQueueViews, useSavedViews } from './views.ts';

const SavedSections = part(() => import('./saved-sections.tsx').then(({ SavedSections }) => SavedSections));

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

/** The views that were saved, if there are any. */
export function SavedViews(props: { arePinned: boolean; link: object }) {
  if (useSavedViews().length === 0) return null;
  return (
    <Suspense>
      <SavedSections {...props} />
    </Suspense>
  );
}
