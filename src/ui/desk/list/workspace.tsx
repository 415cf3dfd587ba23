import { Outlet, useParams } from '@tanstack/react-router';
import { Suspense, useLayoutEffect, useState } from 'react';

import { Opening } from '../../kit/late.tsx';
import { part } from '../../kit/part.ts';
import { runKeys, useEarlyKeys } from '../kit/commands.ts';
import { Loading } from '../kit/states.tsx';
import { Arrived } from './early-step.ts';
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
      {here === INBOX ? <InboxPlace opened={code} /> : <List opened={code} />}
      {code && <Outlet />}
    </div>
  );
}

/** The inbox once it is loaded; a key that is pressed before that is one of its commands, and others wait for it. */
function InboxPlace({ opened }: { opened: string | undefined }) {
  const [early, setEarly] = useState<string>();
  const [isThere, setThere] = useState(false);
  useLayoutEffect(() => {
    if (early && isThere) runKeys(early);
  }, [early, isThere]);
  return (
    <Suspense fallback={<Coming isAwaited={early !== undefined} onKeys={setEarly} />}>
      <Inbox opened={opened} />
      <Arrived onChange={setThere} />
    </Suspense>
  );
}

function Coming({ isAwaited, onKeys }: { isAwaited: boolean; onKeys: (keys: string) => void }) {
  useEarlyKeys(onKeys);
  return (
    <>
      {isAwaited && <Opening />}
      <Loading rows={12} shape="rows" />
    </>
  );
}
