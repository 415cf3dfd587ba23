import { Outlet, useParams } from '@tanstack/react-router';

import { List } from './list.tsx';
import styles from './list.module.css';

/** The list, and beside it the ticket that is open; on a narrow screen one of the two. */
export function Workspace() {
  const { code }: { code?: string } = useParams({ strict: false });
  return (
    <div className={styles['workspace']} data-ticket={code || undefined}>
      <List opened={code} />
      {code && <Outlet />}
    </div>
  );
}
