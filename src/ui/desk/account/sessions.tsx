import { Laptop, Smartphone } from 'lucide-react';
import { useFormatter, useNow, useTranslations } from 'use-intl';

import type { ItemOf } from '../api/types.ts';
import { Button } from '../../kit/button.tsx';
import styles from './account.module.css';
import { deviceOf } from './device.ts';

/** Sessions by their devices, each with how to end it. */
export function Sessions({
  sessions,
  currentId,
  isBusy,
  onEnd,
}: {
  sessions: readonly ItemOf<'listSessions'>[];
  currentId?: string | undefined;
  isBusy: boolean;
  onEnd: (id: string) => void;
}) {
  const t = useTranslations('account');
  const format = useFormatter();
  const now = useNow();
  return (
    <ul className={styles['sessions']}>
      {sessions.map(({ id, address, userAgent, createdAt, lastSeenAt }) => {
        const device = deviceOf(userAgent);
        const name = device.browser
          ? device.system
            ? t('device', { browser: device.browser, system: device.system })
            : device.browser
          : t('unknownDevice');
        const where = address ?? t('unknownAddress');
        const isCurrent = id === currentId;
        return (
          <li key={id}>
            {device.isPhone ? <Smartphone size={18} aria-hidden /> : <Laptop size={18} aria-hidden />}
            <div>
              <strong title={userAgent ?? undefined}>{name}</strong>
              {isCurrent && <span className={styles['current']}>{t('thisSession')}</span>}
              <p className={styles['muted']}>
                {isCurrent
                  ? t('inUse')
                  : t('lastUsed', { time: format.relativeTime(new Date(lastSeenAt), now) })}
                {` · ${where} · `}
                {t('signedIn', {
                  time: format.dateTime(new Date(createdAt), { dateStyle: 'medium', timeStyle: 'short' }),
                })}
              </p>
            </div>
            {!isCurrent && (
              <Button
                size="small"
                isDisabled={isBusy}
                aria-label={t('endSession', { device: name, address: where })}
                onPress={() => onEnd(id)}
              >
                {t('end')}
              </Button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
