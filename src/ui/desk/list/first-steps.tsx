import { Link } from '@tanstack/react-router';
import { CircleCheckBig, Circle } from 'lucide-react';
import { useTranslations } from 'use-intl';

import { useChatChannels } from '../api/chat-lists.ts';
import { useChoices, useOperation } from '../api/query.ts';
import { useRole } from '../api/session.ts';
import { MoreTexts } from '../kit/more-texts.tsx';
import { listParts } from '../messages/list-parts.ts';
import styles from './list.module.css';

const TEXTS = { listParts };

/** What an empty desk needs before its first ticket, each step with its state; for admins. */
export function FirstSteps() {
  return (
    <MoreTexts texts={TEXTS}>
      <Steps />
    </MoreTexts>
  );
}

function Steps() {
  const t = useTranslations('listParts.steps');
  const role = useRole();
  const { isConnected, isPending } = useChatChannels({ enabled: role === 'admin' });
  const { data: people } = useOperation('listUsers', { query: { role: 'agent', limit: 1 } });
  const queues = useChoices('listQueues');
  if (role !== 'admin' || isPending || !people) return null;
  const steps = [
    { id: 'chat', isDone: isConnected, section: 'channels' },
    {
      id: 'channel',
      isDone: queues.some(({ chatChannels }) => chatChannels.length > 0),
      section: 'channels',
    },
    { id: 'people', isDone: people.totalCount > 0, section: 'people' },
  ] as const;
  if (steps.every(({ isDone }) => isDone)) return null;
  return (
    <ul className={styles['steps']} aria-label={t('title')}>
      {steps.map(({ id, isDone, section }) => (
        <li key={id} className={styles['bar']}>
          {isDone ? <CircleCheckBig size={16} aria-hidden /> : <Circle size={16} aria-hidden />}
          <Link to="/settings/{-$section}/{-$item}" params={{ section }}>
            {t(id)}
          </Link>
          {isDone && <span className="visually-hidden">{t('done')}</span>}
        </li>
      ))}
    </ul>
  );
}
