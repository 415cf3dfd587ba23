import { useQuery } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useEffect } from 'react';
import { Link } from 'react-aria-components/Link';
import { useTranslations } from 'use-intl';

import { useLive } from '../api/live.ts';
import { nameOf } from '../api/people.ts';
import { sessionQuery, useSession, useSignOut } from '../api/session.ts';
import { Avatar } from '../kit/avatar.tsx';
import { Button } from '../../kit/button.tsx';
import { Menu } from '../../kit/menu.tsx';
import { Failed, Loading } from '../kit/states.tsx';
import { Toasts } from '../kit/toasts.tsx';
import { Lost } from '../shell/lost.tsx';
import styles from './requests.module.css';

/** A bar above the pages of a person who asks. Others have the desk. */
export function Shell() {
  const { data, error, refetch } = useQuery(sessionQuery);
  const session = data?.session;
  useLive(Boolean(session));
  if (error && !data) return <Failed error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  if (!session) return <Leave to={`/sign-in?returnTo=${encodeURIComponent(here())}`} />;
  if (session.role !== 'requester') return <Leave to={here().replace(/^\/requests/, '/tickets')} />;
  return (
    <div className={styles['shell']}>
      <Bar />
      <div className={styles['page']}>
        <Lost />
        <Outlet />
      </div>
      <Toasts />
    </div>
  );
}

const here = () => location.pathname + location.search;

/** Another page of this server, which this one is no part of. */
function Leave({ to }: { to: string }) {
  useEffect(() => location.replace(to === '/tickets' ? '/' : to), [to]);
  return <Loading />;
}

function Bar() {
  const t = useTranslations('requests');
  const session = useSession();
  const signOut = useSignOut();
  const path = useRouterState({ select: ({ location: { pathname } }) => pathname });
  const name = session?.user ? nameOf(session.user) : t('account');
  return (
    <div className={styles['bar']}>
      <nav aria-label={t('navigation')}>
        <Link
          href="/requests"
          className={styles['home'] ?? ''}
          {...(path === '/requests' && { 'aria-current': 'page' as const })}
        >
          {t('title')}
        </Link>
        <Link
          href="/requests/new"
          className={styles['new'] ?? ''}
          {...(path === '/requests/new' && { 'aria-current': 'page' as const })}
        >
          <Plus size={16} aria-hidden />
          {t('newRequest')}
        </Link>
      </nav>
      <Menu
        label={t('account')}
        entries={[
          { id: 'account', label: t('account'), href: '/requests/account' },
          { id: 'sign-out', label: t('signOut'), onAction: () => void signOut() },
        ]}
      >
        <Button kind="quiet" size="small">
          <Avatar person={session?.user} />
          <span className="visually-hidden">{t('accountOf')} </span>
          <span className={styles['me']}>{name}</span>
        </Button>
      </Menu>
    </div>
  );
}
