import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';

import { call, Refusal } from '../api/call.ts';
import { changeCached, queryClient } from '../api/query.ts';
import { useRows } from '../api/rows.ts';
import { prefetchTicket } from '../api/tickets.ts';
import type { ItemOf } from '../api/types.ts';
import { Avatar } from '../kit/avatar.tsx';
import { Button } from '../../kit/button.tsx';
import { useCommands } from '../kit/commands.ts';
import { MoreTexts } from '../kit/more-texts.tsx';
import { Empty, Failed, Loading } from '../kit/states.tsx';
import { useSteady } from '../kit/steady.ts';
import { Time } from '../kit/time.tsx';
import list from '../list/list.module.css';
import { useEarlyStep } from '../list/early-step.ts';
import { useNextTicket } from '../list/next-ticket.ts';
import { showRow, stepped } from '../list/rows.tsx';
import { INBOX } from '../list/views.ts';
import { inbox } from '../messages/inbox.ts';
import { showToast } from '../../kit/toast.tsx';
import { toastRefusal } from '../kit/toast-refusal.ts';
import styles from './inbox.module.css';

type Notification = ItemOf<'listNotifications'>;

const NONE: readonly Notification[] = [];

const TEXTS = { inbox };

/** The signed-in user's notifications, newest first; `opened` is the reference of the open ticket. */
export function Inbox({ opened }: { opened: string | undefined }) {
  return (
    <MoreTexts texts={TEXTS}>
      <Notifications opened={opened} />
    </MoreTexts>
  );
}

function Notifications({ opened }: { opened: string | undefined }) {
  const t = useTranslations('inbox');
  const [isUnread, setUnread] = useState(false);
  const rows = useRef<HTMLUListElement>(null);
  const found = useNotifications(isUnread);
  const { items } = found;
  const { at, isOpened, open, move: step, back } = useSteps({ items, opened, rows });
  const { data, error, isPlaceholderData } = found.read;
  const areThere = data !== undefined && !isPlaceholderData;
  const move = useEarlyStep({ areThere, areComing: !areThere && !error, isFocused: !opened }, step);
  useEffect(() => {
    if (!opened) document.title = t('title');
  }, [opened, t]);
  const readAll = useReadAll();
  useInboxCommands({ move, back, readAll, toggleUnread: () => setUnread(!isUnread) });
  return (
    // Beside a ticket, that is the main thing. One element for both: another one would begin at the top again.
    <section className={list['list']} role={opened ? 'region' : 'main'} aria-label={t('title')}>
      <header className={styles['header']}>
        <h1>{t('title')}</h1>
        <Which isShown={!isUnread} label={t('all')} onPress={() => setUnread(false)} />
        <Which isShown={isUnread} label={t('unread')} onPress={() => setUnread(true)} />
        <span className={styles['space']} />
        <Button size="small" isDisabled={!items.some(({ readAt }) => !readAt)} onPress={readAll}>
          {t('markAll')}
        </Button>
      </header>
      <Outcome found={found}>
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
      </Outcome>
    </section>
  );
}

/** The notifications, the latest first. */
function useNotifications(isUnread: boolean) {
  const query = { sortBy: 'at', sortDirection: 'desc', ...(isUnread && { unread: true }) } as const;
  const { read, more } = useRows('listNotifications', query, {
    retry: (count, cause) => !(cause instanceof Refusal && cause.isAbsent) && count < 2,
  });
  const { items, handlers } = useSteady({
    items: read.data?.items ?? NONE,
    name: `${isUnread} ${read.isPlaceholderData}`,
  });
  return { read, more, items, handlers };
}

/** Marks notifications as read. Throws Refusal. */
async function markRead(body: { all: true } | { ids: string[] }): Promise<void> {
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
}

/** Marks all notifications as read, and says so. */
function useReadAll(): () => void {
  const t = useTranslations('inbox');
  return () =>
    void toastRefusal(async () => {
      await markRead({ all: true });
      showToast({ kind: 'done', text: t('marked') });
    });
}

