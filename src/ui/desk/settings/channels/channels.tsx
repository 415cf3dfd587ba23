import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { call, Refusal } from '../../api/call.ts';
import { useChoices } from '../../api/query.ts';
import type { Queue } from '../../api/types.ts';
import { Button } from '../../../kit/button.tsx';
import { Empty, Failed, Loading } from '../../kit/states.tsx';
import { SavedChoice, SavedSwitch, SavedText } from '../parts/fields.tsx';
import { Group, Page, PageTabs } from '../parts/page.tsx';
import { showRecord, useLacks, useRecords } from '../parts/write.ts';
import { useWorkspace, type Workspace, WorkspaceChoice } from '../parts/workspaces.tsx';
import type { SectionProps } from '../section.ts';
import type { ChangeWorkspace } from './change-workspace.ts';
import { EmojiActions } from './emoji-actions.tsx';
import { LinkChannel } from './link-channel.tsx';
import { LinkedChannel } from './linked-channel.tsx';
import styles from './channels.module.css';

const SWITCHES = ['visibleInChat', 'disableChatUserSync'] as const;

/** The linked chat channels, and what happens to messages there and everywhere else. */
export function ChannelsSettings(_: SectionProps) {
  const t = useTranslations('channels');
  const sections = useTranslations('settings.sections');
  const read = useRecords('listWorkspaces');
  const workspace = useWorkspace();
  const lacksLink = useLacks('linkChatChannel');
  const [isNew, setNew] = useState(false);
  const queues = useChoices('listQueues').filter(
    ({ workspaceId, deletedAt }) => workspaceId === workspace?.id && !deletedAt,
  );
  return (
    <Page
      title={sections('channels')}
      intro={t('intro')}
      size="wide"
      action={
        workspace &&
        !lacksLink &&
        queues.length > 0 && (
          <Button kind="primary" onPress={() => setNew(true)}>
            <Plus size={14} aria-hidden /> {t('link')}
          </Button>
        )
      }
    >
      <WorkspaceChoice />
      {read.isPending && <Loading rows={5} />}
      {read.error && !read.data && <Failed error={read.error} onRetry={() => void read.refetch()} />}
      {read.data && !workspace && <Empty title={t('none')} />}
      {workspace && <Tabs key={workspace.id} workspace={workspace} queues={queues} />}
      {workspace && isNew && (
        <LinkChannel workspace={workspace} queues={queues} onClose={() => setNew(false)} />
      )}
    </Page>
  );
}

function Tabs({ workspace, queues }: { workspace: Workspace; queues: readonly Queue[] }) {
  const t = useTranslations('channels');
  const settingsText = useTranslations('queues');
  const { id, settings } = workspace;
  const change: ChangeWorkspace = async (part) => {
    const record = await call('updateWorkspace', { params: { id }, body: part });
    showRecord('listWorkspaces', record);
    const written = record.settings as Record<string, unknown> | null;
    // A service ignores settings that it does not know.
    if (Object.entries(part.settings ?? {}).some(([key, value]) => written?.[key] !== value))
      throw new Refusal(200, settingsText('notTaken'));
  };
  const linked = workspace.chatTriageChannels
    .filter(({ deletedAt }) => !deletedAt)
    .toSorted((one, other) => (one.channelName ?? '').localeCompare(other.channelName ?? ''));
  return (
    <PageTabs
      label={t('tabs.label')}
      tabs={[
        {
          id: 'linked',
          title: t('tabs.linked'),
          content:
            linked.length === 0 ? (
              <Empty title={t('empty')}>{t('emptyMore')}</Empty>
            ) : (
              <ul className={styles['channels']} aria-label={t('tabs.linked')}>
                {linked.map((channel) => (
                  <LinkedChannel key={channel.id} channel={channel} queues={queues} />
                ))}
              </ul>
            ),
        },
        {
          id: 'elsewhere',
          title: t('tabs.elsewhere'),
          content: (
            <Group>
              <SavedChoice
                label={t('defaultQueue')}
                value={workspace.defaultQueueId ?? ''}
                options={[
                  { id: '', text: t('noDefaultQueue') },
                  ...queues.map(({ id: queueId, name, prefix }) => ({
                    id: queueId,
                    text: name,
                    detail: prefix,
                  })),
                ]}
                save={(queueId) => change({ defaultQueueId: queueId || null })}
              />
              <SavedText
                label={t('bot')}
                help={t('botHelp')}
                value={workspace.chatBotUsername ?? ''}
                maxLength={80}
                save={(name) => change({ chatBotUsername: name || null })}
              />
              {settings &&
                SWITCHES.map((key) => (
                  <SavedSwitch
                    key={key}
                    label={t(`switches.${key}.label`)}
                    help={t(`switches.${key}.help`)}
                    value={settings[key]}
                    save={(isOn) => change({ settings: { [key]: isOn } })}
                  />
                ))}
            </Group>
          ),
        },
        {
          id: 'emoji',
          title: t('tabs.emoji'),
          content: <EmojiActions workspace={workspace} change={change} />,
        },
      ]}
    />
  );
}
