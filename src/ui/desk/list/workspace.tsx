import { Outlet, useParams } from '@tanstack/react-router';
import { Suspense } from 'react';

import { part } from '../../kit/part.ts';
import { Loading } from '../kit/states.tsx';
import { List } from './list.tsx';
import styles from './list.module.css';
import { INBOX, useHere } from './views.ts';

const Inbox = part(() => import('../inbox/inbox.tsx').then(({ Inbox }) => Inbox));

/** The list or the inbox, and beside it the ticket that is open; on a narrow screen one of the two. */
export function Workspace() {
  const { code }: { code?: string } = useParams({ strict: false });
  const here = useHere();
  return (
    <div className={styles['workspace']} data-ticket={code || undefined}>
      {here === INBOX ? (
        <Suspense fallback={<Loading rows={12} shape="rows" />}>
          <Inbox opened={code} />
        </Suspense>
      ) : (
        <List opened={code} />
      )}
      {code && <Outlet />}
    </div>
  );
}
