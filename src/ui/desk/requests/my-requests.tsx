import { useDeferredValue, useEffect, useState } from 'react';
import { Input } from 'react-aria-components/Input';
import { Link } from 'react-aria-components/Link';
import { SearchField } from 'react-aria-components/SearchField';
import { useTranslations } from 'use-intl';

import { usePeople, nameOf } from '../api/people.ts';
import { useOperation } from '../api/query.ts';
import { useRows } from '../api/rows.ts';
import type { Ticket } from '../api/types.ts';
import { Button } from '../../kit/button.tsx';
import { Empty, Failed, Loading } from '../kit/states.tsx';
import { StatusSign } from '../kit/signs.tsx';
import { useSteady } from '../kit/steady.ts';
import { Time } from '../kit/time.tsx';
import { hasEnded, useMe } from '../ticket/may.ts';
import styles from './requests.module.css';
import { type People, peopleIn, useShortWords, waitsForMe } from './words.ts';

const LATEST = { sortBy: 'updatedAt', sortDirection: 'desc' } as const;

/** Characters from which on requests are searched: two signs may be a word. */
const SHORTEST = 2;
const FOUND_AT_MOST = 50;

/** The requests of a person, or those with the words that they search for. */
export function MyRequests() {
  const t = useTranslations('requests');
  const [typed, setTyped] = useState('');
  const words = useDeferredValue(typed.trim());
  useEffect(() => {
    document.title = t('title');
  }, [t]);
  return (
    <main className={styles['list']}>
      {/* The bar above says it to those who see. */}
      <h1 className="visually-hidden">{t('title')}</h1>
      <SearchField aria-label={t('search')} value={typed} onChange={setTyped}>
        <Input className={styles['search'] ?? ''} placeholder={t('search')} />
      </SearchField>
      {words.length < SHORTEST ? <All /> : <Found words={words} />}
    </main>
  );
}

/** Every request, those first that wait for the reader. */
function All() {
  const t = useTranslations('requests');
  const common = useTranslations('common');
  const me = useMe();
  const open = useRows('listTickets', { ...LATEST, openFilter: true });
  const all = useRows('listTickets', LATEST);
  const groupOf = (ticket: Ticket) =>
    hasEnded(ticket) ? 'closed' : waitsForMe(ticket, me) ? 'approvals' : 'open';
  const { items, handlers } = useSteady({
    items: [...(open.read.data?.items ?? []), ...(all.read.data?.items ?? []).filter(hasEnded)],
    name: '',
    keyOf: (ticket) => `${groupOf(ticket)} ${ticket.id}`,
  });
  const groups = Map.groupBy(items, groupOf);
  const people = usePeople(peopleIn(items));
  const error = open.read.data ? all.read.error : open.read.error;
  if (error && !(open.read.data && all.read.data))
    return (
      <Failed
        error={error}
        onRetry={() => {
          void open.read.refetch();
          void all.read.refetch();
        }}
      />
    );
  if (!open.read.data) return <Loading shape="rows" />;
  const group = (name: 'approvals' | 'open' | 'closed') => {
    const tickets = groups.get(name);
    return tickets && <Group title={t(name)} tickets={tickets} people={people} />;
  };
  return (
    <div className={styles['groups']} {...handlers}>
      {group('approvals')}
      {group('open')}
      {!groups.has('approvals') && !groups.has('open') && (
        <Empty title={t('noneTitle')}>
          <p>{t('noneMore')}</p>
        </Empty>
      )}
      {open.more.isThere && (
        <Button onPress={open.more.read} isPending={open.more.isReading}>
          {common('more')}
        </Button>
      )}
      {group('closed')}
      {all.more.isThere && (
        <Button onPress={all.more.read} isPending={all.more.isReading}>
          {common('more')}
        </Button>
      )}
    </div>
  );
}

function Found({ words }: { words: string }) {
  const t = useTranslations('requests');
  const { data, error, refetch } = useOperation(
    'listTickets',
    { query: { ...LATEST, search: words, limit: FOUND_AT_MOST } },
    { keep: true },
  );
  const tickets = data?.items ?? [];
  const people = usePeople(peopleIn(tickets));
  if (error && !data) return <Failed error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading shape="rows" />;
  const count = data.totalCount;
  const title =
    count === 0
      ? t('foundNone', { words })
      : t(count > tickets.length ? 'foundMore' : 'found', { count, shown: tickets.length });
  return (
    <>
      <p role="status" className="visually-hidden">
        {title}
      </p>
      {tickets.length > 0 ? (
        <Group title={title} tickets={tickets} people={people} />
      ) : (
        <Empty title={title}>
          <p>{t('foundNoneMore')}</p>
        </Empty>
      )}
    </>
  );
}

function Group({ title, tickets, people }: { title: string; tickets: readonly Ticket[]; people: People }) {
  return (
    <section className={styles['group']} aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {tickets.map((ticket) => (
          <Row key={ticket.id} ticket={ticket} people={people} />
        ))}
      </ul>
    </section>
  );
}

function Row({ ticket, people }: { ticket: Ticket; people: People }) {
  const t = useTranslations('requests');
  const untitled = useTranslations('ticket')('untitled');
  const wordsOf = useShortWords();
  const me = useMe();
  const { code, title, status, requesterId, updatedAt, isUnread } = ticket;
  const isOthers = requesterId !== null && requesterId !== me;
  return (
    <li data-code={code} data-ended={hasEnded(ticket) || undefined}>
      <Link href={`/requests/${encodeURIComponent(code)}`} className={styles['row'] ?? ''}>
        <StatusSign group={status.statusGroup.label} size={16} />
        <span className={styles['what']}>
          <span className={styles['name']} dir="auto">
            {title || untitled}
          </span>
          <span className={styles['state']}>
            {wordsOf(ticket, people, me)}
            {isOthers && ` · ${t('of', { name: nameOf(people.get(requesterId)) })}`}
          </span>
        </span>
        <span className={styles['side']}>
          {isUnread && <span className={styles['unread']}>{t('unread')}</span>}
          <span className={styles['code']}>{code}</span>
          <Time at={updatedAt} />
        </span>
      </Link>
    </li>
  );
}
