import { Lock, Users } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button as Pressable } from 'react-aria-components/Button';
import { useTranslations } from 'use-intl';

import type { TicketDetail } from '../api/types.ts';
import { Hint } from '../../kit/hint.tsx';
import { PrioritySign, StatusSign } from '../kit/signs.tsx';
import { Due, Paused } from '../kit/time.tsx';
import type { Opening } from './opening.ts';
import { audienceOf } from './audience.ts';
import { useReaders, useReadersText } from './readers.ts';
import { targetsOf, useRequesterName } from './targets.ts';
import styles from './ticket.module.css';

/** The reference and the state of a ticket in a line. */
export function HeaderFacts({
  ticket,
  canChange,
  onOpen,
}: {
  ticket: TicketDetail;
  canChange: boolean;
  onOpen: (which: Opening) => void;
}) {
  const t = useTranslations('ticket');
  const common = useTranslations('common');
  const { code, status, priority } = ticket;
  return (
    <div className={styles['facts']}>
      <span className={styles['code']}>{code}</span>
      <Chip
        label={t('status')}
        text={status.label}
        keys="s"
        isButton={canChange}
        onPress={() => onOpen('status')}
      >
        <StatusSign group={status.statusGroup.label} />
        {status.label}
      </Chip>
      {priority !== 'NO_PRIORITY' && (
        <Chip
          label={t('priority')}
          text={common(`priority.${priority}`)}
          keys="p"
          isButton={canChange}
          onPress={() => onOpen('priority')}
        >
          <PrioritySign priority={priority} />
          <span className={styles['priority']}>{common(`priority.${priority}`)}</span>
        </Chip>
      )}
      <Flags ticket={ticket} />
      <Clocks ticket={ticket} />
    </div>
  );
}

/** Who can read it, if not everyone, and whether it is archived. */
function Flags({ ticket }: { ticket: TicketDetail }) {
  const t = useTranslations('ticket');
  // A thread in a channel is read there, too.
  const isOfTeamOnly =
    useReaders(ticket) === 'team' && !['private', 'channel'].includes(audienceOf(ticket).of);
  const textOf = useReadersText(ticket);
  return (
    <>
      {ticket.private && (
        <span className={styles['flag']} title={t('private')}>
          <Lock size={12} aria-hidden /> <span className={styles['sign']}>{t('private')}</span>
        </span>
      )}
      {isOfTeamOnly && (
        <span className={styles['flag']} title={textOf('team')}>
          <Users size={12} aria-hidden /> <span className={styles['sign']}>{t('readers.teamOnly')}</span>
        </span>
      )}
      {ticket.archivedAt && <span className={styles['flag']}>{t('archived')}</span>}
    </>
  );
}

/** The target that ends first, or the day on which it is due, and whether the targets are paused. */
function Clocks({ ticket }: { ticket: TicketDetail }) {
  const t = useTranslations('ticket');
  const { dueAt, slaPausedAt } = ticket;
  const [next] = targetsOf(ticket);
  const requester = useRequesterName(ticket);
  return (
    <>
      {next && (
        <Due at={next.at} label={t(next.label)}>
          <span className={styles['name']}>{t(next.name)}</span>
        </Due>
      )}
      {slaPausedAt && (
        <Paused since={slaPausedAt} label={t('targetsPausedFor', { name: requester })}>
          {t('paused')} <span className={styles['sign']}>{t('waitingFor', { name: requester })}</span>
        </Paused>
      )}
      {dueAt && !next && <Due at={dueAt} label={t('due')} />}
    </>
  );
}

/** A value, and a button that opens its picker for those who may change it. */
function Chip({
  label,
  text,
  keys,
  isButton,
  onPress,
  children,
}: {
  label: string;
  text: string;
  keys: string;
  isButton: boolean;
  onPress: () => void;
  children: ReactNode;
}) {
  const t = useTranslations('ticket');
  if (!isButton) return <span className={styles['chip']}>{children}</span>;
  return (
    <Hint text={label} keys={keys}>
      <Pressable
        className={styles['chip'] ?? ''}
        aria-label={t('valueOf', { label, value: text })}
        onPress={onPress}
      >
        {children}
      </Pressable>
    </Hint>
  );
}
