import { useParams } from '@tanstack/react-router';
import { ArrowLeft, ExternalLink, Lock } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Link } from 'react-aria-components/Link';
import { useTranslations } from 'use-intl';

import { authorOfMessage } from '../api/author.ts';
import { Refusal } from '../api/call.ts';
import { nameOf, usePeople } from '../api/people.ts';
import { useChoices, useOperation } from '../api/query.ts';
import { useChangeTickets, useMessages, useTicket } from '../api/tickets.ts';
import type { Message, TicketDetail } from '../api/types.ts';
import { Button } from '../../kit/button.tsx';
import { Failed, Loading } from '../kit/states.tsx';
import { StatusSign } from '../kit/signs.tsx';
import { Time } from '../kit/time.tsx';
import { Approval } from '../ticket/approval.tsx';
import { Composer } from '../ticket/composer.tsx';
import { Description } from '../ticket/description.tsx';
import { hasEnded, type Permissions, usePermissions } from '../ticket/may.ts';
import { MessageItem } from '../ticket/message.tsx';
import { useMarkRead, useSeenUntil } from '../ticket/read.ts';
import { audienceOf } from '../ticket/audience.ts';
import { useReaders, useReadersText } from '../ticket/readers.ts';
import { useWithSending } from '../ticket/sending.ts';
import { useSettled } from '../ticket/settled.ts';
import thread from '../ticket/thread.module.css';
import { NotThere } from './not-there.tsx';
import styles from './requests.module.css';
import { deciderOf, type People, peopleIn, useNextStep, waitsForMe } from './words.ts';

/** Only where a form was filled in: fields of every kind are a lot to load. */
const Answers = lazy(async () => ({ default: (await import('./answers.tsx')).Answers }));

/** Only where it is asked. */
const Rating = lazy(async () => ({ default: (await import('./rating.tsx')).Rating }));

/** Messages that are drawn at first; earlier ones when they are asked for. */
const FIRST = 60;

/** A request as the person who asked reads it: its conversation, what happens next, and what they can do. */
export function RequestPage() {
  const { code = '' }: { code?: string } = useParams({ strict: false });
  const t = useTranslations('requests');
  const { data: ticket, error, refetch } = useTicket(code);
  const messages = useMessages(code);
  if (ticket)
    return (
      <Opened
        key={ticket.id}
        ticket={ticket}
        messages={messages.data?.items}
        error={messages.data ? null : messages.error}
        onRetry={() => void messages.refetch()}
      />
    );
  if (error instanceof Refusal && error.isAbsent)
    return <NotThere title={t('goneTitle', { code })} more={t('goneMore')} />;
  return (
    <main className={styles['list']}>
      <Back />
      {error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading />}
    </main>
  );
}

function Back() {
  const t = useTranslations('requests');
  return (
    <Link href="/requests" className={styles['back'] ?? ''}>
      <ArrowLeft size={16} aria-hidden />
      {t('back')}
    </Link>
  );
}

