import { useNavigate, useParams } from '@tanstack/react-router';
import type { ComponentProps, RefObject } from 'react';
import { useTranslations } from 'use-intl';

import { useRole } from '../api/session.ts';
import { Entries } from '../../kit/entries.tsx';
import { MoreTexts } from '../kit/more-texts.tsx';
import type { MenuEntry } from '../../kit/types.ts';
import { listParts } from '../messages/list-parts.ts';
import { setPinned } from './display-changes.ts';
import { usePinned } from './display.ts';
import { deleteView, moveView, setShared } from './saved-views.ts';
import { useHere, useMe, type View } from './views.ts';

const TEXTS = { listParts };

/** The actions for a saved view. None of them closes the open ticket. */
export function ViewMenu(props: ComponentProps<typeof Acts>) {
  return (
    <MoreTexts texts={TEXTS}>
      <Acts {...props} />
    </MoreTexts>
  );
}

function Acts({
  view,
  views,
  label,
  trigger,
  onEdit,
  onClose,
}: {
  view: View;
  /** The views of its group, in order. */
  views: readonly View[];
  label: string;
  trigger: RefObject<HTMLElement | null>;
  onEdit: () => void;
  onClose: () => void;
}) {
  const t = useTranslations('listParts.views');
  const navigate = useNavigate();
  const { code }: { code?: string } = useParams({ strict: false });
  const here = useHere();
  const me = useMe();
  const isAdmin = useRole() === 'admin';
  const isPinned = usePinned().includes(view.id);
  const isMine = typeof me === 'string' && view.ownerId === me;
  const mayChange = isMine || isAdmin;
  const at = views.indexOf(view);
  // The positions of all of them are written.
  const mayMove = !isPinned && views.every(({ ownerId }) => isAdmin || ownerId === me);
  const remove = async () => {
    if (!(await deleteView(view))) return;
    setPinned(me, view.id, false);
    if (here !== view.id) return;
    // The ticket stays open, with the open tickets beside it.
    await (code
      ? navigate({ to: '/tickets/$code', params: { code }, search: {} as never })
      : navigate({ to: '/views/$view', params: { view: 'open' }, search: {} as never }));
  };
  const entries: (MenuEntry | false)[] = [
    {
      id: 'pin',
      label: t(isPinned ? 'unpin' : 'pin'),
      onAction: () => setPinned(me, view.id, !isPinned),
    },
    mayChange && { id: 'edit', label: t('edit'), onAction: onEdit },
    // What another person shares cannot become personal.
    (view.isShared ? isMine : mayChange) && {
      id: 'share',
      label: t(view.isShared ? 'unshare' : 'share'),
      onAction: () => void setShared(view, !view.isShared),
    },
    mayMove &&
      at > 0 && {
        id: 'up',
        label: t('up'),
        onAction: () => void moveView(views, view, at - 1),
      },
    mayMove &&
      at < views.length - 1 && {
        id: 'down',
        label: t('down'),
        onAction: () => void moveView(views, view, at + 1),
      },
    mayChange && {
      id: 'delete',
      label: t('delete'),
      isDangerous: true,
      onAction: () => void remove(),
    },
  ];
  return (
    <Entries
      label={label}
      entries={entries.filter((entry) => entry !== false)}
      trigger={trigger}
      onClose={onClose}
    />
  );
}
