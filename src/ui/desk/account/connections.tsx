import { Plug } from 'lucide-react';
import { useState } from 'react';
import { useFormatter, useNow, useTranslations } from 'use-intl';

import { call, Refusal } from '../api/call.ts';
import { queryClient, useOperation } from '../api/query.ts';
import { Button } from '../../kit/button.tsx';
import { Failed, Loading } from '../kit/states.tsx';
import { toastRefusal } from '../kit/toast-refusal.ts';
import styles from './account.module.css';

/** The permissions of a program, by OAuth scope. */
const SCOPES = [
  ['tickets:read', 'read'],
  ['tickets:write', 'write'],
  ['tickets:send', 'send'],
] as const;

/** The programs that a person connected, each with how to disconnect it; nothing where the service has no such list. */
export function Connections({
  userId,
  isHiddenIfNone,
}: {
  userId: string;
  /** Of a person who is unlikely ever to connect one. */
  isHiddenIfNone: boolean;
}) {
  const t = useTranslations('account.connections');
  const format = useFormatter();
  const now = useNow();
  const [busyId, setBusyId] = useState<string>();
  const query = { userId, sortBy: 'createdAt', sortDirection: 'desc', limit: 200 } as const;
  const { data, error, refetch } = useOperation('listConnections', { query });
  if (error instanceof Refusal && error.isAbsent) return null;
  if (isHiddenIfNone && !data?.items.length) return null;
  const end = async (id: string) => {
    setBusyId(id);
    await toastRefusal(() => call('endConnection', { params: { id } }));
    setBusyId(undefined);
    await queryClient.invalidateQueries({ queryKey: ['listConnections'] });
  };
  return (
    <section>
      <h2>{t('title')}</h2>
      <p className={styles['muted']}>{t('help')}</p>
      {error ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading rows={1} />
      ) : data.items.length === 0 ? (
        <p className={styles['muted']}>{t('none')}</p>
      ) : (
        <ul className={styles['sessions']}>
          {data.items.map(({ id, name, redirectUri, scopes, createdAt, lastUsedAt }) => (
            <li key={id}>
              <Plug size={18} aria-hidden />
              <div>
                <strong title={redirectUri}>{name}</strong>
                <p className={styles['muted']}>
                  {SCOPES.filter(([scope]) => scopes.includes(scope))
                    .map(([, allowed]) => t(`scopes.${allowed}`))
                    .join(', ')}
                  {' · '}
                  {t('connected', {
                    time: format.dateTime(new Date(createdAt), { dateStyle: 'medium', timeStyle: 'short' }),
                  })}
                  {lastUsedAt && ` · ${t('used', { time: format.relativeTime(new Date(lastUsedAt), now) })}`}
                </p>
              </div>
              <Button
                size="small"
                isDisabled={busyId === id}
                aria-label={t('endName', { name })}
                onPress={() => void end(id)}
              >
                {t('end')}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
