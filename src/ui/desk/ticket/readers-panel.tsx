import { Bot, Globe, Hash, Lock, ShieldCheck, UserRound, Users } from 'lucide-react';
import { useFormatter, useTranslations } from 'use-intl';

import { nameOf, usePeople } from '../api/people.ts';
import type { TicketDetail } from '../api/types.ts';
import { Effect, Effects } from '../kit/effects.tsx';
import { withTexts } from '../kit/more-texts.tsx';
import { readersPanel } from '../messages/readers-panel.ts';
import { type AudienceChannel, useAudienceChannel } from './audience-channel.ts';
import styles from './details.module.css';
import { type Readers, useReadersText } from './readers.ts';

const SIGNS = { workspace: Globe, agents: Users, team: Lock, queue: Lock } as const;

/** Lists who can read the ticket: through its queue, as participants, as admins, and programs. */
export const ReadersPanel = withTexts({ readersPanel }, Panel);

function Panel({ ticket, readers }: { ticket: TicketDetail; readers: Readers }) {
  const t = useTranslations('readersPanel');
  const title = useTranslations('ticket')('readers.title');
  const format = useFormatter();
  const textOf = useReadersText(ticket);
  const channel = useAudienceChannel(ticket);
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
      <h3 className={styles['heading']}>{title}</h3>
      <Effects>
        <Effect sign={<Sign size={14} aria-hidden />} more={t(`more.${readers}`)}>
          {textOf(readers)}
        </Effect>
        {channel && <InChannel of={channel} />}
        <Effect
          sign={<UserRound size={14} aria-hidden />}
          {...(names.length > 0 && { more: format.list(names) })}
        >
          {t('participants')}
        </Effect>
        <Effect
          sign={<ShieldCheck size={14} aria-hidden />}
          {...(readers === 'team' && { more: t('adminsMore') })}
        >
          {t('admins')}
        </Effect>
        <Effect sign={<Bot size={14} aria-hidden />}>{t('programs')}</Effect>
      </Effects>
    </div>
  );
}

/** Those who read it in Slack, whatever its queue says. */
function InChannel({ of: { linked, text } }: { of: AudienceChannel }) {
  const t = useTranslations('readersPanel.channel');
  const Sign = linked?.private ? Lock : Hash;
  return (
    <Effect
      sign={<Sign size={14} aria-hidden />}
      more={t(!linked ? 'unknown' : linked.private ? 'private' : 'public')}
    >
      {text}
    </Effect>
  );
}
