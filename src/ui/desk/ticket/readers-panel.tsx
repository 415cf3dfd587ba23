import { Bot, Globe, Lock, ShieldCheck, UserRound, Users } from 'lucide-react';
import { useFormatter, useTranslations } from 'use-intl';

import { nameOf, usePeople } from '../api/people.ts';
import type { TicketDetail } from '../api/types.ts';
import { Effect, Effects } from '../kit/effects.tsx';
import styles from './details.module.css';
import { type Readers, useReadersText } from './readers.ts';

const SIGNS = { workspace: Globe, agents: Users, team: Lock, queue: Lock } as const;

/** Lists who can read the ticket: through its queue, as participants, as admins, and programs. */
export function ReadersPanel({ ticket, readers }: { ticket: TicketDetail; readers: Readers }) {
  const t = useTranslations('ticket');
  const format = useFormatter();
  const textOf = useReadersText(ticket);
  const { requesterId, authorId, assigneeId, approvers, followers } = ticket;
  const ids = new Set([
    requesterId,
    authorId,
    assigneeId,
    ...[...approvers, ...followers].map(({ id }) => id),
  ]);
  const known = usePeople([...ids].filter((id) => id !== null));
  const names = [...known.values()].map(nameOf);
  const Sign = SIGNS[readers];
  return (
    <div className={styles['chooser']}>
      <h3 className={styles['heading']}>{t('readers.title')}</h3>
      <Effects>
        <Effect sign={<Sign size={14} aria-hidden />} more={t(`readers.more.${readers}`)}>
          {textOf(readers)}
        </Effect>
        <Effect
          sign={<UserRound size={14} aria-hidden />}
          {...(names.length > 0 && { more: format.list(names) })}
        >
          {t('readers.participants')}
        </Effect>
        <Effect
          sign={<ShieldCheck size={14} aria-hidden />}
          {...(readers === 'team' && { more: t('readers.adminsMore') })}
        >
          {t('readers.admins')}
        </Effect>
        <Effect sign={<Bot size={14} aria-hidden />}>{t('readers.programs')}</Effect>
      </Effects>
    </div>
  );
}
