import { useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { trimmed } from '../../../../contract/blank.ts';
import { useChoices } from '../../api/query.ts';
import { Button } from '../../../kit/button.tsx';
import { TextField } from '../../../kit/field.tsx';
import { NewDialog, Page } from '../parts/page.tsx';
import { Badge, Records } from '../parts/records.tsx';
import { useRecords, saveAndRefresh } from '../parts/write.ts';
import { useIsHere, useWorkspace, WorkspaceChoice } from '../parts/workspaces.tsx';
import type { SectionProps } from '../section.ts';
import { AgentPage } from './agent.tsx';
import { type Agent, saveAgent, useSilence } from './records.ts';
import { ToolSwitches } from './tool-switches.tsx';
import { toastRefusal } from '../../kit/toast-refusal.ts';

/** AI agents, which answer requesters until a person takes over (specification, Resources, Agent). */
export function AgentsSettings({ item }: SectionProps) {
  const t = useTranslations('ai.agents');
  const sections = useTranslations('settings.sections');
  const read = useRecords('listAgents');
  const queues = useChoices('listQueues');
  const isHere = useIsHere();
  const silence = useSilence();
  const workspace = useWorkspace();
  const [isNew, setNew] = useState(false);
  const all = read.data?.items ?? [];
  const open = all.find(({ id }) => id === item);
  if (open) return <AgentPage key={open.id} agent={open} />;
  const turn = (agent: Agent) =>
    toastRefusal(() => saveAgent(agent, { enabled: !agent.enabled }, t('notTaken')), agent.name);
  return (
    <Page
      title={sections('agents')}
      intro={item && read.data ? t('gone') : t('intro')}
      size="wide"
      action={
        read.data && (
          <Button kind="primary" onPress={() => setNew(true)}>
            <Plus size={14} aria-hidden /> {t('new')}
          </Button>
        )
      }
    >
      <WorkspaceChoice />
      <Records
        label={sections('agents')}
        read={read}
        rows={all.filter(isHere)}
        section="agents"
        actions={(agent) => (
          <Button
            size="small"
            aria-label={t(agent.enabled ? 'turnOffName' : 'turnOnName', { name: agent.name })}
            onPress={() => void turn(agent)}
          >
            {agent.enabled ? t('turnOff') : t('turnOn')}
          </Button>
        )}
        empty={{ title: t('empty'), more: t('emptyMore') }}
        columns={[
          { id: 'name', title: t('name'), cell: ({ name }) => name },
          {
            id: 'state',
            title: t('state'),
            cell: (agent) => {
              const [reason] = silence(agent, queues);
              if (reason) return t('onButSilent', { reason });
              return agent.enabled ? t('on') : <Badge>{t('off')}</Badge>;
            },
          },
          {
            id: 'places',
            title: t('places'),
            cell: (agent) =>
              [
                ...agent.queues.map(({ name }) => name),
                ...agent.chatChannels.map(({ channelName }) => `#${channelName ?? ''}`),
              ].join(', '),
          },
          { id: 'description', title: t('description'), cell: ({ description }) => description },
        ]}
      />
      {workspace && <ToolSwitches key={workspace.id} workspace={workspace} />}
      {isNew && <NewAgent onClose={() => setNew(false)} />}
    </Page>
  );
}

function NewAgent({ onClose }: { onClose: () => void }) {
  const t = useTranslations('ai.agents');
  const navigate = useNavigate();
  const workspace = useWorkspace();
  const [name, setName] = useState('');
  const create = async () => {
    const body = { name: trimmed(name), enabled: false, ...(workspace && { workspaceId: workspace.id }) };
    const { id } = await saveAndRefresh('saveAgent', { body }, ['listAgents']);
    void navigate({ to: '/settings/{-$section}/{-$item}', params: { section: 'agents', item: id } });
  };
  return (
    <NewDialog
      title={t('new')}
      action={t('create')}
      isReady={Boolean(trimmed(name))}
      create={create}
      onClose={onClose}
    >
      <TextField
        label={t('name')}
        help={t('newHelp')}
        value={name}
        onChange={setName}
        autoFocus
        maxLength={200}
        autoComplete="off"
      />
    </NewDialog>
  );
}
