import { Link, useNavigate } from '@tanstack/react-router';
import {
  AlarmClock,
  ChartNoAxesColumn,
  CircleDot,
  Inbox as InboxSign,
  type LucideIcon,
  Menu as MenuSign,
  Plus,
  Search,
  Settings as SettingsSign,
  Stamp,
  Tickets,
  UserRound,
  UserRoundX,
} from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { nameOf } from '../api/people.ts';
import { useChoices } from '../api/query.ts';
import { useSession, useSignOut } from '../api/session.ts';
import { Avatar } from '../kit/avatar.tsx';
import { IconButton } from '../../kit/button.tsx';
import { Menu } from '../../kit/menu.tsx';
import { InboxCount, QueueViews, SavedViews } from '../list/view-counts.tsx';
import { ViewLink } from '../list/view-link.tsx';
import { INBOX, useHere } from '../list/views.ts';
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
  const [workspace] = useChoices('listWorkspaces');
  const here = useHere();
  const close = () => setOpen(false);
  const active = {
    activeProps: { 'aria-current': 'page' as const },
    className: styles['link'],
    onClick: close,
  };
  return (
    <div className={styles['navigation']} data-open={isOpen || undefined}>
      <header className={styles['top']}>
        <span className={styles['menu']}>
          <IconButton label={t('menu')} aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
            <MenuSign size={18} aria-hidden />
          </IconButton>
        </span>
        <span className={styles['workspace']} title={workspace?.name}>
          {workspace?.name}
        </span>
        <IconButton label={t('commandBar')} keys="Mod+k" onPress={onCommandBar}>
          <Search size={16} aria-hidden />
        </IconButton>
        <NewTicket />
        <Me />
      </header>
      <nav aria-label={t('navigation')} className={styles['links']}>
        <Link to="/inbox" aria-current={here === INBOX || undefined} {...active}>
          <InboxSign size={16} aria-hidden />
          <span>{t('inbox')}</span>
          <InboxCount />
        </Link>
        <ul aria-label={t('views')}>
          {VIEWS.map(([view, Sign]) => (
            <li key={view}>
              <ViewLink view={view} name={t(view)} Sign={Sign} link={active} />
            </li>
          ))}
        </ul>
        <SavedViews arePinned link={active} />
        <QueueViews link={active} />
        <SavedViews arePinned={false} link={active} />
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

/** The signed-in user, with the links of their account. */
function Me() {
  const t = useTranslations('shell');
  const session = useSession();
  const signOut = useSignOut();
  return (
    <Menu
      label={t('account')}
      entries={[
        { id: 'account', label: t('account'), href: '/account' },
        { id: 'sign-out', label: t('signOut'), onAction: () => void signOut() },
      ]}
    >
      <IconButton label={session?.user ? `${t('accountOf')} ${nameOf(session.user)}` : t('account')}>
        <Avatar person={session?.user} />
      </IconButton>
    </Menu>
  );
}
