import { useNow, useTranslations } from 'use-intl';

import { nameOf, usePerson } from '../api/people.ts';
import type { TicketDetail } from '../api/types.ts';
import styles from './composer.module.css';
import type { Present } from './presence.ts';

/** Who else writes on this ticket now. */
export function Together({
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
  const held = ticket.metadata.claim;
  const other = held && held.userId !== me && new Date(held.until) > now ? held.userId : undefined;
  const person = usePerson(other);
  const typing = others.filter(({ state }) => state === 'typing');
  if (!other && typing.length === 0) return null;
  return (
    <p className={styles['together']} role="status">
      {other && t('isReplying', { name: nameOf(person) })}{' '}
      {typing
        .filter(({ userId }) => userId !== other)
        .map(({ name }) => t('isTyping', { name }))
        .join(' ')}
    </p>
  );
}
