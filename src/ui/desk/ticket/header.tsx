import { Link } from '@tanstack/react-router';
import {
  AlarmClock,
  Archive,
  ArrowLeft,
  Ellipsis,
  GitMerge,
  Link2,
  Lock,
  PanelRight,
  Pencil,
  UserRoundCheck,
  Users,
} from 'lucide-react';
import { useRef, useState } from 'react';
import { Button as Pressable } from 'react-aria-components/Button';
import { useFormatter, useTranslations } from 'use-intl';

import { trimmed } from '../../../contract/blank.ts';
import { Late } from '../kit/late.tsx';
import { part } from '../kit/part.ts';
import { useTicket } from '../api/tickets.ts';
import type { TicketDetail } from '../api/types.ts';
import { Avatar } from '../kit/avatar.tsx';
import { Button, IconButton } from '../kit/button.tsx';
import { useCommands } from '../kit/commands.ts';
import { Hint } from '../kit/hint.tsx';
import { Menu } from '../kit/menu.tsx';
import { PrioritySign, StatusSign } from '../kit/signs.tsx';
import { Due, Paused } from '../kit/time.tsx';
import { showToast } from '../kit/toast.tsx';
import { usePeople } from '../api/people.ts';
import { useListAddress } from '../list/views.ts';
import { useChange, useOpened } from './change.ts';
import { claim } from './claim.ts';
import type { Opening } from './opening.ts';
import type { Permissions } from './may.ts';
import type { Present } from './presence.ts';
import { useReaders, useReadersText } from './readers.ts';
import { targetsOf, useRequesterName } from './targets.ts';
import { MOST_CHARACTERS } from './text-edits.ts';
import styles from './ticket.module.css';

const MergeDialog = part(() => import('./merge.tsx').then(({ MergeDialog }) => MergeDialog));
const LinkDialog = part(() => import('./merge.tsx').then(({ LinkDialog }) => LinkDialog));

