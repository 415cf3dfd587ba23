import { useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { call } from '../../api/call.ts';
import { Button } from '../../../kit/button.tsx';
import { TextField } from '../../../kit/field.tsx';
import { Time } from '../../kit/time.tsx';
import { NewDialog, Page } from '../parts/page.tsx';
import { Records } from '../parts/records.tsx';
import { ifAble, refresh, useLacks, useRecords } from '../parts/write.ts';
import { useIsHere, useWorkspace, WorkspaceChoice } from '../parts/workspaces.tsx';
import type { SectionProps } from '../section.ts';
import { KnowledgeBasePage } from './knowledge-base.tsx';

/** The sources of AI agents: documents in knowledge bases of queues, of AI agents, or of the workspace. */
export function KnowledgeSettings({ item }: SectionProps) {
  const t = useTranslations('ai.knowledge');
  const sections = useTranslations('settings.sections');
  const read = useRecords('listKnowledgeBases');
  const agents = useRecords('listAgents').data?.items ?? [];
  const isHere = useIsHere();
  const lacks = useLacks('saveKnowledgeBase');
  const [isNew, setNew] = useState(false);
  const all = read.data?.items ?? [];
  const open = all.find(({ id }) => id === item);
  if (open) return <KnowledgeBasePage key={open.id} base={open} />;
  return (
    <Page
      title={sections('knowledge')}
      intro={item && read.data ? t('gone') : t('intro')}
      size="wide"
      action={
        read.data &&
        !lacks && (
          <Button kind="primary" onPress={() => setNew(true)}>
            <Plus size={14} aria-hidden /> {t('new')}
          </Button>
        )
      }
    >
      <WorkspaceChoice />
      <Records
        label={sections('knowledge')}
        read={read}
        rows={all.filter(isHere)}
        section="knowledge"
        empty={{ title: t('empty'), more: t('emptyMore') }}
        columns={[
          { id: 'name', title: t('name'), cell: ({ name }) => name },
          {
            id: 'queues',
            title: t('usedBy'),
            cell: ({ id, global, queues }) =>
              [
                ...(global ? [t('everyQueue')] : queues.map(({ name }) => name)),
                ...agents.filter(({ kBs }) => kBs.some((base) => base.id === id)).map(({ name }) => name),
              ].join(', '),
          },
          {
            id: 'documents',
            title: t('documents'),
            isRight: true,
            cell: ({ _count }) => _count?.kBDocuments ?? '',
          },
          {
            id: 'updated',
            title: t('changed'),
            isRight: true,
            cell: ({ updatedAt }) => <Time at={updatedAt} isShort />,
          },
        ]}
      />
      {isNew && <NewBase onClose={() => setNew(false)} />}
    </Page>
  );
}

function NewBase({ onClose }: { onClose: () => void }) {
  const t = useTranslations('ai.knowledge');
  const navigate = useNavigate();
  const workspace = useWorkspace();
  const [name, setName] = useState('');
  const create = async () => {
    const body = { name: name.trim(), ...(workspace && { workspaceId: workspace.id }) };
    const { id } = await ifAble('saveKnowledgeBase', t('cannotCreate'), () =>
      call('saveKnowledgeBase', { body }),
    );
    await refresh(['listKnowledgeBases']);
    void navigate({ to: '/settings/{-$section}/{-$item}', params: { section: 'knowledge', item: id } });
  };
  return (
    <NewDialog
      title={t('new')}
      action={t('create')}
      isReady={Boolean(name.trim())}
      create={create}
      onClose={onClose}
    >
      <TextField
        label={t('name')}
        value={name}
        onChange={setName}
        autoFocus
        maxLength={200}
        autoComplete="off"
      />
    </NewDialog>
  );
}
