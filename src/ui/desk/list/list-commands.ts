import { useTranslations } from 'use-intl';

import { useRole } from '../api/session.ts';
import { useCommands } from '../kit/commands.ts';
import type { BulkPicker } from './bulk.tsx';

/** The keyboard actions for the current row. */
const ACTS = [
  { which: 'assignee', label: 'assign', keys: 'a' },
  { which: 'status', label: 'status', keys: 's' },
  { which: 'priority', label: 'priority', keys: 'p' },
  { which: 'tag', label: 'tag', keys: 'l' },
  { which: 'snooze', label: 'snooze', keys: 'h' },
] as const;

/** Offers what can be done in a list, by keys and from the command bar. */
export function useListCommands({
  move,
  back,
  select,
  selectAll,
  act,
  hasRow,
  download,
}: {
  move: (by: 1 | -1) => void;
  back: () => void;
  /** Selects the current row, or takes that back. */
  select: () => void;
  selectAll: () => void;
  /** Opens a choice for the current row; absent: others have its keys. */
  act: ((which: BulkPicker) => void) | undefined;
  /** Without a row its keys are only listed. */
  hasRow: boolean;
  download: () => void;
}): void {
  const t = useTranslations('list');
  const isTeam = useRole() !== 'requester';
  const group = t('group');
  useCommands([
    {
      id: 'next',
      group,
      label: t('next'),
      keys: 'j',
      alsoKeys: 'ArrowDown',
      isHidden: true,
      run: () => move(1),
    },
    {
      id: 'previous',
      group,
      label: t('previous'),
      keys: 'k',
      alsoKeys: 'ArrowUp',
      isHidden: true,
      run: () => move(-1),
    },
    { id: 'back', group, label: t('back'), keys: 'Escape', alsoKeys: 'u', run: back },
    ...(isTeam
      ? [
          { id: 'select', group, label: t('selectIt'), keys: 'x', run: select },
          { id: 'select-all', group, label: t('selectAll'), run: selectAll },
        ]
      : []),
    ...(isTeam && act
      ? ACTS.map(({ which, label, keys }) => ({
          id: `${which}-current`,
          group: t('ofTicket'),
          label: t(label),
          keys,
          isHidden: !hasRow,
          run: () => act(which),
        }))
      : []),
    ...(isTeam ? [{ id: 'csv', group, label: t('csv'), run: download }] : []),
    {
      id: 'search',
      group,
      label: t('searchTickets'),
      keys: '/',
      run: () => document.getElementById('search')?.focus(),
    },
  ]);
}
