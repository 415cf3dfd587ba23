import {
  AlarmClock,
  Archive,
  GitMerge,
  Link2,
  type LucideIcon,
  Pencil,
  UserRoundCheck,
  Workflow,
} from 'lucide-react';
import { useTranslations } from 'use-intl';

import type { TicketDetail } from '../api/types.ts';
import { useCommands } from '../kit/commands.ts';
import { showToast } from '../../kit/toast.tsx';
import type { MenuEntry } from '../../kit/types.ts';
import { useChange } from './change.ts';
import { claim } from './claim.ts';
import type { Permissions } from './may.ts';

/** Something that can be done with a ticket as a whole. */
export interface TicketAct {
  id: string;
  label: string;
  keys?: string;
  Sign: LucideIcon;
  run: () => void;
  /** It opens a dialog; the command bar shows that. */
  isAsking?: true;
  /** The other place has it from elsewhere, or not at all. */
  only?: 'menu' | 'commands';
}

/** The actions for a ticket, in the order of the menu. */
export function useTicketActs(
  ticket: TicketDetail,
  may: Permissions,
  on: { edit: () => void; snooze: () => void; merge: () => void; link: () => void; runWorkflow: () => void },
): TicketAct[] {
  const t = useTranslations('ticket');
  const { me, isWorker, maySnooze } = may;
  const change = useTicketChanges(ticket);
  const canTake = isWorker && me !== undefined && ticket.assigneeId !== me;
  const canMerge = isWorker && 'links' in ticket;
  const archive = ticket.archivedAt ? t('restore') : t('archive');
  const acts: (TicketAct | false)[] = [
    { id: 'copy-link', label: t('copyLink'), Sign: Link2, run: change.copyLink },
    canTake && {
      id: 'take',
      label: t('takeIt'),
      keys: 'i',
      Sign: UserRoundCheck,
      run: () => change.take(me),
    },
    isWorker && { id: 'edit-title', label: t('editTitle'), keys: 'e', Sign: Pencil, run: on.edit },
    maySnooze && {
      id: 'snooze',
      label: t('snooze'),
      keys: 'h',
      Sign: AlarmClock,
      run: on.snooze,
      only: 'menu',
    },
    canMerge && {
      id: 'merge',
      label: t('merge'),
      keys: 'm',
      Sign: GitMerge,
      run: on.merge,
      isAsking: true,
    },
    canMerge && {
      id: 'link',
      label: t('linkTicket'),
      Sign: Link2,
      run: on.link,
      isAsking: true,
      only: 'commands',
    },
    isWorker && {
      id: 'run-workflow',
      label: t('runWorkflow'),
      keys: 'w',
      Sign: Workflow,
      run: on.runWorkflow,
      isAsking: true,
    },
    isWorker && { id: 'archive', label: archive, Sign: Archive, run: change.archiveOrRestore },
  ];
  return acts.filter((act) => act !== false);
}

/** The changes of a ticket that need no more than a press. */
function useTicketChanges(ticket: TicketDetail) {
  const t = useTranslations('ticket');
  const common = useTranslations('common');
  const change = useChange(ticket);
  const { id, code, archivedAt } = ticket;
  return {
    copyLink: () =>
      void navigator.clipboard
        .writeText(new URL(`/tickets/${code}`, location.href).href)
        .then(() => showToast({ kind: 'done', text: t('linkCopied') })),
    take: (me: string) => {
      void claim(id, me);
      void change({ assigneeId: me }, { said: t('said.assigned', { value: common('you') }) });
    },
    archiveOrRestore: () =>
      void change(
        { archivedAt: archivedAt ? null : new Date().toISOString() },
        { said: archivedAt ? t('said.restored') : t('said.archived') },
      ),
  };
}

/** Offers acts by their keys and in the command bar. */
export function useActCommands(acts: readonly TicketAct[]): void {
  const group = useTranslations('ticket')('group');
  useCommands(
    acts
      .filter(({ only }) => only !== 'menu')
      .map(({ id, label, keys, isAsking, run }) => ({
        id,
        group,
        label: isAsking ? `${label}…` : label,
        ...(keys && { keys }),
        run,
      })),
  );
}

/** Acts as the entries of a menu. */
export const entriesOf = (acts: readonly TicketAct[]): MenuEntry[] =>
  acts
    .filter(({ only }) => only !== 'commands')
    .map(({ id, label, keys, Sign, run }) => ({
      id,
      label,
      ...(keys && { keys }),
      sign: <Sign size={14} aria-hidden />,
      onAction: run,
    }));
