import { Link } from '@tanstack/react-router';
import type { LucideIcon } from 'lucide-react';

import { useTicketCounts } from '../api/ticket-counts.ts';
import styles from './list.module.css';
import { OWN_VIEWS, useHere, useMe, useQueueViews, useSavedViews, asQuery } from './views.ts';

/** Views whose number says nothing to do. */
const UNCOUNTED: readonly string[] = ['all'];

/** The numbers of all views, in one request. */
function useViewCounts() {
  const me = useMe();
  // The server counts the same ones before the page asks (src/desk/first-data.ts).
  const own = OWN_VIEWS.filter(({ id }) => !UNCOUNTED.includes(id));
  const views = [...own, ...useSavedViews(), ...useQueueViews()];
  return useTicketCounts(views.map(({ id, filters }) => ({ key: id, query: asQuery(filters, me) })));
}

/** How many tickets a view has. */
function ViewCount({ view }: { view: string }) {
  const count = useViewCounts().get(view);
  if (!count?.count) return null;
  return (
    <span className={styles['count']}>
      {count.count}
      {count.isCapped && '+'}
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
