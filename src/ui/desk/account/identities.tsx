import { KeyRound } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useFormatter, useNow, useTranslations } from 'use-intl';

import { call, Refusal } from '../api/call.ts';
import { queryClient, useOperation } from '../api/query.ts';
import type { ItemOf } from '../api/types.ts';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Failed, Loading } from '../kit/states.tsx';
import { showToast } from '../kit/toast.tsx';
import styles from './account.module.css';

type Identity = ItemOf<'listIdentities'>;

/** The provider as people call it: Slack, or the host of its address. */
function providerOf({ issuer }: Identity): string {
  const host = URL.parse(issuer)?.host ?? issuer;
  return host === 'slack.com' ? 'Slack' : host;
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
                <strong>{providerOf(identity)}</strong>
                <p className={styles['muted']}>
                  {t('used', {
                    account: identity.subject,
                    time: format.relativeTime(new Date(identity.lastUsedAt), now),
                  })}
                </p>
              </div>
              <Button
                size="small"
                aria-label={t('removeName', { name: providerOf(identity) })}
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
  const [isBusy, setBusy] = useState(false);
  const name = providerOf(identity);
  const remove = async () => {
    setBusy(true);
    try {
      await call('removeIdentity', { params: { id: identity.id } });
      showToast({ kind: 'done', text: t('removed', { name }) });
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
      showToast({ kind: 'error', text: cause.message });
    }
    onClose();
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: ['listIdentities'] }),
      queryClient.invalidateQueries({ queryKey: ['listSessions'] }),
    ]);
  };
  return (
    <Dialog
      title={t('removeName', { name })}
      onClose={onClose}
      footer={
        <>
          <Button kind="danger" isPending={isBusy} onPress={() => void remove()}>
            {t('remove')}
          </Button>
          <Button onPress={onClose}>{common('cancel')}</Button>
        </>
      }
    >
      <p>{t('removeHelp')}</p>
    </Dialog>
  );
}
