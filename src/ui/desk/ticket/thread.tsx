import { Link, useLocation } from '@tanstack/react-router';
import { Fragment, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';

import { nameOf } from '../api/people.ts';
import { useOperation } from '../api/query.ts';
import { MESSAGES } from '../api/tickets.ts';
import type { Message, TicketDetail } from '../api/types.ts';
import { Button } from '../../kit/button.tsx';
import { Keys } from '../../kit/keys.tsx';
import { Late } from '../../kit/late.tsx';
import { TOUCH, useMedia } from '../kit/media.ts';
import { part } from '../../kit/part.ts';
import { Empty, Failed, Loading } from '../kit/states.tsx';
import { Time } from '../kit/time.tsx';
import { type Activity, ticketNamedIn, useActivityText } from './activity.ts';
import { Description } from './description.tsx';
import { entriesOf, type EntriesProps, type Entry, standingMerges, useAuthorOf } from './entries.ts';
import type { Permissions } from './may.ts';
import { MessageItem } from './message.tsx';
import type { Quote } from './quote.ts';
import { useSeenUntil } from './read.ts';
import { isSentAs, useScheduled } from './scheduled.ts';
import styles from './thread.module.css';

const MessageActions = part(() =>
  import('./message-actions.tsx').then(({ MessageActions }) => MessageActions),
);
const ScheduledReplies = part(() =>
  import('./scheduled-replies.tsx').then(({ ScheduledReplies }) => ScheduledReplies),
);
const MergedConversation = part(() =>
  import('./merged.tsx').then(({ MergedConversation }) => MergedConversation),
);
const EditMessage = part(() => import('./message-actions.tsx').then(({ EditMessage }) => EditMessage));

/** Messages that are drawn at first; earlier ones when they are asked for. */
const FIRST = 60;
/** Changes in a row that are all shown; of more, the latest ones. */
const CHANGES = 4;

/** The conversation, oldest first; opened at its end, where it stays while messages arrive. */
export function Thread({
  ticket,
  may,
  messages,
  total,
  error,
  onRetry,
  onQuote,
}: {
  ticket: TicketDetail;
  may: Permissions;
  /** Newest first; undefined while they are read. */
  messages: readonly Message[] | undefined;
  total: number;
  error: Error | null;
  onRetry: () => void;
  onQuote: (quote: Quote) => void;
}) {
  const t = useTranslations('ticket');
  const isTouched = useMedia(TOUCH);
  const format = useFormatter();
  const [isAsked, setAsked] = useState(false);
  const marked = useMarked(messages);
  const isWhole = isAsked || marked.isEarlier;
  const acts = useActs();
  const scheduled = useScheduled(ticket.id).filter(
    (reply) => !messages?.some((message) => isSentAs(reply, message)),
  );
  const activity = useOperation('readTicketActivity', { params: { id: ticket.id } }).data;
  const seenUntil = useSeenUntil(ticket.id, messages?.[0]?.createdAt);
  const { people, authorOf } = useAuthorOf(ticket, messages);
  const shown = useMemo(() => (isWhole ? messages : messages?.slice(0, FIRST)) ?? [], [messages, isWhole]);
  const isCut = (messages?.length ?? 0) > shown.length;
  const entries = useMemo(
    () => entriesOf(shown, activity?.items ?? [], isCut ? shown.at(-1)?.createdAt : undefined),
    [shown, activity, isCut],
  );
  const firstNew =
    seenUntil === undefined
      ? undefined
      : entries.find(
          (entry) => entry.kind === 'message' && entry.at > seenUntil && entry.message.authorId !== may.me,
        );
  const merges = useMemo(() => standingMerges(activity?.items ?? []), [activity]);
  const newest = messages?.[0];
  return (
    <div className={styles['scroller']} tabIndex={0} role="region" aria-label={t('conversation')}>
      <div className={styles['thread']}>
        <Description
          ticket={ticket}
          canChange={may.isWorker}
          requester={people.get(ticket.requesterId ?? '')}
          author={people.get(ticket.authorId ?? '')}
        />
        {total > MESSAGES && (
          <p className={styles['quiet']}>{t('latestOnly', { count: format.number(MESSAGES) })}</p>
        )}
        {isCut && (
          <p className={styles['quiet']}>
            <Button size="small" onPress={() => setAsked(true)}>
              {t('showEarlier', { count: (messages?.length ?? 0) - shown.length })}
            </Button>
          </p>
        )}
        {error ? (
          <Failed error={error} onRetry={onRetry} />
        ) : !messages ? (
          <Loading rows={3} shape="messages" />
        ) : (
          messages.length + scheduled.length === 0 &&
          (may.isWorker || may.isParticipant) && (
            <Empty title={t('noReplies')}>
              {isTouched ? t('noRepliesByTouch') : t.rich('noRepliesMore', { key: <Keys of="r" /> } as never)}
            </Empty>
          )
        )}
        <Entries
          entries={entries}
          ticket={ticket}
          authorOf={authorOf}
          merges={merges}
          firstNew={firstNew}
          marked={marked.id}
          acts={acts}
        />
        {scheduled.length > 0 && (
          <Suspense>
            <ScheduledReplies ticket={ticket} may={may} replies={scheduled} />
          </Suspense>
        )}
        {acts.opened && (
          <Late>
            <MessageActions
              key={acts.opened.message.id}
              ticket={ticket}
              may={may}
              message={acts.opened.message}
              trigger={acts.opened.button}
              onEdit={() => acts.edit(acts.opened)}
              onQuote={onQuote}
              onClose={acts.close}
            />
          </Late>
        )}
        <p className="visually-hidden" aria-live="polite">
          {newest && newest.authorId !== may.me && seenUntil !== undefined && newest.createdAt > seenUntil
            ? t('newMessage', { name: nameOf(authorOf(newest)) })
            : ''}
        </p>
      </div>
    </div>
  );
}

/** The message that the page's address names: it is brought into view once it is there. */
function useMarked(messages: readonly Message[] | undefined): { id: string; isEarlier: boolean } {
  const id = useLocation({ select: ({ hash }) => hash });
  const at = id ? (messages ?? []).findIndex((message) => message.id === id) : -1;
  const isThere = at >= 0;
  useEffect(() => {
    if (isThere) document.getElementById(id)?.scrollIntoView({ block: 'center' });
  }, [id, isThere]);
  return { id, isEarlier: at >= FIRST };
}

/** A message, and the button of its actions. */
interface ActedOn {
  message: Message;
  button: HTMLButtonElement;
}

/** The message whose actions are open, and the one whose text is being edited. */
function useActs() {
  const [opened, setOpened] = useState<ActedOn>();
  const [edited, setEdited] = useState<ActedOn>();
  return {
    opened,
    edited,
    open: useCallback((message: Message, button: HTMLButtonElement) => setOpened({ message, button }), []),
    // A menu says once more that it is closed when it is gone; by then another one may be open.
    close: () => setOpened((now) => (now === opened ? undefined : now)),
    edit: setEdited,
    endEdit: () => {
      edited?.button.focus();
      setEdited(undefined);
    },
  };
}

/** The messages of a conversation, with what changed between them. */
function Entries({
  entries,
  ticket,
  authorOf,
  merges,
  firstNew,
  marked,
  acts,
}: EntriesProps & {
  firstNew?: Entry | undefined;
  /** The id of the message that the page's address names. */
  marked?: string;
  /** Absent where nothing can be done with the messages. */
  acts?: ReturnType<typeof useActs>;
}) {
  return (
    <ol className={styles['entries']}>
      {entries.map((entry) =>
        entry.kind === 'changes' ? (
          <Changes key={entry.changes[0]?.id} changes={entry.changes} merges={merges} />
        ) : (
          <MessageItem
            key={entry.message.id}
            message={entry.message}
            author={authorOf(entry.message)}
            isRequester={entry.message.authorId !== null && entry.message.authorId === ticket.requesterId}
            isFirstNew={entry === firstNew}
            isMarked={entry.message.id === marked}
            edit={
              acts?.edited?.message.id === entry.message.id && (
                <Late>
                  <EditMessage code={ticket.code} message={entry.message} onClose={acts.endEdit} />
                </Late>
              )
            }
            openActions={acts?.open}
            areActionsOpen={acts?.opened?.message.id === entry.message.id}
          />
        ),
      )}
    </ol>
  );
}

/** The changes between two messages, one grey line each. */
function Changes({ changes, merges }: { changes: readonly Activity[]; merges: ReadonlySet<string> }) {
  const t = useTranslations('ticket');
  const [isWhole, setWhole] = useState(false);
  const hidden = isWhole || changes.length <= CHANGES ? 0 : changes.length - CHANGES + 1;
  return (
    <li className={styles['changes']}>
      {hidden > 0 && (
        <Button size="small" kind="quiet" onPress={() => setWhole(true)}>
          {t('moreChanges', { count: hidden })}
        </Button>
      )}
      {changes.slice(hidden).map((change) => {
        const merged = merges.has(change.id) ? ticketNamedIn(change) : undefined;
        return (
          <Fragment key={change.id}>
            <p>
              <ChangeText change={change} />
              {' · '}
              <Time at={change.at} />
            </p>
            {merged && <Merged code={merged.name} />}
          </Fragment>
        );
      })}
    </li>
  );
}

/** The conversation of a ticket that was merged into the one that is shown: it is read when it is opened. */
function Merged({ code }: { code: string }) {
  const t = useTranslations('ticket');
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="small" aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
        {t(isOpen ? 'hideMerged' : 'showMerged', { code })}
      </Button>
      {isOpen && (
        <Suspense fallback={<Loading rows={3} shape="messages" />}>
          <MergedConversation code={code} Entries={Entries} />
        </Suspense>
      )}
    </>
  );
}

/** A change as a sentence, in which another ticket's reference is a link. */
function ChangeText({ change }: { change: Activity }) {
  const text = useActivityText()(change);
  const ticket = ticketNamedIn(change);
  const at = ticket === undefined ? -1 : text.lastIndexOf(ticket.name);
  if (ticket === undefined || at < 0) return text;
  return (
    <>
      {text.slice(0, at)}
      <Link to="/tickets/$code" params={{ code: ticket.name }} search={true as never}>
        {ticket.name}
      </Link>
      {text.slice(at + ticket.name.length)}
    </>
  );
}
