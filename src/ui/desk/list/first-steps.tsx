import { Link } from '@tanstack/react-router';
import { CircleCheckBig, Circle } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { useChatChannels } from '../api/chat-lists.ts';
import { useChoices, useOperation } from '../api/query.ts';
import { useRole, useSession } from '../api/session.ts';
import { Button } from '../../kit/button.tsx';
import styles from './list.module.css';

/**
 * What a new desk needs before it is of use, each step with its state as the service knows it; for admins, until all
 * are done or the admin dismisses them.
 */
export function FirstSteps() {
  const t = useTranslations('listParts.steps');
  const place = `first steps ${useSession()?.userId ?? 'key'}`;
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(place) === 'dismissed');
  const enabled = useRole() === 'admin' && !isDismissed;
  const fresh = { enabled, isFresh: true };
  const { isConnected, isPending } = useChatChannels({ enabled });
  const { data: people } = useOperation('listUsers', { query: { role: 'agent', limit: 1 } }, fresh);
  const hours = useOperation('listBusinessHours', { query: { limit: 1 } }, fresh);
  const { data: tickets } = useOperation('listTickets', { query: { limit: 1 } }, fresh);
  const queues = useChoices('listQueues');
  if (!enabled || isPending || hours.isPending || !people || !tickets) return null;
  const steps = [
    { id: 'chat', isDone: isConnected, section: 'channels' },
    {
      id: 'channel',
      isDone: queues.some(({ chatChannels }) => chatChannels.length > 0),
      section: 'channels',
    },
    { id: 'people', isDone: people.totalCount > 0, section: 'people' },
    // Another service may have none.
    ...(hours.data
      ? [{ id: 'hours', isDone: hours.data.totalCount > 0, section: 'business-hours' } as const]
      : []),
    { id: 'message', isDone: tickets.totalCount > 0, section: undefined },
  ] as const;
  const done = steps.filter(({ isDone }) => isDone).length;
  if (done === steps.length) return null;
  const dismiss = () => {
    setDismissed(true);
    try {
      localStorage.setItem(place, 'dismissed');
    } catch {
      // Without storage they return with the next page.
    }
  };
  return (
    <div className={styles['steps']}>
      <p className={styles['bar']}>
        <strong>{t('title')}</strong>
        <span>{t('count', { done, all: steps.length })}</span>
        <Button size="small" kind="quiet" onPress={dismiss}>
          {t('dismiss')}
        </Button>
      </p>
      <ul className={styles['checklist']} aria-label={t('title')}>
        {steps.map(({ id, isDone, section }) => (
          <li key={id} className={styles['bar']}>
            {isDone ? <CircleCheckBig size={16} aria-hidden /> : <Circle size={16} aria-hidden />}
            {section === undefined ? (
              <span>{t(id)}</span>
            ) : (
              <Link to="/settings/{-$section}/{-$item}" params={{ section }}>
                {t(id)}
              </Link>
            )}
            {isDone && <span className="visually-hidden">{t('done')}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
