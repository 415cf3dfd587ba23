import { useDeferredValue, useEffect, useState } from 'react';
import { Link } from 'react-aria-components/Link';
import { useTranslations } from 'use-intl';

import { nameOf, usePeople } from '../api/people.ts';
import { useOperation } from '../api/query.ts';
import { StatusSign } from '../kit/signs.tsx';
import { hasEnded } from '../ticket/may.ts';
import styles from './new-ticket.module.css';

/** Hits read, and tickets shown. */
const LOOKED_AT = 10;
const SIMILAR = 3;
/** Characters from which on a title is searched for: two signs may be a word. */
const SHORTEST = 2;
const TYPING_MS = 400;

/**
 * Tickets that may already answer it, solved ones first and no merged ones; nothing where the search fails.
 * @param path below which their pages are.
 */
export function Similar({ title, path }: { title: string; path: '/tickets' | '/requests' }) {
  const t = useTranslations('newTicket');
  const ticket = useTranslations('ticket');
  const [query, setQuery] = useState('');
  const typed = useDeferredValue(title.trim());
  useEffect(() => {
    const timer = setTimeout(() => setQuery(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const { data } = useOperation(
    'semanticSearch',
    { query: { query, limit: LOOKED_AT } },
    { enabled: query.length >= SHORTEST, keep: true },
  );
  const found = query.length >= SHORTEST ? (data?.items ?? []) : [];
  const withAll = new Set(
    data?.matches.flatMap(({ ticketId, hasAllWords }) => (hasAllWords ? [ticketId] : [])),
  );
  const best = found
    .filter(({ mergedIntoId }) => !mergedIntoId)
    .toSorted(
      (one, other) =>
        Number(withAll.has(other.id)) - Number(withAll.has(one.id)) ||
        Number(hasEnded(other)) - Number(hasEnded(one)),
    )
    .slice(0, SIMILAR);
  const people = usePeople(best.flatMap(({ assigneeId }) => assigneeId ?? []));
  return (
    <div role="status">
      {best.length > 0 && (
        <section className={styles['similar']} aria-label={t('similar')}>
          <h2>{t('similar')}</h2>
          <ul>
            {best.map((each) => {
              const name = nameOf(people.get(each.assigneeId ?? ''));
              return (
                <li key={each.id}>
                  <StatusSign group={each.status.statusGroup.label} size={13} />
                  <span>
                    <Link href={`${path}/${encodeURIComponent(each.code)}`}>
                      <span className={styles['code']}>{each.code}</span> {each.title || ticket('untitled')}
                    </Link>{' '}
                    <span className={styles['help']}>
                      {each.assigneeId &&
                        (hasEnded(each) ? ticket('solvedBy', { name }) : ticket('withAssignee', { name }))}
                    </span>
                  </span>
                </li>
              );
            })}
          </ul>
        </section>
      )}
    </div>
  );
}
