import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { nameOf, usePerson } from '../api/people.ts';
import type { TicketDetail } from '../api/types.ts';
import { Button } from '../../kit/button.tsx';
import { Late } from '../../kit/late.tsx';
import { part } from '../../kit/part.ts';
import { withTexts } from '../kit/more-texts.tsx';
import { deciding } from '../messages/dialogs.ts';
import { useChange } from './change.ts';
import styles from './details.module.css';
import type { Permissions } from './may.ts';
import { Section } from './row.tsx';

const Decline = part(() => import('./decline.tsx').then(({ Decline }) => Decline));

/** The decision of the approvers, or the buttons of one of them. */
export const Approval = withTexts({ deciding }, Deciding);

function Deciding({
  ticket,
  may,
  asked,
}: {
  ticket: TicketDetail;
  may: Permissions;
  /** What an approver is asked; without it, that their approval is needed. */
  asked?: string | undefined;
}) {
  const t = useTranslations('ticket');
  const own = useTranslations('deciding');
  const change = useChange(ticket);
  const [isDeclining, setDeclining] = useState(false);
  const decided = ticket.approvedAt ?? ticket.declinedAt;
  const { userId, reason } = ticket.metadata.approval ?? { userId: null, reason: null };
  const person = usePerson(decided ? userId : null);
  const isApprover = may.me !== undefined && ticket.approvers.some(({ id }) => id === may.me);
  // Who asks does not decide: the service refuses it.
  const isOwn = may.me !== undefined && [ticket.requesterId, ticket.authorId].includes(may.me);
  if (!decided && !isApprover) return null;
  if (decided) {
    const name = person ? nameOf(person) : t('someone');
    return (
      <Section title={t('approval')}>
        <p>{ticket.approvedAt ? own('approvedBy', { name }) : own('declinedBy', { name })}</p>
        {reason && <p className={styles['reason']}>{reason}</p>}
      </Section>
    );
  }
  if (isOwn)
    return (
      <Section title={t('approval')}>
        <p>{own('byOthers')}</p>
      </Section>
    );
  return (
    <Section title={t('approval')}>
      <p>{asked ?? own('needed')}</p>
      <span className={styles['buttons']}>
        <Button
          kind="primary"
          size="small"
          onPress={() => void change({ approvedAt: new Date().toISOString() })}
        >
          {own('approve')}
        </Button>
        <Button size="small" onPress={() => setDeclining(true)}>
          {own('decline')}…
        </Button>
      </span>
      {isDeclining && (
        <Late>
          <Decline ticket={ticket} onClose={() => setDeclining(false)} />
        </Late>
      )}
    </Section>
  );
}
