import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { trimmed } from '../../../contract/blank.ts';
import { call, Refusal } from '../api/call.ts';
import { changeCached, queryClient, useChoices } from '../api/query.ts';
import type { Status } from '../api/types.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { TextField } from '../../kit/field.tsx';
import { StatusSign } from '../kit/signs.tsx';
import { Empty, Failed, Loading } from '../kit/states.tsx';
import { showToast } from '../../kit/toast.tsx';
import { Choice, SavedSign, SavedText } from './parts/fields.tsx';
import { Ordered } from './parts/ordered.tsx';
import { ConfirmByName, Group, NewDialog, Page } from './parts/page.tsx';
import { SavedSeveral, SeveralOf } from './parts/several-of.tsx';
import { useSaved } from '../kit/use-saved.ts';
import { ifAble, isMissing, refresh, useLacks, useRecords, saveAndRefresh } from './parts/write.ts';
import { useWorkspace, WorkspaceChoice } from './parts/workspaces.tsx';
import type { SectionProps } from './section.ts';
import styles from './statuses.module.css';

const LISTS = ['listStatuses'] as const;
const MEANINGS = ['Open', 'In Progress', 'Waiting', 'Done', 'Closed'] as const;

/** The statuses of tickets, in the order in which people choose them. */
export function StatusesSettings(_: SectionProps) {
  const t = useTranslations('settings.statuses');
  const sections = useTranslations('settings.sections');
  const read = useRecords('listStatuses');
  const workspace = useWorkspace();
  const lacksCreate = useLacks('createStatus');
  const [dialog, setDialog] = useState<'new' | { edit: string } | { remove: Status }>();
  const saved = useSaved();
  const all = (read.data?.items ?? [])
    .filter(({ statusGroup }) => !workspace || statusGroup.workspaceId === workspace.id)
    .toSorted((one, other) => one.order - other.order);
  const move = useMove(all);
  const edited = typeof dialog === 'object' && 'edit' in dialog && all.find(({ id }) => id === dialog.edit);
  const close = () => setDialog(undefined);
  return (
    <Page
      title={sections('statuses')}
      intro={t('intro')}
      size="wide"
      action={
        !lacksCreate && (
          <Button kind="primary" onPress={() => setDialog('new')}>
            <Plus size={14} aria-hidden /> {t('new')}
          </Button>
        )
      }
    >
      <WorkspaceChoice />
      {read.isPending && <Loading rows={5} />}
      {read.error && !read.data && <Failed error={read.error} onRetry={() => void read.refetch()} />}
      {read.data && all.length === 0 && <Empty title={t('empty')} />}
      <div className={styles['list']}>
        <Ordered
          label={sections('statuses')}
          rows={all}
          nameOf={({ label }) => label}
          onMove={(status, to) => void saved.save(() => move(status, to))}
        >
          {(status) => (
            <div className={styles['row']}>
              <StatusSign group={status.statusGroup.label} />
              <span className={styles['label']}>{status.label}</span>
              <span className={styles['more']}>
                {status.statusGroup.label !== status.label && t('means', { group: status.statusGroup.label })}{' '}
                {status.requestTypes.length > 0 && t('onlyFor', { count: status.requestTypes.length })}
              </span>
              <Button
                size="small"
                kind="quiet"
                aria-label={t('changeName', { name: status.label })}
                onPress={() => setDialog({ edit: status.id })}
              >
                {t('change')}
              </Button>
              {!status.system && (
                <Button
                  size="small"
                  kind="quiet"
                  aria-label={t('removeName', { name: status.label })}
                  onPress={() => setDialog({ remove: status })}
                >
                  {t('remove')}
                </Button>
              )}
            </div>
          )}
        </Ordered>
        <SavedSign of={saved} />
      </div>
      <Meanings statuses={all} />
      {dialog === 'new' && <NewStatus statuses={all} onClose={close} />}
      {edited && <EditStatus status={edited} onClose={close} />}
      {typeof dialog === 'object' && 'remove' in dialog && (
        <RemoveStatus status={dialog.remove} onClose={close} />
      )}
    </Page>
  );
}

let line: Promise<unknown> = Promise.resolve();

/** Gives a status the order of the one at its new place, which the service moves up; moves run one after the other. */
function useMove(shown: readonly Status[]) {
  return async (moved: Status, to: number) => {
    const others = shown.filter(({ id }) => id !== moved.id);
    const ids = others.toSpliced(to, 0, moved).map(({ id }) => id);
    await queryClient.cancelQueries({ queryKey: ['listStatuses'] });
    const orders = shown.map(({ order }) => order);
    changeCached<Status>('listStatuses', (status) => {
      const place = ids.indexOf(status.id);
      return place === -1 ? status : { ...status, order: orders[place] ?? status.order };
    });
    const next = line
      .catch(() => undefined)
      .then(async () => {
        // The orders as they are now, after the moves before.
        const { items } = await call('listStatuses', { query: { limit: 1000 } });
        const orderOf = (id: string | undefined) => items.find((status) => status.id === id)?.order;
        const order = orderOf(others[to]?.id) ?? (orderOf(others.at(-1)?.id) ?? -1) + 1;
        await call('updateStatus', { body: { id: moved.id, order } });
      });
    line = next;
    try {
      await next;
    } finally {
      if (line === next) await refresh(LISTS);
    }
  };
}

