import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { trimmed } from '../../../contract/blank.ts';
import { call } from '../api/call.ts';
import { changeCached, queryClient } from '../api/query.ts';
import type { ItemOf } from '../api/types.ts';
import { Button } from '../../kit/button.tsx';
import { TextField } from '../../kit/field.tsx';
import { Empty, Failed, Loading } from '../kit/states.tsx';
import { showToast } from '../../kit/toast.tsx';
import { SavedSign } from './parts/fields.tsx';
import { Ordered } from './parts/ordered.tsx';
import { NewDialog, Page } from './parts/page.tsx';
import { toastRefusal } from '../kit/toast-refusal.ts';
import { useSaved } from '../kit/use-saved.ts';
import { isMissing, refresh, useRecords, saveAndRefresh } from './parts/write.ts';
import { useIsHere, WorkspaceChoice } from './parts/workspaces.tsx';
import type { SectionProps } from './section.ts';
import styles from './statuses.module.css';

type View = ItemOf<'listViews'>;
const LISTS = ['listViews'] as const;

/** The views that the whole team sees. */
export function ViewsSettings(_: SectionProps) {
  const t = useTranslations('settings.views');
  const settings = useTranslations('settings');
  const read = useRecords('listViews');
  const isHere = useIsHere();
  const saved = useSaved();
  const [renamed, setRenamed] = useState<View>();
  const rows = (read.data?.items ?? [])
    .filter((view) => view.isShared && isHere(view))
    .toSorted((one, other) => one.position - other.position);
  return (
    <Page title={settings('sections.views')} intro={t('intro')} size="wide">
      <WorkspaceChoice />
      {read.isPending && <Loading rows={4} />}
      {isMissing(read.error) && <Empty title={settings('absent')}>{settings('absentMore')}</Empty>}
      {read.error && !isMissing(read.error) && !read.data && (
        <Failed error={read.error} onRetry={() => void read.refetch()} />
      )}
      {read.data && rows.length === 0 && <Empty title={t('empty')}>{t('emptyMore')}</Empty>}
      {rows.length > 0 && (
        <div className={styles['list']}>
          <Ordered
            label={settings('sections.views')}
            rows={rows}
            nameOf={({ name }) => name}
            onMove={(view, to) => void saved.save(() => move(rows, view, to))}
          >
            {(view) => <Row view={view} onRename={() => setRenamed(view)} />}
          </Ordered>
          <SavedSign of={saved} />
        </div>
      )}
      {renamed && <Rename view={renamed} onClose={() => setRenamed(undefined)} />}
    </Page>
  );
}

/** Shows the new order at once, then writes the positions that have changed. */
async function move(rows: readonly View[], view: View, to: number): Promise<void> {
  const order = rows.filter(({ id }) => id !== view.id).toSpliced(to, 0, view);
  const positions = new Map(order.map(({ id }, position) => [id, position]));
  await queryClient.cancelQueries({ queryKey: ['listViews'] });
  changeCached<View>('listViews', (each) => ({
    ...each,
    position: positions.get(each.id) ?? each.position,
  }));
  try {
    for (const [position, { id, position: before }] of order.entries())
      if (position !== before) await call('updateView', { params: { id }, body: { position } });
  } finally {
    await refresh(LISTS);
  }
}

function Row({ view, onRename }: { view: View; onRename: () => void }) {
  const t = useTranslations('settings.views');
  const { id, name, filters, isShared, sortBy, sortDirection, position, workspaceId } = view;
  const remove = async () => {
    if (!(await toastRefusal(() => saveAndRefresh('deleteView', { params: { id } }, LISTS), name))) return;
    const body = { name, filters, isShared, sortBy, sortDirection, position, workspaceId };
    showToast({
      kind: 'done',
      text: t('deleted', { name }),
      undo: () => toastRefusal(() => saveAndRefresh('createView', { body }, LISTS), name),
    });
  };
  return (
    <div className={styles['row']}>
      <span className={styles['label']}>{name}</span>
      <span className={styles['more']}>{t('filters', { count: Object.keys(filters).length })}</span>
      <Link to="/views/$view" params={{ view: id }} search={{} as never} aria-label={t('openName', { name })}>
        {t('open')}
      </Link>
      <Button size="small" kind="quiet" aria-label={t('renameName', { name })} onPress={onRename}>
        {t('rename')}
      </Button>
      <Button size="small" kind="quiet" aria-label={t('deleteName', { name })} onPress={() => void remove()}>
        {t('delete')}
      </Button>
    </div>
  );
}

function Rename({ view, onClose }: { view: View; onClose: () => void }) {
  const t = useTranslations('settings.views');
  const [name, setName] = useState(view.name);
  return (
    <NewDialog
      title={t('renameName', { name: view.name })}
      action={t('rename')}
      isReady={Boolean(trimmed(name))}
      create={() =>
        saveAndRefresh('updateView', { params: { id: view.id }, body: { name: trimmed(name) } }, LISTS)
      }
      onClose={onClose}
    >
      <TextField label={t('name')} value={name} onChange={setName} autoFocus maxLength={100} />
    </NewDialog>
  );
}
