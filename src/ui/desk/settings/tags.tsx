import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { trimmed } from '../../../contract/blank.ts';
import type { ItemOf } from '../api/types.ts';
import { Button } from '../../kit/button.tsx';
import { TextField } from '../../kit/field.tsx';
import { showToast } from '../../kit/toast.tsx';
import { ConfirmByName, NewDialog, Page } from './parts/page.tsx';
import { Records } from './parts/records.tsx';
import { useRecords, saveAndRefresh } from './parts/write.ts';
import { useIsHere, useWorkspace, WorkspaceChoice } from './parts/workspaces.tsx';
import type { SectionProps } from './section.ts';

type Tag = ItemOf<'listTags'>;
const LISTS = ['listTags'] as const;

/** The tags of tickets. */
export function TagsSettings(_: SectionProps) {
  const t = useTranslations('settings.tags');
  const sections = useTranslations('settings.sections');
  const read = useRecords('listTags');
  const isHere = useIsHere();
  const [dialog, setDialog] = useState<{ act: 'new' } | { act: 'rename' | 'delete'; tag: Tag }>();
  const close = () => setDialog(undefined);
  const rows = (read.data?.items ?? [])
    .filter(isHere)
    .toSorted((one, other) => one.name.localeCompare(other.name));
  return (
    <Page
      title={sections('tags')}
      intro={t('intro')}
      size="wide"
      action={
        <Button kind="primary" onPress={() => setDialog({ act: 'new' })}>
          <Plus size={14} aria-hidden /> {t('new')}
        </Button>
      }
    >
      <WorkspaceChoice />
      <Records
        label={sections('tags')}
        read={read}
        rows={rows}
        empty={{ title: t('empty') }}
        columns={[{ id: 'name', title: t('name'), cell: ({ name }) => name }]}
        actions={(tag) =>
          (['rename', 'delete'] as const).map((act) => (
            <Button
              key={act}
              size="small"
              kind="quiet"
              aria-label={t(`${act}Name`, { name: tag.name })}
              onPress={() => setDialog({ act, tag })}
            >
              {t(act)}
            </Button>
          ))
        }
      />
      {dialog?.act === 'new' && <EditTag onClose={close} />}
      {dialog?.act === 'rename' && <EditTag tag={dialog.tag} onClose={close} />}
      {dialog?.act === 'delete' && <DeleteTag tag={dialog.tag} onClose={close} />}
    </Page>
  );
}

/** Makes a tag, or gives one another name. */
function EditTag({ tag, onClose }: { tag?: Tag; onClose: () => void }) {
  const t = useTranslations('settings.tags');
  const workspace = useWorkspace();
  const [name, setName] = useState(tag?.name ?? '');
  const save = () =>
    tag
      ? saveAndRefresh('updateTag', { params: { id: tag.id }, body: { name: trimmed(name) } }, LISTS)
      : saveAndRefresh(
          'createTag',
          { body: { name: trimmed(name), ...(workspace && { workspaceId: workspace.id }) } },
          LISTS,
        );
  return (
    <NewDialog
      title={tag ? t('renameName', { name: tag.name }) : t('new')}
      action={tag ? t('rename') : t('create')}
      isReady={Boolean(trimmed(name))}
      create={save}
      onClose={onClose}
    >
      <TextField label={t('name')} value={name} onChange={setName} autoFocus maxLength={100} />
    </NewDialog>
  );
}

function DeleteTag({ tag: { id, name }, onClose }: { tag: Tag; onClose: () => void }) {
  const t = useTranslations('settings.tags');
  return (
    <ConfirmByName
      title={t('deleteName', { name })}
      help={t('deleteHelp')}
      name={name}
      action={t('delete')}
      onConfirm={async () => {
        await saveAndRefresh('deleteTag', { params: { id } }, LISTS);
        showToast({ kind: 'done', text: t('deleted', { name }) });
      }}
      onClose={onClose}
    />
  );
}
