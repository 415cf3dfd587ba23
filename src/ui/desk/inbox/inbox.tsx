import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';

import { call, Refusal } from '../api/call.ts';
import { changeCached, queryClient } from '../api/query.ts';
import { useRows } from '../api/rows.ts';
import { prefetchTicket } from '../api/tickets.ts';
import type { ItemOf } from '../api/types.ts';
import { Avatar } from '../kit/avatar.tsx';
import { Button } from '../kit/button.tsx';
import { useCommands } from '../kit/commands.ts';
import { MoreTexts } from '../kit/more-texts.tsx';
import { Empty, Failed, Loading } from '../kit/states.tsx';
import { Time } from '../kit/time.tsx';
import { showToast } from '../kit/toast.tsx';
import { inbox } from '../messages/inbox.ts';
import styles from './inbox.module.css';

type Notification = ItemOf<'listNotifications'>;

const TEXTS = { inbox };

/** What concerns the signed-in person, the latest first. */
export function Inbox() {
  return (
    <MoreTexts texts={TEXTS}>
      <Notifications />
    </MoreTexts>
  );
}

function Notifications() {
  const t = useTranslations('inbox');
  const common = useTranslations('common');
  const navigate = useNavigate();
  const [isUnread, setUnread] = useState(false);
  const [cursor, setCursor] = useState(-1);
  const rows = useRef<HTMLUListElement>(null);
  const query = { sortBy: 'at', sortDirection: 'desc', ...(isUnread && { unread: true }) } as const;
  const {
    read: { data, error, refetch, isFetching },
    more,
  } = useRows('listNotifications', query, {
    retry: (count, cause) => !(cause instanceof Refusal && cause.isAbsent) && count < 2,
  });
  useEffect(() => {
    document.title = t('title');
  }, [t]);
  const items = data?.items ?? [];
  const move = (by: 1 | -1) => {
    const next = Math.min(items.length - 1, Math.max(0, cursor + by));
    setCursor(next);
    rows.current?.querySelectorAll('a')[next]?.focus();
  };
  useCommands([
    {
      id: 'next',
      group: t('group'),
      label: t('next'),
      keys: 'j',
      alsoKeys: 'ArrowDown',
      isHidden: true,
      run: () => move(1),
    },
    {
      id: 'previous',
      group: t('group'),
      label: t('previous'),
      keys: 'k',
      alsoKeys: 'ArrowUp',
      isHidden: true,
      run: () => move(-1),
    },
    { id: 'unread', group: t('group'), label: t('toggleUnread'), run: () => setUnread(!isUnread) },
    { id: 'read', group: t('group'), label: t('markAll'), run: () => void readAll() },
    {
      id: 'back',
      group: t('group'),
      label: common('close'),
      keys: 'Escape',
      isHidden: true,
      run: () => void navigate({ to: '/' }),
    },
  ]);
  const read = async (body: { all: true } | { ids: string[] }) => {
    const readAt = new Date().toISOString();
    // Optimistic: going back to the inbox shows the cached list until it is read again.
    changeCached<Notification>('listNotifications', (each) =>
      each.readAt || !('all' in body || body.ids.includes(each.id)) ? each : { ...each, readAt },
    );
    try {
      await call('readNotifications', { body });
    } finally {
      await queryClient.invalidateQueries({ queryKey: ['listNotifications'] });
      await queryClient.invalidateQueries({ queryKey: ['countNotifications'] });
    }
  };
  const readAll = async () => {
    try {
      await read({ all: true });
      showToast({ kind: 'done', text: t('marked') });
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
      showToast({ kind: 'error', text: cause.message });
    }
  };
  return (
    <main className={styles['inbox']}>
      <header className={styles['header']}>
        <h1>{t('title')}</h1>
        <Button
          size="small"
          kind={isUnread ? 'quiet' : 'plain'}
          aria-pressed={!isUnread}
          onPress={() => setUnread(false)}
        >
          {t('all')}
        </Button>
        <Button
          size="small"
          kind={isUnread ? 'plain' : 'quiet'}
          aria-pressed={isUnread}
          onPress={() => setUnread(true)}
        >
          {t('unread')}
        </Button>
        <span className={styles['space']} />
        <Button size="small" isDisabled={!items.some(({ readAt }) => !readAt)} onPress={() => void readAll()}>
          {t('markAll')}
        </Button>
      </header>
      <div className={styles['rows']} aria-busy={isFetching}>
        {error && !data ? (
          error instanceof Refusal && error.isAbsent ? (
            <Empty title={t('absent')} />
          ) : (
            <Failed error={error} onRetry={() => void refetch()} />
          )
        ) : !data ? (
          <Loading rows={12} />
        ) : items.length === 0 ? (
          <Empty title={t('nothing')}>{t('nothingMore')}</Empty>
        ) : (
          <ul ref={rows}>
            {items.map((item) => (
              <Entry
                key={item.id}
                item={item}
                onOpen={() => !item.readAt && void read({ ids: [item.id] }).catch(() => undefined)}
              />
            ))}
          </ul>
        )}
        {more.isThere && (
          <p className={styles['more']}>
            <Button size="small" isPending={more.isReading} onPress={more.read}>
              {common('more')}
            </Button>
          </p>
        )}
      </div>
    </main>
  );
}

function Entry({ item, onOpen }: { item: Notification; onOpen: () => void }) {
  const t = useTranslations('inbox');
  const { kind, ticket, actor, excerpt, at, readAt } = item;
  const [firstName = '', ...lastNames] = (actor?.name ?? '').split(' ');
  const said = t(`kinds.${kind}`, { actor: actor?.name ?? t('somebody') });
  return (
    <li className={styles['row']} data-unread={!readAt || undefined}>
      <Link
        to="/tickets/$code"
        params={{ code: ticket.code }}
        search={{} as never}
        onClick={onOpen}
        onPointerEnter={() => prefetchTicket(ticket.code)}
      >
        <span className={styles['dot']} />
        <Avatar person={actor && { id: actor.id, firstName, lastName: lastNames.join(' ') }} size={28} />
        <span className={styles['text']}>
          <span className={styles['first']}>
            <span className={styles['code']}>{ticket.code}</span>
            <span className={styles['title']}>{ticket.title ?? t('hidden')}</span>
          </span>
          <span className={styles['second']}>
            {!readAt && <span className="visually-hidden">{t('unread')}: </span>}
            {said}
            {excerpt && `: ${excerpt}`}
          </span>
        </span>
        <Time at={at} isShort />
      </Link>
    </li>
  );
}
