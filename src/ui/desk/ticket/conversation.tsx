import { useNavigate } from '@tanstack/react-router';
import { Suspense, useEffect, useLayoutEffect, useState } from 'react';
import { useTranslations } from 'use-intl';

import { Refusal } from '../api/call.ts';
import { useOperation } from '../api/query.ts';
import { ticketInLists, useMessages, useTicket } from '../api/tickets.ts';
import type { Message, TicketDetail } from '../api/types.ts';
import { runKeys, useCommands, useEarlyKeys } from '../kit/commands.ts';
import { Opening } from '../../kit/late.tsx';
import { part } from '../../kit/part.ts';
import { StatusSign } from '../kit/signs.tsx';
import { Failed, Loading } from '../kit/states.tsx';
import { Composer } from './composer.tsx';
import { Details } from './details.tsx';
import { forgetDraft } from './drafts.ts';
import { Header } from './header.tsx';
import { useMe, usePermissions } from './may.ts';
import { usePresence } from './presence.ts';
import type { Quote } from './quote.ts';
import { useMarkRead } from './read.ts';
import { useWithSending } from './sending.ts';
import { useSettled } from './settled.ts';
import type { Opening as Picker } from './opening.ts';
import { Thread } from './thread.tsx';
import styles from './ticket.module.css';

const NotThere = part(() => import('./not-there.tsx').then(({ NotThere }) => NotThere));
const ReplyDrafts = part(() => import('./reply-drafts.tsx').then(({ ReplyDrafts }) => ReplyDrafts));

/** How often drafted replies are read: they come, change and go without a change of the ticket. */
const DRAFTS_MS = 5_000;

/** A ticket: its conversation, its composer and its details. */
export function Conversation({ code }: { code: string }) {
  const t = useTranslations('ticket');
  const { data: ticket, error, refetch } = useTicket(code);
  const isAbsent = error instanceof Refusal && error.isAbsent;
  const lost = useLost(ticket, isAbsent);
  const messages = useMessages(code);
  const [early, setEarly] = useState<string>();
  const isThere = ticket !== undefined;
  // The commands of the ticket's parts are offered by now: their effects run first.
  useLayoutEffect(() => {
    if (early && isThere) runKeys(early);
  }, [early, isThere]);
  if (ticket)
    return (
      <Opened
        key={ticket.id}
        ticket={ticket}
        code={code}
        messages={messages.data?.items}
        total={messages.data?.totalCount ?? 0}
        error={messages.data ? null : messages.error}
        onRetry={() => void messages.refetch()}
      />
    );
  if (!lost && !error) return <Coming code={code} isAwaited={early !== undefined} onEarly={setEarly} />;
  return (
    <div className={styles['ticket']}>
      <main className={styles['middle']} aria-label={t('ticket', { code })}>
        {isAbsent ? (
          <Suspense>
            <NotThere code={lost?.code ?? code} wasThere={lost !== undefined} />
          </Suspense>
        ) : (
          error && <Failed error={error} onRetry={() => void refetch()} />
        )}
      </main>
    </div>
  );
}

/** A ticket that is on its way: what a list knows of it is there at once, the rest stands where it will be. */
function Coming({
  code,
  isAwaited,
  onEarly,
}: {
  code: string;
  /** A command was asked for: it waits for the ticket, with what is typed after it. */
  isAwaited: boolean;
  onEarly: (keys: string) => void;
}) {
  const t = useTranslations('ticket');
  useEarlyKeys(onEarly);
  const known = ticketInLists(code);
  const { isWide } = usePanel();
  return (
    <div className={styles['ticket']} data-wide={isWide || undefined} aria-busy>
      {isAwaited && <Opening />}
      <main className={styles['middle']} aria-label={t('ticket', { code })}>
        <header className={styles['header']}>
          <div className={styles['top']}>
            <div className={styles['facts']}>
              <span className={styles['code']}>{code}</span>
              {known && (
                <span className={styles['chip']}>
                  <StatusSign group={known.status.statusGroup.label} />
                  {known.status.label}
                </span>
              )}
            </div>
          </div>
          <h1 className={styles['title']} dir="auto">
            {known ? known.title || t('untitled') : code}
          </h1>
        </header>
        <div className={styles['coming']}>
          <Loading rows={3} shape="messages" />
        </div>
      </main>
      {isWide && (
        <div className={styles['coming-details']}>
          <Loading rows={12} />
        </div>
      )}
    </div>
  );
}

/** The ticket that was shown here until the person could no longer read it. What was typed on it here is forgotten. */
function useLost(ticket: TicketDetail | undefined, isAbsent: boolean): TicketDetail | undefined {
  const me = useMe();
  const [shown, setShown] = useState(ticket);
  if (ticket && ticket !== shown) setShown(ticket);
  const lost = !ticket && isAbsent ? shown : undefined;
  useEffect(() => {
    if (lost) forgetDraft(me, lost.id);
  }, [lost, me]);
  return lost;
}