/** Reference, title and state of the ticket, and what can be done with it as a whole. */
export function Header({
  ticket,
  may,
  others,
  onOpen,
  onDetails,
}: {
  ticket: TicketDetail;
  may: Permissions;
  others: readonly Present[];
  onOpen: (which: Opening) => void;
  onDetails: () => void;
}) {
  const t = useTranslations('ticket');
  const common = useTranslations('common');
  const list = useListAddress();
  const change = useChange(ticket);
  const [isEdited, setEdited] = useState(false);
  const [dialog, setDialog] = useState<'merge' | 'link'>();
  const { code, status, priority, dueAt, slaPausedAt, archivedAt, isPrivate } = {
    ...ticket,
    isPrivate: ticket.private,
  };
  const isOfTeamOnly = useReaders(ticket) === 'team' && !isPrivate;
  const textOf = useReadersText(ticket);
  const [next] = targetsOf(ticket);
  const requester = useRequesterName(ticket);
  const group = t('group');
  const me = may.me;
  const canMerge = may.isWorker && 'links' in ticket;
  const canTake = may.isWorker && me !== undefined && ticket.assigneeId !== me;
  const take = () => {
    if (!me) return;
    void claim(ticket.id, me);
    void change({ assigneeId: me }, { said: t('said.assigned', { value: common('you') }) });
  };
  const copy = () => {
    void navigator.clipboard
      .writeText(new URL(`/tickets/${code}`, location.href).href)
      .then(() => showToast({ kind: 'done', text: t('linkCopied') }));
  };
  const archive = () =>
    void change(
      { archivedAt: archivedAt ? null : new Date().toISOString() },
      { said: archivedAt ? t('said.restored') : t('said.archived') },
    );
  useCommands([
    { id: 'copy-link', group, label: t('copyLink'), run: copy },
    ...(may.isWorker
      ? [
          { id: 'edit-title', group, label: t('editTitle'), keys: 'e', run: () => setEdited(true) },
          { id: 'archive', group, label: archivedAt ? t('restore') : t('archive'), run: archive },
        ]
      : []),
    ...(canTake ? [{ id: 'take', group, label: t('takeIt'), keys: 'i', run: take }] : []),
    ...(canMerge
      ? [
          { id: 'merge', group, label: `${t('merge')}…`, keys: 'm', run: () => setDialog('merge' as const) },
          { id: 'link', group, label: `${t('linkTicket')}…`, run: () => setDialog('link' as const) },
        ]
      : []),
  ]);
  return (
    <header className={styles['header']}>
      <div className={styles['top']}>
        <Link {...list} className={styles['back']} aria-label={t('back')}>
          <ArrowLeft size={18} aria-hidden />
        </Link>
        <div className={styles['facts']}>
          <span className={styles['code']}>{code}</span>
          <Chip
            label={t('status')}
            text={status.label}
            keys="s"
            isButton={may.isWorker}
            onPress={() => onOpen('status')}
          >
            <StatusSign group={status.statusGroup.label} />
            {status.label}
          </Chip>
          {priority !== 'NO_PRIORITY' && (
            <Chip
              label={t('priority')}
              text={common(`priority.${priority}` as never)}
              keys="p"
              isButton={may.isWorker}
              onPress={() => onOpen('priority')}
            >
              <PrioritySign priority={priority} />
              <span className={styles['wide']}>{common(`priority.${priority}` as never)}</span>
            </Chip>
          )}
          {isPrivate && (
            <span className={styles['flag']} title={t('private')}>
              <Lock size={12} aria-hidden /> <span className={styles['sign']}>{t('private')}</span>
            </span>
          )}
          {isOfTeamOnly && (
            <span className={styles['flag']} title={textOf('team')}>
              <Users size={12} aria-hidden /> <span className={styles['sign']}>{t('readers.teamOnly')}</span>
            </span>
          )}
          {archivedAt && <span className={styles['flag']}>{t('archived')}</span>}
          {next && (
            <Due at={next.at} label={t(next.label)}>
              <span className={styles['name']}>{t(next.name)}</span>
            </Due>
          )}
          {slaPausedAt && (
            <Paused since={slaPausedAt} label={t('targetsPausedFor', { name: requester })}>
              {t('paused')} <span className={styles['sign']}>{t('waitingFor', { name: requester })}</span>
            </Paused>
          )}
          {dueAt && !next && <Due at={dueAt} label={t('due')} />}
        </div>
        <div className={styles['actions']}>
          <Others others={others} />
          {canTake && (
            <span className={styles['wide']}>
              <Hint text={t('takeIt')} keys="i">
                <Button size="small" onPress={take}>
                  {t('takeIt')}
                </Button>
              </Hint>
            </span>
          )}
          {may.maySnooze && (
            <span className={styles['wide']}>
              <IconButton label={t('snooze')} keys="h" onPress={() => onOpen('snooze')}>
                <AlarmClock size={16} aria-hidden />
              </IconButton>
            </span>
          )}
          {canMerge && (
            <span className={styles['wide']}>
              <IconButton label={t('merge')} keys="m" onPress={() => setDialog('merge')}>
                <GitMerge size={16} aria-hidden />
              </IconButton>
            </span>
          )}
          <Menu
            label={t('moreActions')}
            entries={[
              { id: 'copy', label: t('copyLink'), sign: <Link2 size={14} aria-hidden />, onAction: copy },
              ...(canTake
                ? [
                    {
                      id: 'take',
                      label: t('takeIt'),
                      keys: 'i',
                      sign: <UserRoundCheck size={14} aria-hidden />,
                      onAction: take,
                    },
                  ]
                : []),
              ...(may.isWorker
                ? [
                    {
                      id: 'edit',
                      label: t('editTitle'),
                      keys: 'e',
                      sign: <Pencil size={14} aria-hidden />,
                      onAction: () => setEdited(true),
                    },
                  ]
                : []),
              ...(may.maySnooze
                ? [
                    {
                      id: 'snooze',
                      label: t('snooze'),
                      keys: 'h',
                      sign: <AlarmClock size={14} aria-hidden />,
                      onAction: () => onOpen('snooze'),
                    },
                  ]
                : []),
              ...(canMerge
                ? [
                    {
                      id: 'merge',
                      label: t('merge'),
                      keys: 'm',
                      sign: <GitMerge size={14} aria-hidden />,
                      onAction: () => setDialog('merge' as const),
                    },
                  ]
                : []),
              ...(may.isWorker
                ? [
                    {
                      id: 'archive',
                      label: archivedAt ? t('restore') : t('archive'),
                      sign: <Archive size={14} aria-hidden />,
                      onAction: archive,
                    },
                  ]
                : []),
            ]}
          >
            <IconButton label={t('moreActions')}>
              <Ellipsis size={16} aria-hidden />
            </IconButton>
          </Menu>
          <IconButton label={t('toggleDetails')} keys="]" onPress={onDetails}>
            <PanelRight size={16} aria-hidden />
          </IconButton>
        </div>
      </div>
      {isEdited ? (
        <EditTitle ticket={ticket} onClose={() => setEdited(false)} />
      ) : (
        <h1
          className={styles['title']}
          dir="auto"
          title={ticket.title ?? undefined}
          {...(may.isWorker && { onDoubleClick: () => setEdited(true) })}
        >
          {ticket.title || t('untitled')}
        </h1>
      )}
      <Merged ticket={ticket} />
      <Late>
        {dialog === 'merge' && <MergeDialog ticket={ticket} onClose={() => setDialog(undefined)} />}
        {dialog === 'link' && <LinkDialog ticket={ticket} onClose={() => setDialog(undefined)} />}
      </Late>
    </header>
  );
}