/** The service defines the groups; only those with a status are known. */
const groupsOf = (statuses: readonly Status[]) => [
  ...new Map(statuses.map(({ statusGroup }) => [statusGroup.id, statusGroup])).values(),
];

function useTypes() {
  const workspace = useWorkspace();
  return useChoices('listForms')
    .filter(
      ({ type, published, workspaceId }) =>
        type !== 'collection' && published && (!workspace || workspaceId === workspace.id),
    )
    .map(({ id, name, emoji }) => ({ id, text: name, ...(emoji && { sign: emoji }) }));
}

function NewStatus({ statuses, onClose }: { statuses: readonly Status[]; onClose: () => void }) {
  const t = useTranslations('settings.statuses');
  const workspace = useWorkspace();
  const types = useTypes();
  const groups = groupsOf(statuses);
  const [label, setLabel] = useState('');
  const [chosen, setGroup] = useState<string>();
  const group = chosen ?? groups[0]?.id ?? '';
  const [only, setOnly] = useState<string[]>([]);
  const create = () =>
    ifAble('createStatus', t('cannotCreate'), () =>
      saveAndRefresh(
        'createStatus',
        {
          body: {
            label: trimmed(label),
            statusGroupId: group,
            ...(workspace && { workspaceId: workspace.id }),
            ...(only.length > 0 && { requestTypeIds: only }),
          },
        },
        LISTS,
      ),
    );
  return (
    <NewDialog
      title={t('new')}
      action={t('create')}
      isReady={Boolean(trimmed(label) && group)}
      create={create}
      onClose={onClose}
    >
      <TextField
        label={t('name')}
        value={label}
        onChange={setLabel}
        autoFocus
        maxLength={100}
        placeholder={t('example')}
      />
      <Choice
        label={t('group')}
        help={t('groupHelp')}
        value={group}
        options={groups.map(({ id, label: text }) => ({ id, text, sign: <StatusSign group={text} /> }))}
        onChange={setGroup}
      />
      {types.length > 0 && (
        <SeveralOf
          label={t('types')}
          help={t('typesHelp')}
          add={t('addType')}
          options={types}
          selected={only}
          onChange={setOnly}
        />
      )}
    </NewDialog>
  );
}

function EditStatus({ status, onClose }: { status: Status; onClose: () => void }) {
  const t = useTranslations('settings.statuses');
  const types = useTypes();
  const { id } = status;
  return (
    <Dialog title={t('changeName', { name: status.label })} onClose={onClose}>
      <SavedText
        label={t('name')}
        value={status.label}
        isRequired
        maxLength={100}
        autoFocus
        save={(label) => saveAndRefresh('updateStatus', { body: { id, label } }, LISTS)}
      />
      {status.system && <p className={styles['more']}>{t('system')}</p>}
      {!status.system && types.length > 0 && (
        <SavedSeveral
          label={t('types')}
          help={t('typesHelp')}
          add={t('addType')}
          options={types}
          value={status.requestTypes.map(({ requestTypeId }) => requestTypeId)}
          save={(ids) => saveAndRefresh('updateStatus', { body: { id, requestTypeIds: [...ids] } }, LISTS)}
        />
      )}
    </Dialog>
  );
}

function RemoveStatus({ status: { id, label }, onClose }: { status: Status; onClose: () => void }) {
  const t = useTranslations('settings.statuses');
  const remove = async () => {
    try {
      await call('deleteStatus', { params: { id } });
    } catch (error) {
      if (error instanceof Refusal && error.status === 409) throw new Refusal(409, t('inUse'));
      if (!isMissing(error)) throw error;
      // Somebody else may have removed it meanwhile.
      const { items } = await call('listStatuses', { query: { limit: 1000 } });
      if (items.some((status) => status.id === id)) throw new Refusal(error.status, t('cannotRemove'));
    }
    await refresh(LISTS);
    showToast({ kind: 'done', text: t('isRemoved', { name: label }) });
  };
  return (
    <ConfirmByName
      title={t('removeName', { name: label })}
      help={
        <>
          {t('removeHelp')}{' '}
          <Link to="/views/$view" params={{ view: 'all' }} search={{ statusId: id } as never}>
            {t('itsTickets')}
          </Link>
        </>
      }
      name={label}
      action={t('remove')}
      onConfirm={remove}
      onClose={onClose}
    />
  );
}

/** Explains the status groups. */
function Meanings({ statuses }: { statuses: readonly Status[] }) {
  const t = useTranslations('settings.statuses');
  const groups = groupsOf(statuses);
  if (groups.length === 0) return null;
  return (
    <Group title={t('meanings')}>
      <dl className={styles['meanings']}>
        {groups.map(({ id, label }) => {
          const known = MEANINGS.find((each) => each === label);
          return (
            <div key={id}>
              <dt>
                <StatusSign group={label} /> {label}
              </dt>
              <dd>{known ? t(`meaning.${known}`) : t('meaning.other')}</dd>
            </div>
          );
        })}
      </dl>
    </Group>
  );
}
