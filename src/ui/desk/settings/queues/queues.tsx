import { useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { trimmed } from '../../../../contract/blank.ts';
import { call } from '../../api/call.ts';
import { Button } from '../../../kit/button.tsx';
import { TextField } from '../../../kit/field.tsx';
import { NewDialog, Page } from '../parts/page.tsx';
import { Badge, Records } from '../parts/records.tsx';
import { ifAble, refresh, useLacks, useRecords } from '../parts/write.ts';
import { useIsHere, useWorkspace, WorkspaceChoice } from '../parts/workspaces.tsx';
import type { SectionProps } from '../section.ts';
import { isPrefix } from './prefix.ts';
import { QueuePage } from './queue.tsx';

export function QueuesSettings({ item }: SectionProps) {
  const t = useTranslations('queues');
  const sections = useTranslations('settings.sections');
  const read = useRecords('listQueues');
  const isHere = useIsHere();
  const lacksCreate = useLacks('createQueue');
  const [isNew, setNew] = useState(false);
  const all = (read.data?.items ?? []).filter(({ deletedAt }) => !deletedAt);
  const open = all.find(({ id }) => id === item);
  if (open) return <QueuePage key={open.id} queue={open} />;
  return (
    <Page
      title={sections('queues')}
      intro={item && read.data ? t('gone') : t('intro')}
      size="wide"
      action={
        !lacksCreate && (
          <Button kind="primary" onPress={() => setNew(true)}>
            <Plus size={14} aria-hidden /> {t('new')}
          </Button>
        )
      }
    >
      <WorkspaceChoice />
      <Records
        label={sections('queues')}
        read={read}
        rows={all.filter(isHere)}
        section="queues"
        empty={{ title: t('empty'), more: t('emptyMore') }}
        columns={[
          {
            id: 'name',
            title: t('fields.name'),
            cell: ({ emoji, name, settings, visibility }) => (
              <>
                {emoji && <span aria-hidden>{emoji} </span>}
                {name} {settings?.silentMode && <Badge>{t('silent')}</Badge>}{' '}
                {visibility === 'team' && <Badge>{t('visibility.teamOnly')}</Badge>}
                {visibility === 'agents' && <Badge>{t('visibility.agentsOnly')}</Badge>}
              </>
            ),
          },
          { id: 'prefix', title: t('prefix'), cell: ({ prefix }) => prefix },
          {
            id: 'tickets',
            title: t('tickets'),
            isRight: true,
            cell: ({ _count }) => _count?.tickets ?? '',
          },
          {
            id: 'channels',
            title: t('channels'),
            isRight: true,
            cell: ({ chatChannels }) => chatChannels.length,
          },
        ]}
      />
      {isNew && <NewQueue onClose={() => setNew(false)} />}
    </Page>
  );
}

function NewQueue({ onClose }: { onClose: () => void }) {
  const t = useTranslations('queues');
  const navigate = useNavigate();
  const workspace = useWorkspace();
  const [name, setName] = useState('');
  const [prefix, setPrefix] = useState('');
  const create = async () => {
    const body = {
      name: trimmed(name),
      prefix: prefix.trim().toUpperCase(),
      ...(workspace && { workspaceId: workspace.id }),
    };
    const { id } = await ifAble('createQueue', t('cannotCreate'), () => call('createQueue', { body }));
    await refresh(['listQueues']);
    void navigate({ to: '/settings/{-$section}/{-$item}', params: { section: 'queues', item: id } });
  };
  return (
    <NewDialog
      title={t('new')}
      action={t('create')}
      isReady={Boolean(trimmed(name)) && isPrefix(prefix)}
      create={create}
      onClose={onClose}
    >
      <TextField label={t('fields.name')} value={name} onChange={setName} autoFocus maxLength={200} />
      <TextField
        label={t('fields.prefix')}
        help={t('fields.prefixHelp')}
        value={prefix}
        onChange={setPrefix}
        placeholder="HELP"
        maxLength={10}
        autoComplete="off"
        error={prefix && !isPrefix(prefix) ? t('fields.prefixWrong') : undefined}
      />
    </NewDialog>
  );
}
