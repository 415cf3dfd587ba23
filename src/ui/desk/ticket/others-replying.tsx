import { useNow, useTranslations } from 'use-intl';

import { nameOf, usePerson } from '../api/people.ts';
import type { TicketDetail } from '../api/types.ts';
import styles from './composer.module.css';
import type { Present } from './presence.ts';

/** A line that names the other agents who are replying to this ticket now. */
export function OthersReplying({
  ticket,
  others,
  me,
}: {
  ticket: TicketDetail;
  others: readonly Present[];
  me: string | undefined;
}) {
  const t = useTranslations('ticket');
  const now = useNow({ updateInterval: 10_000 });
  const { claim } = ticket.metadata;
  const claimantId = claim && claim.userId !== me && new Date(claim.until) > now ? claim.userId : undefined;
  const claimant = usePerson(claimantId);
  const typing = others.filter(({ state }) => state === 'typing');
  if (!claimantId && typing.length === 0) return null;
  return (
    <p className={styles['together']} role="status">
      {claimantId && t('isReplying', { name: nameOf(claimant) })}{' '}
      {typing
        .filter(({ userId }) => userId !== claimantId)
        .map(({ name }) => t('isTyping', { name }))
        .join(' ')}
    </p>
  );
}