const PANEL = 'desk details';

/** The panel is open on wide screens, until it is closed; on narrow ones it is a sheet that is opened each time. */
function usePanel() {
  const [isWide, setWide] = useState(() => localStorage.getItem(PANEL) !== 'closed');
  const [isSheet, setSheet] = useState(false);
  return {
    isWide,
    isSheet,
    toggle: (isNarrow: boolean) => {
      if (isNarrow) setSheet(!isSheet);
      else {
        localStorage.setItem(PANEL, isWide ? 'closed' : 'open');
        setWide(!isWide);
      }
    },
    show: (isNarrow: boolean) => {
      if (isNarrow) setSheet(true);
      else setWide(true);
    },
  };
}

/** Under this width of the window the panel covers the conversation (ticket.module.css). */
const NARROW = 1260;

function Opened({
  ticket,
  code,
  messages,
  total,
  error,
  onRetry,
}: {
  ticket: TicketDetail;
  code: string;
  messages: readonly Message[] | undefined;
  total: number;
  error: Error | null;
  onRetry: () => void;
}) {
  const t = useTranslations('ticket');
  const navigate = useNavigate();
  const may = usePermissions(ticket);
  const isSettled = useSettled();
  const { data: drafted } = useOperation(
    'listReplyDrafts',
    { params: { id: ticket.id } },
    { enabled: may.isWorker && isSettled, everyMs: DRAFTS_MS },
  );
  const drafts = may.isWorker ? (drafted?.items ?? []) : [];
  const panel = usePanel();
  const [opening, setOpening] = useState<Picker>();
  const [quote, setQuote] = useState<Quote>();
  const isNarrow = () => innerWidth < NARROW;
  // A service that ignores the filter by ticket returns messages of other tickets too.
  const own = messages?.filter(({ ticketId }) => ticketId === ticket.id);
  const newestAt = own && (own[0]?.createdAt ?? '');
  const presence = usePresence(ticket.id, may.me, newestAt);
  const shown = useWithSending(ticket.code, own);
  useMarkRead(ticket, own?.[0]?.createdAt, isSettled);

  // A ticket in another queue has another reference; the former one still leads to it.
  useEffect(() => {
    if (ticket.code !== code)
      void navigate({
        to: '/tickets/$code',
        params: { code: ticket.code },
        search: true,
        hash: true,
        replace: true,
      } as never);
  }, [ticket.code, code, navigate]);
  useEffect(() => {
    document.title = `${ticket.code} ${ticket.title ?? ''}`;
  }, [ticket.code, ticket.title]);

  const open = (which: Picker) => {
    panel.show(isNarrow());
    setOpening(which);
  };
  const toggle = () => panel.toggle(isNarrow());
  const group = t('group');
  useCommands([
    { id: 'details', group, label: t('toggleDetails'), keys: ']', run: toggle },
    ...(may.isWorker
      ? [
          { id: 'assignee', group, label: `${t('assignee')}…`, keys: 'a', run: () => open('assignee') },
          { id: 'status', group, label: `${t('status')}…`, keys: 's', run: () => open('status') },
          { id: 'priority', group, label: `${t('priority')}…`, keys: 'p', run: () => open('priority') },
          { id: 'tags', group, label: `${t('tags')}…`, keys: 'l', run: () => open('tags') },
          { id: 'queue', group, label: `${t('queue')}…`, run: () => open('queue') },
          { id: 'due', group, label: `${t('due')}…`, run: () => open('dueAt') },
        ]
      : []),
    ...(may.maySnooze
      ? [{ id: 'snooze', group, label: `${t('snooze')}…`, keys: 'h', run: () => open('snooze') }]
      : []),
  ]);
  return (
    <div
      className={styles['ticket']}
      data-wide={panel.isWide || undefined}
      data-sheet={panel.isSheet || undefined}
    >
      <main className={styles['middle']} aria-label={t('ticket', { code: ticket.code })}>
        <Header ticket={ticket} may={may} others={presence.others} onOpen={open} onDetails={toggle} />
        <Thread
          ticket={ticket}
          may={may}
          messages={shown}
          total={total}
          error={error}
          onRetry={onRetry}
          onQuote={setQuote}
        />
        {drafts.length > 0 && (
          <Suspense>
            <ReplyDrafts ticket={ticket} drafts={drafts} />
          </Suspense>
        )}
        <Composer ticket={ticket} may={may} presence={presence} quote={quote} newestAt={newestAt} />
      </main>
      {(panel.isWide || panel.isSheet) && (
        <Details
          ticket={ticket}
          may={may}
          isSettled={isSettled}
          opening={opening}
          onOpening={setOpening}
          onClose={toggle}
        />
      )}
    </div>
  );
}
