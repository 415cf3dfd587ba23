import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { useFormatter, useTranslations } from 'use-intl';

import { useChoices, useOperation } from '../api/query.ts';
import { nameOf, usePeople } from '../api/people.ts';
import type { Answer, Ticket } from '../api/types.ts';
import { READER_TIME_ZONE } from '../kit/locale.ts';
import { Failed, Loading } from '../kit/states.tsx';
import { Due } from '../kit/time.tsx';
import analytics from './analytics.module.css';
import styles from './sla.module.css';
import { type Breach, partsOf } from './sla-figures.ts';
import { inWords } from './units.ts';

type Waiting = Answer<'readTargetReport'>['waiting'][number];

/** Tickets that are due next, shown at most. */
const NEXT = 10;
const PARTS = ['within', 'over', 'held', 'outside'] as const;

/** A part of the report: its heading, and its table as a file. */
export function Section({ title, csv, children }: { title: string; csv?: string; children: ReactNode }) {
  return (
    <section className={styles['section']} aria-label={title}>
      <div className={styles['head']}>
        <h2>{title}</h2>
        {csv && <Csv of={title} address={csv} />}
      </div>
      {children}
    </section>
  );
}

/** A link that saves a table as a file. */
function Csv({ of, address }: { of: string; address: string }) {
  const t = useTranslations('analytics');
  return (
    <a className={styles['csv']} href={address} download aria-label={t('sla.csvOf', { table: of })}>
      <Download size={14} aria-hidden />
      {t('csv')}
    </a>
  );
}

/** The newest tickets of a table, which its file has whole; `nothing` without any. */
function NewestTickets({
  title,
  csv,
  shown,
  total,
  nothing,
  help,
  legend,
  children,
}: {
  title: string;
  csv: string;
  shown: number;
  total: number;
  nothing: string;
  help?: ReactNode;
  legend?: ReactNode;
  children: ReactNode;
}) {
  const t = useTranslations('analytics');
  return (
    <Section title={title} {...(total > 0 && { csv })}>
      {help}
      {shown === 0 ? (
        <p className={styles['nothing']}>{nothing}</p>
      ) : (
        <>
          {legend}
          <ul className={styles['tickets']}>{children}</ul>
          {total > shown && <p className={styles['muted']}>{t('sla.newest', { shown, total })}</p>}
        </>
      )}
    </Section>
  );
}

interface Row {
  code: string;
  title: string | null;
  facts: (string | null | undefined)[];
  children: ReactNode;
}

function TicketRow({ code, title, facts, children }: Row) {
  const t = useTranslations('list');
  return (
    <li className={styles['ticket']}>
      <div className={styles['about']}>
        <Link to="/tickets/$code" params={{ code }} className={styles['title'] ?? ''}>
          <span className={styles['code']}>{code}</span> <span dir="auto">{title ?? t('untitled')}</span>
        </Link>
        <span className={styles['facts']}>{facts.filter(Boolean).join(' · ')}</span>
      </div>
      {children}
    </li>
  );
}

/** The first tickets that are late now, or due in the next seven days, and how many there are. */
export function useDue(due: 'overdue' | 'week', workspaceId: string, queueId: string | undefined) {
  return useOperation(
    'listTickets',
    {
      query: {
        workspaceId,
        due,
        timeZone: READER_TIME_ZONE,
        sortBy: 'due',
        sortDirection: 'asc',
        limit: NEXT,
        ...(queueId && { queueId }),
      },
    },
    { keep: true },
  );
}

/** Tickets that are late, and those due within seven days. */
export function DueNext({ workspaceId, queueId }: { workspaceId: string; queueId: string | undefined }) {
  const t = useTranslations('analytics');
  const list = useTranslations('list');
  const queues = useChoices('listQueues');
  const late = useDue('overdue', workspaceId, queueId);
  const next = useDue('week', workspaceId, queueId);
  const tickets = [...(late.data?.items ?? []), ...(next.data?.items ?? [])].slice(0, NEXT);
  const people = usePeople(tickets.flatMap(({ assigneeId }) => assigneeId ?? []));
  const queueOf = (ticket: Ticket) => queues.find(({ id }) => id === ticket.queueId)?.name;
  const assigneeOf = ({ assigneeId }: Ticket) => {
    const person = people.get(assigneeId ?? '');
    return person ? nameOf(person) : assigneeId ? undefined : list('unassigned');
  };
  const error = late.error ?? next.error;
  const all = (late.data?.totalCount ?? 0) + (next.data?.totalCount ?? 0);
  const search = (due: string) => ({ due, ...(queueId && { queueId }) });
  return (
    <Section title={t('sla.next')}>
      {error && tickets.length === 0 ? (
        <Failed error={error} onRetry={() => void Promise.all([late.refetch(), next.refetch()])} />
      ) : !late.data || !next.data ? (
        <Loading rows={3} />
      ) : tickets.length === 0 ? (
        <p className={styles['nothing']}>{t('sla.noneNext')}</p>
      ) : (
        <>
          <ul className={styles['tickets']}>
            {tickets.map((ticket) => {
              const due = earliest(ticket);
              return (
                <TicketRow
                  key={ticket.id}
                  code={ticket.code}
                  title={ticket.title}
                  facts={[queueOf(ticket), assigneeOf(ticket)]}
                >
                  <span className={styles['end']}>
                    {due && (
                      <Due at={due.at} label={t(`sla.targets.${due.what}`)}>
                        {t(`sla.targets.${due.what}`)}{' '}
                      </Due>
                    )}
                  </span>
                </TicketRow>
              );
            })}
          </ul>
          {all > tickets.length && (
            <p className={styles['muted']}>
              {t('sla.moreNext')}{' '}
              <Link to="/views/$view" params={{ view: 'all' }} search={search('overdue') as never}>
                {t('sla.lateNow', { count: late.data.totalCount })}
              </Link>
              {', '}
              <Link to="/views/$view" params={{ view: 'all' }} search={search('week') as never}>
                {t('sla.dueSoon', { count: next.data.totalCount })}
              </Link>
            </p>
          )}
        </>
      )}
    </Section>
  );
}

