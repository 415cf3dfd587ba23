import { type ComponentType, useMemo } from 'react';
import { useFormatter, useTranslations } from 'use-intl';

import { useOperation } from '../api/query.ts';
import { useMessages, useTicket } from '../api/tickets.ts';
import type { Message, TicketDetail } from '../api/types.ts';
import { Failed, Loading } from '../kit/states.tsx';
import { Description } from './description.tsx';
import { entriesOf, type EntriesProps, standingMerges, useAuthorOf } from './entries.ts';
import styles from './thread.module.css';

/** The conversation of a merged ticket: its description, its messages, and tickets merged into it. */
export function MergedConversation({
  code,
  Entries,
}: {
  code: string;
  /** Draws a list of entries, in which such conversations can be opened again. */
  Entries: ComponentType<EntriesProps>;
}) {
  const t = useTranslations('ticket');
  const ticket = useTicket(code);
  const messages = useMessages(code);
  const error = ticket.error ?? messages.error;
  if (error)
    return (
      <Failed
        error={error}
        onRetry={() => {
          void ticket.refetch();
          void messages.refetch();
        }}
      />
    );
  if (!ticket.data || !messages.data) return <Loading rows={3} shape="messages" />;
  return (
    <section className={styles['merged']} aria-label={t('mergedConversation', { code })}>
      <MergedEntries
        ticket={ticket.data}
        // As in the conversation itself: a service may ignore the filter by ticket.
        messages={messages.data.items.filter(({ ticketId }) => ticketId === ticket.data.id)}
        total={messages.data.totalCount}
        Entries={Entries}
      />
    </section>
  );
}

function MergedEntries({
  ticket,
  messages,
  total,
  Entries,
}: {
  ticket: TicketDetail;
  messages: readonly Message[];
  total: number;
  Entries: ComponentType<EntriesProps>;
}) {
  const t = useTranslations('ticket');
  const format = useFormatter();
  const { data: activity } = useOperation('readTicketActivity', { params: { id: ticket.id } });
  const { people, authorOf } = useAuthorOf(ticket, messages);
  const merges = useMemo(() => standingMerges(activity?.items ?? []), [activity]);
  const entries = useMemo(
    () =>
      entriesOf(
        messages,
        (activity?.items ?? []).filter(({ id }) => merges.has(id)),
        undefined,
      ),
    [messages, activity, merges],
  );
  return (
    <>
      <Description
        ticket={ticket}
        canChange={false}
        requester={people.get(ticket.requesterId ?? '')}
        author={people.get(ticket.authorId ?? '')}
      />
      {total > messages.length && (
        <p className={styles['quiet']}>{t('latestOnly', { count: format.number(messages.length) })}</p>
      )}
      <Entries entries={entries} ticket={ticket} authorOf={authorOf} merges={merges} />
    </>
  );
}
