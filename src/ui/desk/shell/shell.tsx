import { useQuery } from '@tanstack/react-query';
import { Outlet, useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { useTranslations } from 'use-intl';

import { Late } from '../../kit/late.tsx';
import { part } from '../../kit/part.ts';
import { useLive } from '../api/live.ts';
import { sessionQuery } from '../api/session.ts';
import { type Command, useCommands, useKeyboard } from '../kit/commands.ts';
import { SkipLink } from '../kit/skip-link.tsx';
import { Failed, Loading } from '../kit/states.tsx';
import { Toasts } from '../kit/toasts.tsx';
import { Lost } from './lost.tsx';
import { Navigation } from './navigation.tsx';
import styles from './shell.module.css';

const CommandBar = part(() => import('./command-bar.tsx').then(({ CommandBar }) => CommandBar));
const Shortcuts = part(() => import('./shortcuts.tsx').then(({ Shortcuts }) => Shortcuts));

/** Navigation at the left, the page beside it; for those who are signed in. */
export function Shell() {
  const { data, error, refetch } = useQuery(sessionQuery);
  const session = data?.session;
  // A key without a chosen name may choose it on the sign-in page.
  const isIn = Boolean(session && (data.signIn || session.userId !== undefined));
  useLive(isIn);
  if (error && !data) return <Failed error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  if (session?.role === 'requester') return <ToRequests />;
  return isIn ? <SignedIn /> : <ToSignIn />;
}

/**
 * People who ask have pages of their own. The server leads there too; here it is known if the role has just changed.
 */
function ToRequests() {
  useEffect(() => {
    const code = /^\/tickets\/([^/]+)/.exec(location.pathname)?.[1];
    location.replace(code ? `/requests/${code}` : '/requests');
  }, []);
  return <Loading />;
}

/** Once: the address changes before the page does, and a second time would lead back to the sign-in page itself. */
function ToSignIn() {
  const navigate = useNavigate();
  const router = useRouter();
  useEffect(() => {
    const { pathname, href } = router.state.location;
    if (pathname !== '/sign-in')
      void navigate({ to: '/sign-in', search: { returnTo: href } as never, replace: true });
  }, [navigate, router]);
  return <Loading />;
}

function SignedIn() {
  const t = useTranslations('shell');
  const navigate = useNavigate();
  const [bar, setBar] = useState(false);
  const [help, setHelp] = useState(false);
  useKeyboard();
  const commands = useMemo<Command[]>(() => {
    const group = t('goTo');
    const toView = (view: string) => () =>
      void navigate({ to: '/views/$view', params: { view }, search: {} });
    return [
      {
        id: 'bar',
        group,
        label: t('commandBar'),
        keys: 'Mod+k',
        whileTyping: true,
        isHidden: true,
        run: () => setBar(true),
      },
      { id: 'go-inbox', group, label: t('inbox'), keys: 'g i', run: () => void navigate({ to: '/inbox' }) },
      { id: 'go-open', group, label: t('open'), keys: 'g o', run: toView('open') },
      { id: 'go-mine', group, label: t('mine'), keys: 'g m', run: toView('mine') },
      { id: 'go-unassigned', group, label: t('unassigned'), keys: 'g u', run: toView('unassigned') },
      { id: 'go-snoozed', group, label: t('snoozed'), keys: 'g s', run: toView('snoozed') },
      { id: 'go-all', group, label: t('all'), keys: 'g a', run: toView('all') },
      {
        id: 'go-analytics',
        group,
        label: t('analytics'),
        keys: 'g y',
        run: () => void navigate({ to: '/analytics' }),
      },
      {
        id: 'go-sla',
        group,
        label: t('sla'),
        run: () => void navigate({ to: '/analytics', search: { tab: 'sla' } as never }),
      },
      {
        id: 'go-settings',
        group,
        label: t('settings'),
        keys: 'g ,',
        run: () =>
          void navigate({
            to: '/settings/{-$section}/{-$item}',
            params: { section: undefined, item: undefined },
          }),
      },
      { id: 'new', group, label: t('newTicket'), keys: 'c', run: () => void navigate({ to: '/new' }) },
      { id: 'keys', group, label: t('shortcuts'), keys: '?', run: () => setHelp(true) },
    ];
  }, [navigate, t]);
  useCommands(commands);
  return (
    <div className={styles['shell']}>
      <SkipLink />
      <Navigation onCommandBar={() => setBar(true)} />
      <div className={styles['page']}>
        <Lost />
        <Outlet />
      </div>
      <Late>
        {bar && <CommandBar onClose={() => setBar(false)} />}
        {help && <Shortcuts onClose={() => setHelp(false)} />}
      </Late>
      <Toasts />
    </div>
  );
}