/** Returns the next due time of a ticket. */
function earliest({ firstReplyDueAt, resolutionDueAt, dueAt }: Ticket) {
  return (
    [
      ['first-reply', firstReplyDueAt],
      ['resolution', resolutionDueAt],
      ['due', dueAt],
    ] as const
  )
    .flatMap(([what, at]) => (at ? [{ what, at }] : []))
    .toSorted((one, other) => (one.at < other.at ? -1 : 1))[0];
}

/** The newest targets that were missed, each with where its time went. */
export function Breaches({
  breaches,
  total,
  csv,
}: {
  breaches: readonly Breach[];
  total: number;
  csv: string;
}) {
  const t = useTranslations('analytics');
  const list = useTranslations('list');
  const format = useFormatter();
  return (
    <NewestTickets
      title={t('sla.breaches')}
      csv={csv}
      shown={breaches.length}
      total={total}
      nothing={t('sla.noBreach')}
      legend={
        <ul className={analytics['legend']} aria-hidden>
          {PARTS.map((part) => (
            <li key={part}>
              <svg width="10" height="10">
                <rect className={styles[part]} width="10" height="10" rx="2" />
              </svg>
              {t(`sla.parts.${part}`)}
            </li>
          ))}
        </ul>
      }
    >
      {breaches.map((breach) => (
        <TicketRow
          key={`${breach.ticketId} ${breach.target}`}
          code={breach.code}
          title={breach.title}
          facts={[
            t(`sla.targets.${breach.target}`),
            breach.queueName,
            breach.assigneeName ?? list('unassigned'),
            format.dateTime(new Date(breach.at), { dateStyle: 'medium', timeStyle: 'short' }),
            breach.waitedWithoutReply ? t('sla.waitedFirst') : null,
          ]}
        >
          <Spent breach={breach} />
        </TicketRow>
      ))}
    </NewestTickets>
  );
}

/** A bar of where the time went, and the same in words. */
function Spent({ breach }: { breach: Breach }) {
  const t = useTranslations('analytics');
  const parts = partsOf(breach);
  const all = parts.reduce((sum, { minutes }) => sum + minutes, 0);
  const words = (minutes: number) => inWords('seconds', minutes * 60);
  const starts = parts.map((_, at) => parts.slice(0, at).reduce((sum, { minutes }) => sum + minutes, 0));
  return (
    <div className={styles['spent']}>
      <svg className={styles['bar']} aria-hidden preserveAspectRatio="none">
        {parts.map(({ part, minutes }, at) => (
          <rect
            key={part}
            data-part={part}
            x={`${((starts[at] ?? 0) / all) * 100}%`}
            width={`${(minutes / all) * 100}%`}
            height="10"
          >
            <title>{`${t(`sla.parts.${part}`)}: ${words(minutes)}`}</title>
          </rect>
        ))}
      </svg>
      <span>
        <span className={styles['late']}>
          {t('sla.late', { time: words(breach.openMinutes - breach.minutes) })}
        </span>
        <span className={styles['muted']}>
          {' · '}
          {[
            t('sla.target', { time: words(breach.minutes) }),
            t('sla.open', { time: words(breach.openMinutes) }),
            breach.heldMinutes > 0 && t('sla.held', { time: words(breach.heldMinutes) }),
            breach.outsideMinutes > 0 && t('sla.outside', { time: words(breach.outsideMinutes) }),
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </span>
    </div>
  );
}

/** Tickets that were set to Waiting before anybody had replied publicly. */
export function WaitedWithoutReply({
  waiting,
  total,
  csv,
}: {
  waiting: readonly Waiting[];
  total: number;
  csv: string;
}) {
  const t = useTranslations('analytics');
  const list = useTranslations('list');
  const format = useFormatter();
  const lasted = ({ from, until }: Waiting) =>
    inWords('seconds', (new Date(until ?? from).getTime() - new Date(from).getTime()) / 1_000);
  return (
    <NewestTickets
      title={t('sla.waiting')}
      csv={csv}
      shown={waiting.length}
      total={total}
      nothing={t('sla.noneWaiting')}
      help={<p className={styles['muted']}>{t('sla.waitingHelp')}</p>}
    >
      {waiting.map((waited) => (
        <TicketRow
          key={waited.ticketId}
          code={waited.code}
          title={waited.title}
          facts={[waited.queueName, waited.assigneeName ?? list('unassigned')]}
        >
          <span className={styles['end']}>
            {waited.until ? t('sla.waited', { time: lasted(waited) }) : t('sla.stillWaiting')}{' '}
            <span className={styles['muted']}>
              {t('sla.since', {
                time: format.dateTime(new Date(waited.from), { dateStyle: 'medium', timeStyle: 'short' }),
              })}
            </span>
          </span>
        </TicketRow>
      ))}
    </NewestTickets>
  );
}
