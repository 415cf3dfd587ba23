import { Link, useNavigate } from '@tanstack/react-router';
import {
  AlarmClock,
  ChartNoAxesColumn,
  CircleDot,
  Command as CommandSign,
  Inbox as InboxSign,
  type LucideIcon,
  Menu as MenuSign,
  Plus,
  Settings as SettingsSign,
  Stamp,
  Tickets,
  UserRound,
  UserRoundX,
} from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { nameOf } from '../api/people.ts';
import { useSession, useSignOut } from '../api/session.ts';
import { Avatar } from '../kit/avatar.tsx';
import { Button, IconButton } from '../kit/button.tsx';
import { Menu } from '../kit/menu.tsx';
import { InboxCount, SavedViews, ViewCount } from '../list/view-counts.tsx';
import styles from './navigation.module.css';

const VIEWS = [
  ['open', CircleDot, 'g o'],
  ['mine', UserRound, 'g m'],
  ['unassigned', UserRoundX, 'g u'],
  ['snoozed', AlarmClock, 'g s'],
  ['approvals', Stamp, ''],
  ['all', Tickets, 'g a'],
] as const satisfies [string, LucideIcon, string][];

/** The bar at the left; under 900 px a bar at the top whose menu opens it. */
export function Navigation({ onCommandBar }: { onCommandBar: () => void }) {
  const t = useTranslations('shell');
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const active = {
    activeProps: { 'aria-current': 'page' as const },
    className: styles['link'],
    onClick: close,
  };
  return (
    <div className={styles['navigation']} data-open={isOpen || undefined}>
      <div className={styles['top']}>
        <span className={styles['menu']}>
          <IconButton label={t('menu')} aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
            <MenuSign size={18} aria-hidden />
          </IconButton>
        </span>
        <Me />
        <IconButton label={t('commandBar')} keys="Mod+k" onPress={onCommandBar}>
          <CommandSign size={16} aria-hidden />
        </IconButton>
        <NewTicket />
      </div>
      <nav aria-label={t('navigation')} className={styles['links']}>
        <Link to="/inbox" {...active}>
          <InboxSign size={16} aria-hidden />
          <span>{t('inbox')}</span>
          <InboxCount />
        </Link>
        <ul aria-label={t('views')}>
          {VIEWS.map(([view, Sign]) => (
            <li key={view}>
              <Link
                to="/views/$view"
                params={{ view }}
                search={{}}
                {...active}
                activeOptions={{ includeSearch: false }}
              >
                <Sign size={16} aria-hidden />
                <span>{t(view)}</span>
                <ViewCount view={view} />
              </Link>
            </li>
          ))}
        </ul>
        <SavedViews link={active} />
        <ul className={styles['last']}>
          <li>
            <Link to="/analytics" {...active}>
              <ChartNoAxesColumn size={16} aria-hidden />
              <span>{t('analytics')}</span>
            </Link>
          </li>
          <li>
            <Link
              to="/settings/{-$section}/{-$item}"
              params={{ section: undefined, item: undefined }}
              {...active}
            >
              <SettingsSign size={16} aria-hidden />
              <span>{t('settings')}</span>
            </Link>
          </li>
        </ul>
      </nav>
    </div>
  );
}

function NewTicket() {
  const t = useTranslations('shell');
  const navigate = useNavigate();
  return (
    <IconButton label={t('newTicket')} keys="c" kind="plain" onPress={() => void navigate({ to: '/new' })}>
      <Plus size={16} aria-hidden />
    </IconButton>
  );
}

/** Who is signed in, with what belongs to them. */
function Me() {
  const t = useTranslations('shell');
  const session = useSession();
  const signOut = useSignOut();
  const name = session?.user ? nameOf(session.user) : t('account');
  return (
    <span className={styles['me']}>
      <Menu
        label={t('account')}
        entries={[
          { id: 'account', label: t('account'), href: '/account' },
          { id: 'sign-out', label: t('signOut'), onAction: () => void signOut() },
        ]}
      >
        <Button kind="quiet" size="small">
          <Avatar person={session?.user} />
          {session?.user && <span className="visually-hidden">{t('accountOf')} </span>}
          <span className={styles['name']}>{name}</span>
        </Button>
      </Menu>
    </span>
  );
}
