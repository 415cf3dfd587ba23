import { useFormatter, useTranslations } from 'use-intl';

import { nameOf, usePeople } from '../api/people.ts';
import type { TicketDetail } from '../api/types.ts';
import { useAwayText } from '../kit/away.tsx';
import { Time } from '../kit/time.tsx';
import styles from './details.module.css';
import { ReadersRow } from './readers-row.tsx';
import { Row, Section } from './row.tsx';

/** For those who may not change the ticket. */
export function ReadFacts({ ticket }: { ticket: TicketDetail }) {
  const t = useTranslations('ticket');
  const common = useTranslations('common');
  const format = useFormatter();
  const ids = [ticket.assigneeId, ...ticket.approvers.map(({ id }) => id)].filter((id) => id !== null);
  const people = usePeople(ids);
  const assignee = people.get(ticket.assigneeId ?? '');
  const away = useAwayText()(assignee);
  const assigned = assignee ? [nameOf(assignee), away].filter(Boolean).join(' · ') : t('anAgent');
  const rows: [string, string | undefined][] = [
    [t('status'), ticket.status.label],
    [t('assignee'), ticket.assigneeId ? assigned : t('unassigned')],
    [t('priority'), common(`priority.${ticket.priority}` as never)],
    [t('queue'), ticket.queue?.name],
    [t('requestType'), ticket.requestType?.name],
    [t('approvers'), ticket.approvers.map(({ id }) => nameOf(people.get(id))).join(', ')],
    [
      t('due'),
      ticket.dueAt
        ? format.dateTime(new Date(ticket.dueAt), { dateStyle: 'medium', timeStyle: 'short' })
        : undefined,
    ],
  ];
  return (
    <Section>
      <dl className={styles['rows']}>
        {rows
          .filter(([, value]) => value)
          .map(([label, value]) => (
            <Row key={label} label={label}>
              <span className={styles['plain']}>{value}</span>
            </Row>
          ))}
        <ReadersRow ticket={ticket} />
        <Known ticket={ticket} />
      </dl>
    </Section>
  );
}

/** Read-only details. */
export function Known({ ticket }: { ticket: TicketDetail }) {
  const t = useTranslations('ticket');
  return (
    <>
      <Row label={t('opened')}>
        <span className={styles['plain']}>
          <Time at={ticket.createdAt} />
        </span>
      </Row>
      {ticket.resolvedAt && (
        <Row label={t('resolved')}>
          <span className={styles['plain']}>
            <Time at={ticket.resolvedAt} />
          </span>
        </Row>
      )}
      {ticket.csat.map(({ score, feedback }, index) => {
        const full = Math.min(5, Math.max(0, Math.round(score)));
        return (
          <Row key={index} label={t('rating')}>
            <span className={styles['plain']}>
              <span role="img" aria-label={t('stars', { score })}>
                {'★'.repeat(full)}
                {'☆'.repeat(5 - full)}
              </span>{' '}
              {feedback}
            </span>
          </Row>
        );
      })}
    </>
  );
}
