import { Hash, Lock } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { useChatChannels } from '../../api/chat-lists.ts';
import type { Queue } from '../../api/types.ts';
import { Button } from '../../../kit/button.tsx';
import { Switch, TextField } from '../../../kit/field.tsx';
import { Choice } from '../parts/fields.tsx';
import { Fields, NewDialog } from '../parts/page.tsx';
import type { Workspace } from '../parts/workspaces.tsx';
import styles from './channels.module.css';
import { channelIdIn } from './channel-id.ts';
import { type Channel, linkChannel, SHOWN, USES } from './linked-channel.tsx';

/** The Slack workspaces of the linked channels. */
function teamsOf(linked: readonly Channel[]): { id: string; text: string }[] {
  const named = linked.flatMap(({ contextTeamId, app }) => {
    const id = contextTeamId ?? app?.teamId;
    return id ? [[id, { id, text: app?.teamName ?? id }] as const] : [];
  });
  return [...new Map(named).values()];
}

export function LinkChannel({
  workspace,
  queues,
  onClose,
}: {
  workspace: Workspace;
  queues: readonly Queue[];
  onClose: () => void;
}) {
  const t = useTranslations('channels');
  const teams = teamsOf(workspace.chatTriageChannels);
  const [channel, setChannel] = useState('');
  const [name, setName] = useState('');
  const [queueId, setQueueId] = useState(queues[0]?.id ?? '');
  const [use, setUse] = useState<(typeof USES)[number]>('REQUEST');
  const [shows, setShows] = useState<(typeof SHOWN)[number]>('everything');
  const [teamId, setTeamId] = useState(teams[0]?.id ?? '');
  const [isPrivate, setPrivate] = useState(false);
  const { channels, isPending } = useChatChannels();
  const [isPasting, setPasting] = useState(false);
  const isListed = !isPasting && channels.length > 0;
  const channelId = channelIdIn(channel);
  const linked = new Set(
    workspace.chatTriageChannels.flatMap((each) => (each.deletedAt ? [] : (each.channelId ?? []))),
  );
  const choose = (id: string) => {
    const chosen = channels.find((each) => each.id === id);
    if (!chosen) return;
    setChannel(id);
    setName(chosen.name);
    setTeamId(chosen.teamId);
    setPrivate(chosen.isPrivate);
  };
  return (
    <NewDialog
      title={t('linkTitle')}
      action={t('link')}
      isReady={Boolean(channelId && queueId)}
      create={() =>
        linkChannel(t('cannotLink'), {
          channelId: channelId ?? '',
          channelName: name.trim().replace(/^#/, '') || null,
          type: use,
          teamThread: use === 'TRIAGE' ? shows : null,
          queueId,
          workspaceId: workspace.id,
          contextTeamId: teamId || null,
          private: isPrivate,
        })
      }
      onClose={onClose}
    >
      <p className={styles['more']}>{t('linkHelp', { prefix: queues[0]?.prefix ?? 'HELP' })}</p>
      {isListed && (
        <>
          <Choice
            label={t('channel')}
            value={channel}
            options={channels
              .filter(({ id }) => !linked.has(id))
              .toSorted((one, other) => one.name.localeCompare(other.name))
              .map(({ id, name: text, isPrivate: isClosed }) => ({
                id,
                text,
                detail: isClosed ? t('private') : '',
                sign: isClosed ? <Lock size={14} aria-hidden /> : <Hash size={14} aria-hidden />,
              }))}
            onChange={choose}
          />
          <p className={styles['more']}>
            {t('notListed')}{' '}
            <Button size="small" kind="quiet" onPress={() => setPasting(true)}>
              {t('pasteLink')}
            </Button>
          </p>
        </>
      )}
      {!isListed && !isPending && (
        <>
          <TextField
            label={t('channel')}
            help={t('channelHelp')}
            value={channel}
            onChange={setChannel}
            autoFocus
            autoComplete="off"
            placeholder="C0123456789"
            maxLength={300}
            error={channel.trim() && !channelId ? t('channelWrong') : undefined}
          />
          <TextField
            label={t('channelName')}
            value={name}
            onChange={setName}
            maxLength={100}
            autoComplete="off"
            placeholder="it-help"
          />
        </>
      )}
      <Fields>
        <Choice
          label={t('queue')}
          value={queueId}
          options={queues.map((queue) => ({ id: queue.id, text: queue.name, detail: queue.prefix }))}
          onChange={setQueueId}
        />
        <Choice
          label={t('use')}
          value={use}
          options={USES.map((id) => ({
            id,
            text: t(id),
            detail: id === 'TRIAGE' ? t('triageHelp') : t('requestHelp'),
          }))}
          onChange={(id) => setUse(id === 'TRIAGE' ? 'TRIAGE' : 'REQUEST')}
        />
        {use === 'TRIAGE' && (
          <Choice
            label={t('shown')}
            value={shows}
            options={SHOWN.map((id) => ({ id, text: t(`shows.${id}`), detail: t(`showsHelp.${id}`) }))}
            onChange={(id) => setShows(SHOWN.find((one) => one === id) ?? 'everything')}
          />
        )}
        {!isListed && teams.length > 1 && (
          <Choice label={t('team')} value={teamId} options={teams} onChange={setTeamId} />
        )}
      </Fields>
      {!isListed && <Switch label={t('isPrivate')} isSelected={isPrivate} onChange={setPrivate} />}
    </NewDialog>
  );
}
