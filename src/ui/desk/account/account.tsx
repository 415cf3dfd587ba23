import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslations } from 'use-intl';

import { nameOf } from '../api/people.ts';
import { operation, useChoices } from '../api/query.ts';
import { useSession, useSignOut } from '../api/session.ts';
import { Avatar } from '../kit/avatar.tsx';
import { Button } from '../../kit/button.tsx';
import { withTexts } from '../kit/more-texts.tsx';
import { Failed, Loading } from '../kit/states.tsx';
import { account } from '../messages/account.ts';
import { Absences } from './absences.tsx';
import styles from './account.module.css';
import { useEndSessions } from './end-sessions.ts';
import { Connections } from './connections.tsx';
import { Identities } from './identities.tsx';
import { Sessions } from './sessions.tsx';

const TEXTS = { account };

/** The signed-in person: who they are, what they may do, and where they are signed in. */
export const Account = withTexts(TEXTS, Person);

function Person() {
  const t = useTranslations('account');
  const session = useSession();
  const signOut = useSignOut();
  const queues = useChoices('listQueues');
  useEffect(() => {
    document.title = t('title');
  }, [t]);
  const { user, role, queueIds } = session ?? {};
  const isRequester = role === 'requester';
  const names = queueIds
    ? queues.filter(({ id }) => queueIds.includes(id)).map(({ name }) => name)
    : undefined;
  return (
    <main className={styles['page']} data-centred={isRequester || undefined}>
      <h1>{t('title')}</h1>
      <section className={styles['who']}>
        <Avatar person={user} size={40} />
        <div>
          <strong>{user ? nameOf(user) : t('asKey')}</strong>
          {user?.email && <p className={styles['muted']}>{user.email}</p>}
          {role && (
            <p className={styles['muted']}>
              {isRequester
                ? t('role.requester')
                : t('access', { role: t(`role.${role}`), queues: names?.join(', ') ?? t('allQueues') })}
            </p>
          )}
        </div>
        <Button onPress={() => void signOut()}>{t('signOut')}</Button>
      </section>
      {session?.userId && user && !isRequester && (
        <Absences
          userId={session.userId}
          frame={(content) => (
            <section>
              <h2>{t('absences.ownTitle')}</h2>
              <p className={styles['muted']}>{t('absences.ownHelp')}</p>
              {content}
            </section>
          )}
        />
      )}
      {session?.userId && user && <Own userId={session.userId} currentId={session.id} />}
      {session?.userId && user && (
        <Identities
          userId={session.userId}
          frame={(content) => (
            <section>
              <h2>{t('identities.ownTitle')}</h2>
              {content}
            </section>
          )}
        />
      )}
      {session?.userId && user && <Connections userId={session.userId} isHiddenIfNone={isRequester} />}
      <section>
        <h2>{t('appearance')}</h2>
        <p className={styles['muted']}>{t('appearanceHelp')}</p>
        {!isRequester && <p className={styles['muted']}>{t('shortcuts')}</p>}
      </section>
    </main>
  );
}

function Own({ userId, currentId }: { userId: string; currentId: string | undefined }) {
  const t = useTranslations('account');
  const query = { userId, sortBy: 'lastSeenAt', sortDirection: 'desc', limit: 200 } as const;
  const { data, error, refetch } = useQuery(operation('listSessions', { query }));
  const { isBusy, end } = useEndSessions();
  const others = (data?.items ?? []).filter(({ id }) => id !== currentId);
  return (
    <section>
      <h2>{t('sessions')}</h2>
      <p className={styles['muted']}>{t('sessionsHelp')}</p>
      {error ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading rows={3} />
      ) : (
        <Sessions
          sessions={data.items.toSorted(
            (one, other) => Number(other.id === currentId) - Number(one.id === currentId),
          )}
          currentId={currentId}
          isBusy={isBusy}
          onEnd={(id) => void end([id])}
        />
      )}
      {others.length > 0 && (
        <Button kind="danger" isPending={isBusy} onPress={() => void end(others.map(({ id }) => id))}>
          {t('endOthers')}
        </Button>
      )}
    </section>
  );
}