/** Steps from notification to notification, and opens their tickets. */
function useSteps({
  items,
  opened,
  rows,
}: {
  items: readonly Notification[];
  opened: string | undefined;
  rows: RefObject<HTMLUListElement | null>;
}) {
  const navigate = useNavigate();
  const [cursor, setCursor] = useState<string>();
  const isOpened = ({ ticket }: Notification) => ticket.code === opened;
  // Several may be of the ticket that is open.
  const chosen = items.findIndex((item) => item.id === cursor && (!opened || isOpened(item)));
  const at = chosen === -1 && opened ? items.findIndex(isOpened) : chosen;
  const open = (item: Notification) => {
    setCursor(item.id);
    if (!item.readAt) void markRead({ ids: [item.id] }).catch(() => undefined);
  };
  const openBeside = (item: Notification) => {
    open(item);
    const search = { view: INBOX } as never;
    void navigate({ to: '/tickets/$code', params: { code: item.ticket.code }, search });
  };
  useNextTicket(({ code, isListed }) => {
    const next = items.slice(at + 1).find((item) => !isOpened(item));
    if (opened !== code || !next || (isListed && at === -1)) return undefined;
    prefetchTicket(next.ticket.code);
    return () => openBeside(next);
  });
  return {
    /** The index of the current one; -1 without one. */
    at,
    isOpened,
    open,
    move: (by: 1 | -1) => {
      const { next, after } = stepped(items, at, by);
      if (!next) return;
      setCursor(next.id);
      const row = rows.current?.children[items.indexOf(next)];
      showRow(row, !opened);
      if (opened) openBeside(next);
      if (after) prefetchTicket(after.ticket.code);
    },
    back: () => void navigate({ to: opened ? '/inbox' : '/' }),
  };
}

function useInboxCommands({
  move,
  back,
  readAll,
  toggleUnread,
}: {
  move: (by: 1 | -1) => void;
  back: () => void;
  readAll: () => void;
  toggleUnread: () => void;
}): void {
  const t = useTranslations('inbox');
  const common = useTranslations('common');
  const group = t('group');
  const hidden = { group, isHidden: true };
  useCommands([
    { id: 'next', ...hidden, label: t('next'), keys: 'j', alsoKeys: 'ArrowDown', run: () => move(1) },
    { id: 'previous', ...hidden, label: t('previous'), keys: 'k', alsoKeys: 'ArrowUp', run: () => move(-1) },
    { id: 'unread', group, label: t('toggleUnread'), run: toggleUnread },
    { id: 'read', group, label: t('markAll'), run: readAll },
    { id: 'back', ...hidden, label: common('close'), keys: 'Escape', alsoKeys: 'u', run: back },
  ]);
}

/** Shows all or the unread ones. */
function Which({ isShown, label, onPress }: { isShown: boolean; label: string; onPress: () => void }) {
  return (
    <Button size="small" kind={isShown ? 'plain' : 'quiet'} aria-pressed={isShown} onPress={onPress}>
      {label}
    </Button>
  );
}

/** The rows that were read, or why there are none, and how to read on. */
function Outcome({
  found: { read, more, items, handlers },
  children,
}: {
  found: ReturnType<typeof useNotifications>;
  children: ReactNode;
}) {
  const t = useTranslations('inbox');
  const common = useTranslations('common');
  const { data, error, refetch, isFetching } = read;
  const drawn = () => {
    if (data) return items.length > 0 ? children : <Empty title={t('nothing')}>{t('nothingMore')}</Empty>;
    if (!error) return <Loading rows={12} shape="rows" />;
    if (error instanceof Refusal && error.isAbsent) return <Empty title={t('absent')} />;
    return <Failed error={error} onRetry={() => void refetch()} />;
  };
  return (
    <div
      className={list['rows']}
      aria-busy={isFetching}
      data-former={read.isPlaceholderData || undefined}
      {...handlers}
    >
      {drawn()}
      {more.isThere && (
        <p className={styles['more']}>
          <Button size="small" isPending={more.isReading} onPress={more.read}>
            {common('more')}
          </Button>
        </p>
      )}
    </div>
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
  const said =
    actor || !(kind in inbox.kindsBySystem)
      ? t(`kinds.${kind}`, { actor: actor?.name ?? '' })
      : t(`kindsBySystem.${kind}` as never);
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