function Chip({
  label,
  text,
  keys,
  isButton,
  onPress,
  children,
}: {
  label: string;
  text: string;
  keys: string;
  isButton: boolean;
  onPress: () => void;
  children: React.ReactNode;
}) {
  const t = useTranslations('ticket');
  if (!isButton) return <span className={styles['chip']}>{children}</span>;
  return (
    <Hint text={label} keys={keys}>
      <Pressable
        className={styles['chip'] ?? ''}
        aria-label={t('valueOf', { label, value: text })}
        onPress={onPress}
      >
        {children}
      </Pressable>
    </Hint>
  );
}

/** The avatars of those who look at the ticket. */
function Others({ others }: { others: readonly Present[] }) {
  const t = useTranslations('ticket');
  const format = useFormatter();
  const people = usePeople(others.map(({ userId }) => userId));
  if (others.length === 0) return null;
  const names = format.list(others.map(({ name }) => name));
  const text = t('looking', { names, count: others.length });
  return (
    <span className={styles['others']} role="img" aria-label={text} title={text}>
      {others.slice(0, 4).map(({ userId, name }) => (
        <Avatar key={userId} person={people.get(userId) ?? { id: userId, firstName: name, lastName: null }} />
      ))}
    </span>
  );
}

/** The title as a field in its own place: Enter saves, Escape takes it back. A failed save keeps what was typed. */
function EditTitle({ ticket, onClose }: { ticket: TicketDetail; onClose: () => void }) {
  const t = useTranslations('ticket');
  const change = useChange(ticket);
  const { opened, renew } = useOpened(ticket);
  const [text, setText] = useState(ticket.title ?? '');
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const save = async () => {
    const title = trimmed(text);
    if (title === (opened.title ?? '') || !title) {
      onClose();
      return;
    }
    setBusy(true);
    const isDone = await change({ title }, { said: t('said.title'), opened, onConflict: renew });
    setBusy(false);
    if (isDone) onClose();
    else field.current?.focus();
  };
  return (
    <form
      className={styles['edit-title']}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <textarea
        ref={field}
        aria-label={t('title')}
        dir="auto"
        aria-describedby="title-help"
        value={text}
        rows={2}
        maxLength={MOST_CHARACTERS.title}
        readOnly={isBusy}
        autoFocus
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => setText(target.value.replaceAll('\n', ' '))}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            event.preventDefault();
            void save();
          }
          if (event.key === 'Escape') {
            event.stopPropagation();
            onClose();
          }
        }}
        onBlur={() => {
          if (text.trim() === (opened.title ?? '')) onClose();
        }}
      />
      <p id="title-help" className={styles['help']}>
        {t('titleHelp')}{' '}
        {text.length > MOST_CHARACTERS.title - 60 &&
          t('charactersLeft', { count: MOST_CHARACTERS.title - text.length })}
      </p>
    </form>
  );
}

/** Where a merged ticket's messages go. */
function Merged({ ticket }: { ticket: TicketDetail }) {
  const id = (ticket as { mergedIntoId?: string | null }).mergedIntoId;
  return id ? <MergedInto id={id} /> : null;
}

function MergedInto({ id }: { id: string }) {
  const t = useTranslations('ticket');
  const { data } = useTicket(id);
  return (
    <p className={styles['notice']} role="note">
      <GitMerge size={14} aria-hidden />
      <Link to="/tickets/$code" params={{ code: data?.code ?? id }} search={true as never}>
        {t('mergedInto', { code: data?.code ?? '…' })}
      </Link>
    </p>
  );
}