function Opened({
  ticket,
  messages,
  error,
  onRetry,
}: {
  ticket: TicketDetail;
  messages: readonly Message[] | undefined;
  error: Error | null;
  onRetry: () => void;
}) {
  const t = useTranslations('requests');
  const may = usePermissions(ticket);
  const isSettled = useSettled();
  // A service that ignores the filter by ticket returns messages of other tickets too.
  const own = messages?.filter(({ ticketId }) => ticketId === ticket.id);
  const shown = useWithSending(ticket.code, own);
  useMarkRead(ticket, own?.[0]?.createdAt, isSettled);
  useEffect(() => {
    document.title = `${ticket.code} ${ticket.title ?? ''}`;
  }, [ticket.code, ticket.title]);
  const writers = (shown ?? []).flatMap(({ authorId }) => authorId ?? []);
  const people = usePeople([...peopleIn([ticket]), ...deciderOf(ticket), ...writers]);
  const isMerged = ticket.mergedIntoId !== null;
  const { data: target } = useOperation(
    'readTicket',
    { params: { id: ticket.mergedIntoId ?? '' } },
    { enabled: isMerged },
  );
  const isOwn = ticket.requesterId !== null && ticket.requesterId === may.me;
  const canWrite = !hasEnded(ticket) && !isMerged;
  const next = useNextStep()(ticket, {
    people,
    me: may.me,
    target: isMerged ? (target?.code ?? '…') : undefined,
    newest: shown?.[0],
  });
  return (
    <main className={styles['request']} aria-label={`${ticket.code} ${ticket.title ?? ''}`}>
      <Head ticket={ticket} people={people} may={may} isOwn={isOwn} />
      <div className={thread['scroller']} tabIndex={0} role="region" aria-label={t('conversation')}>
        <div className={thread['thread']}>
          <Description
            ticket={ticket}
            canChange={false}
            requester={people.get(ticket.requesterId ?? '')}
            author={people.get(ticket.authorId ?? '')}
          />
          {ticket.requestTypeId !== null && Object.keys(ticket.customFields).length > 0 && (
            <Suspense>
              <Answers ticket={ticket} isOwn={isOwn} />
            </Suspense>
          )}
          {error ? (
            <Failed error={error} onRetry={onRetry} />
          ) : !shown ? (
            <Loading rows={3} shape="messages" />
          ) : (
            <Messages ticket={ticket} messages={shown} people={people} me={may.me} />
          )}
          <section className={styles['panel']} aria-label={t('next.title')}>
            <h2>{t('next.title')}</h2>
            <p aria-live="polite">{next}</p>
            {isMerged && target && (
              <Link href={`/requests/${encodeURIComponent(target.code)}`}>{target.code}</Link>
            )}
            {isOwn && !isMerged && hasEnded(ticket) && ticket.archivedAt === null && (
              <End ticket={ticket} kind="primary" />
            )}
          </section>
          <Decision ticket={ticket} people={people} may={may} />
          <Satisfaction ticket={ticket} isOwn={isOwn} me={may.me} />
        </div>
      </div>
      {canWrite && <Composer ticket={ticket} may={may} presence={ALONE} />}
    </main>
  );
}

const ignore = () => undefined;
/** Requesters do not see who else is there. */
const ALONE = { others: [], typing: ignore, stopTyping: ignore };

/** Which request it is, who has it, and what can be done with it as a whole. */
function Head({
  ticket,
  people,
  may,
  isOwn,
}: {
  ticket: TicketDetail;
  people: People;
  may: Permissions;
  isOwn: boolean;
}) {
  const t = useTranslations('requests');
  const untitled = useTranslations('ticket')('untitled');
  const readers = useReaders(ticket);
  const readersText = useReadersText(ticket);
  const { code, title, status, queue, assigneeId, requesterId, createdAt } = ticket;
  const assignee = people.get(assigneeId ?? '');
  const threads: readonly { type: string | null; url?: string | null }[] = ticket.chatThreads;
  const inSlack = threads.find(({ type, url }) => type !== 'TRIAGE' && url)?.url;
  const isShown = useQueueSettings(ticket)?.enableUserActions !== false;
  return (
    <header className={styles['head']}>
      <div className={styles['top']}>
        <Back />
        <span className={styles['code']}>{code}</span>
        <span className={styles['acts']}>
          {isOwn && isShown && !hasEnded(ticket) && ticket.mergedIntoId === null && (
            <End ticket={ticket} kind="plain" />
          )}
        </span>
      </div>
      <h1 dir="auto">{title || untitled}</h1>
      <p className={styles['facts']}>
        <span className={styles['status']}>
          <StatusSign group={status.statusGroup.label} />
          {status.label}
        </span>
        {queue && <span>{queue.name}</span>}
        {assignee && <span>{t('with', { name: nameOf(assignee) })}</span>}
        {requesterId !== null && requesterId !== may.me && (
          <span>{t('askedBy', { name: nameOf(people.get(requesterId)) })}</span>
        )}
        {/* A thread in a channel is read there, too. */}
        {(ticket.private || (readers === 'team' && audienceOf(ticket).of !== 'channel')) && (
          <span title={ticket.private ? t('privateMore') : readersText('team')}>
            <Lock size={12} aria-hidden /> {ticket.private ? t('isPrivate') : readersText('team')}
          </span>
        )}
        <Time at={createdAt} />
        {inSlack && (
          <a href={inSlack} target="_blank" rel="noopener noreferrer" className={styles['out']}>
            {t('inSlack')}
            <ExternalLink size={13} aria-hidden />
          </a>
        )}
      </p>
    </header>
  );
}

