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
import list from '../list/list.module.css';
import { useNextTicket } from '../list/next-ticket.ts';
import { INBOX } from '../list/views.ts';
import { inbox } from '../messages/inbox.ts';
import styles from './inbox.module.css';

type Notification = ItemOf<'listNotifications'>;

const TEXTS = { inbox };

/** What concerns the signed-in person, the latest first; `opened` is the reference of the ticket beside it. */
export function Inbox({ opened }: { opened: string | undefined }) {
  return (
    <MoreTexts texts={TEXTS}>
      <Notifications opened={opened} />
    </MoreTexts>
  );
}

function Notifications({ opened }: { opened: string | undefined }) {
  const t = useTranslations('inbox');
  const common = useTranslations('common');
  const navigate = useNavigate();
  const [isUnread, setUnread] = useState(false);
  const [cursor, setCursor] = useState<string>();
  const rows = useRef<HTMLUListElement>(null);
  const query = { sortBy: 'at', sortDirection: 'desc', ...(isUnread && { unread: true }) } as const;
  const {
    read: { data, error, refetch, isFetching },
    more,
  } = useRows('listNotifications', query, {
    retry: (count, cause) => !(cause instanceof Refusal && cause.isAbsent) && count < 2,
  });
  useEffect(() => {
    if (!opened) document.title = t('title');
  }, [opened, t]);
  const items = data?.items ?? [];
  const isOpened = ({ ticket }: Notification) => ticket.code === opened;
  // Several may be of the ticket that is open.
  const chosen = items.findIndex((item) => item.id === cursor && (!opened || isOpened(item)));
  const at = chosen === -1 && opened ? items.findIndex(isOpened) : chosen;
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
  const open = (item: Notification) => {
    setCursor(item.id);
    if (!item.readAt) void read({ ids: [item.id] }).catch(() => undefined);
  };
  const openBeside = (item: Notification) => {
    open(item);
    const search = { view: INBOX } as never;
    void navigate({ to: '/tickets/$code', params: { code: item.ticket.code }, search });
  };
  useNextTicket(() => {
    const next = items.slice(at + 1).find((item) => !isOpened(item));
    if (!opened || !next) return undefined;
    prefetchTicket(next.ticket.code);
    return () => openBeside(next);
  });
  const move = (by: number) => {
    const next = items[at === -1 ? 0 : Math.min(items.length - 1, Math.max(0, at + by))];
    if (!next) return;
    setCursor(next.id);
    const row = rows.current?.children[items.indexOf(next)];
    row?.scrollIntoView({ block: 'nearest' });
    if (!opened) row?.querySelector('a')?.focus();
    else openBeside(next);
    const after = items[items.indexOf(next) + by];
    if (after) prefetchTicket(after.ticket.code);
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
      alsoKeys: 'u',
      isHidden: true,
      run: () => void navigate({ to: opened ? '/inbox' : '/' }),
    },
  ]);
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
    // Beside a ticket, that is the main thing. One element for both: another one would begin at the top again.
    <section className={list['list']} role={opened ? 'region' : 'main'} aria-label={t('title')}>
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
            {items.map((item, index) => (
              <Entry
                key={item.id}
                item={item}
                isCurrent={index === at}
                isOpen={index === at && isOpened(item)}
                onOpen={() => open(item)}
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
    </section>
  );
}

function Entry({
  item,
  isCurrent,
  isOpen,
  onOpen,
}: {
  item: Notification;
  isCurrent: boolean;
  isOpen: boolean;
  onOpen: () => void;
}) {
  const t = useTranslations('inbox');
  const { kind, ticket, actor, excerpt, at, readAt } = item;
  const [firstName = '', ...lastNames] = (actor?.name ?? '').split(' ');
  const said = t(`kinds.${kind}`, { actor: actor?.name ?? t('somebody') });
  return (
    <li className={styles['row']} data-unread={!readAt || undefined} data-current={isCurrent || undefined}>
      <Link
        to="/tickets/$code"
        params={{ code: ticket.code }}
        search={{ view: INBOX } as never}
        preload={false}
        aria-current={isOpen ? 'page' : undefined}
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
