import { KeyRound } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useFormatter, useNow, useTranslations } from 'use-intl';

import { call, Refusal } from '../api/call.ts';
import { queryClient, useOperation } from '../api/query.ts';
import { useSession } from '../api/session.ts';
import type { ItemOf } from '../api/types.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Failed, Loading } from '../kit/states.tsx';
import { showToast } from '../../kit/toast.tsx';
import { useToasted } from '../kit/use-saved.ts';
import styles from './account.module.css';

type Identity = ItemOf<'listIdentities'>;

/** The provider as people call it: Slack, or the host of its address. */
function providerOf({ issuer, teamId }: Identity): string {
  const host = URL.parse(issuer)?.host ?? issuer;
  return teamId || host === 'slack.com' ? 'Slack' : host;
}

/** The same, with the Slack workspace: people have accounts in several. */
function useAccountNames(): (identity: Identity) => { place: string; account: string } {
  const t = useTranslations('account.identities');
  return (identity) => {
    const team = identity.teamName ?? identity.teamId;
    const provider = providerOf(identity);
    return {
      place: team ? t('inTeam', { provider, team }) : provider,
      account: identity.email ?? t('account', { account: identity.subject }),
    };
  };
}

/**
 * The accounts with which a person signs in, each with how to remove it. `frame` puts them in a section of the page;
 * nothing is shown where the service has no such list.
 */
export function Identities({ userId, frame }: { userId: string; frame: (content: ReactNode) => ReactNode }) {
  const t = useTranslations('account.identities');
  const format = useFormatter();
  const now = useNow();
  const [removed, setRemoved] = useState<Identity>();
  const namesOf = useAccountNames();
  const query = { userId, sortBy: 'lastUsedAt', sortDirection: 'desc', limit: 200 } as const;
  const { data, error, refetch } = useOperation('listIdentities', { query });
  if (error instanceof Refusal && error.isAbsent) return null;
  if (error) return frame(<Failed error={error} onRetry={() => void refetch()} />);
  if (!data) return frame(<Loading rows={1} />);
  return frame(
    <>
      {data.items.length === 0 ? (
        <p className={styles['muted']}>{t('none')}</p>
      ) : (
        <ul className={styles['sessions']}>
          {data.items.map((identity) => (
            <li key={identity.id}>
              <KeyRound size={18} aria-hidden />
              <div>
                <strong>{namesOf(identity).place}</strong>
                <p className={styles['muted']}>
                  {t('used', {
                    account: namesOf(identity).account,
                    time: format.relativeTime(new Date(identity.lastUsedAt), now),
                  })}
                </p>
              </div>
              <Button
                size="small"
                aria-label={t('removeName', namesOf(identity))}
                onPress={() => setRemoved(identity)}
              >
                {t('remove')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {removed && <Removal identity={removed} onClose={() => setRemoved(undefined)} />}
    </>,
  );
}

function Removal({ identity, onClose }: { identity: Identity; onClose: () => void }) {
  const t = useTranslations('account.identities');
  const common = useTranslations('common');
  const session = useSession();
  const { isBusy, run } = useToasted();
  const names = useAccountNames()(identity);
  const remove = async () => {
    await run(async () => {
      await call('removeIdentity', { params: { id: identity.id } });
      showToast({ kind: 'done', text: t('removed', names) });
    });
    onClose();
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: ['listIdentities'] }),
      queryClient.invalidateQueries({ queryKey: ['listSessions'] }),
    ]);
  };
  return (
    <Dialog
      title={t('removeTitle')}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{common('cancel')}</Button>
          <Button kind="danger" isPending={isBusy} onPress={() => void remove()}>
            {t('remove')}
          </Button>
        </>
      }
    >
      <p>
        <strong>{names.account}</strong>, {names.place}
      </p>
      <p>{t(identity.userId === session?.userId ? 'removeOwnHelp' : 'removeHelp')}</p>
    </Dialog>
  );
}