/** The queue's switches; undefined while they are read. */
function useQueueSettings({ queueId }: TicketDetail) {
  return useChoices('listQueues').find(({ id }) => id === queueId)?.settings;
}

/** Closes a request, or opens it again. */
function End({ ticket, kind }: { ticket: TicketDetail; kind: 'plain' | 'primary' }) {
  const t = useTranslations('requests');
  const change = useChangeTickets();
  const statuses = useChoices('listStatuses');
  const [isBusy, setBusy] = useState(false);
  const ended = hasEnded(ticket);
  const status = statuses
    .filter(({ statusGroup }) => statusGroup.label === (ended ? 'Open' : 'Closed'))
    .toSorted((one, other) => Number(other.system) - Number(one.system) || one.order - other.order)[0];
  const set = async () => {
    if (!status) return;
    setBusy(true);
    await change([ticket], {
      change: { statusId: status.id },
      shown: { status },
      said: t(ended ? 'saidReopened' : 'saidClosed', { code: ticket.code }),
      expected: { statusId: ticket.statusId },
    });
    setBusy(false);
  };
  return (
    <Button size="small" kind={kind} isPending={isBusy} isDisabled={!status} onPress={() => void set()}>
      {t(ended ? 'reopen' : 'close')}
    </Button>
  );
}

/** The messages, oldest first, with a line above what came since the last visit. */
function Messages({
  ticket,
  messages,
  people,
  me,
}: {
  ticket: TicketDetail;
  messages: readonly Message[];
  people: People;
  me: string | undefined;
}) {
  const t = useTranslations('requests');
  const [isWhole, setWhole] = useState(false);
  const seenUntil = useSeenUntil(ticket.id, messages[0]?.createdAt);
  const shown = (isWhole ? messages : messages.slice(0, FIRST)).toReversed();
  const firstNew =
    seenUntil === undefined
      ? undefined
      : shown.find(({ createdAt, authorId }) => createdAt > seenUntil && authorId !== me);
  return (
    <>
      {shown.length < messages.length && (
        <p className={thread['quiet']}>
          <Button size="small" onPress={() => setWhole(true)}>
            {t('earlier', { count: messages.length - shown.length })}
          </Button>
        </p>
      )}
      <ol className={thread['entries']}>
        {shown.map((message) => (
          <MessageItem
            key={message.id}
            message={message}
            author={authorOfMessage(message, people)}
            isRequester={message.authorId !== null && message.authorId === ticket.requesterId}
            isFirstNew={message === firstNew}
          />
        ))}
      </ol>
    </>
  );
}

/** The approval: its question for an approver, or the decision. */
function Decision({ ticket, people, may }: { ticket: TicketDetail; people: People; may: Permissions }) {
  const t = useTranslations('requests');
  if (ticket.approvers.length === 0) return null;
  const asked = waitsForMe(ticket, may.me)
    ? t('approvalAsked', { name: nameOf(people.get(ticket.requesterId ?? '')) })
    : undefined;
  return (
    <div className={styles['decision']} data-asked={asked && ''}>
      <Approval ticket={ticket} may={may} asked={asked} />
    </div>
  );
}

/** The question how the help was, where the queue asks it. */
function Satisfaction({
  ticket,
  isOwn,
  me,
}: {
  ticket: TicketDetail;
  isOwn: boolean;
  me: string | undefined;
}) {
  const isAsked = useQueueSettings(ticket)?.enableCSAT === true;
  const isDone = ticket.status.statusGroup.label === 'Done';
  if (!isAsked || !isDone || !isOwn || me === undefined) return null;
  return (
    <Suspense>
      <Rating ticket={ticket} me={me} />
    </Suspense>
  );
}
