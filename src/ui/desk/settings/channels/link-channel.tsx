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
import { type Channel, linkChannel, ReadersWarning, SHOWN, USES } from './linked-channel.tsx';

/** The Slack workspaces of the linked channels. */
function teamsOf(linked: readonly Channel[]): { id: string; text: string }[] {
  const named = linked.flatMap(({ contextTeamId, app }) => {
    const id = contextTeamId ?? app?.teamId;
    return id ? [[id, { id, text: app?.teamName ?? id }] as const] : [];
  });
  return [...new Map(named).values()];
}

/** What the dialog asks; texts as they were typed. */
interface Asked {
  /** The id of the channel, or a link to it. */
  channel: string;
  name: string;
  teamId: string;
  isPrivate: boolean;
  queueId: string;
  use: (typeof USES)[number];
  shows: (typeof SHOWN)[number];
}

interface FieldsProps {
  asked: Asked;
  set: (change: Partial<Asked>) => void;
}

/** Links a channel, chosen from those that the app is in, or named by its id or its link. */
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
  const { channels, isPending } = useChatChannels();
  const [isPasting, setPasting] = useState(false);
  const isListed = !isPasting && channels.length > 0;
  const teams = teamsOf(workspace.chatTriageChannels);
  const [asked, setAsked] = useState<Asked>({
    channel: '',
    name: '',
    teamId: teams[0]?.id ?? '',
    isPrivate: false,
    queueId: queues[0]?.id ?? '',
    use: 'REQUEST',
    shows: 'everything',
  });
  const set = (change: Partial<Asked>) => setAsked((before) => ({ ...before, ...change }));
  const channelId = channelIdIn(asked.channel);
  return (
    <NewDialog
      title={t('linkTitle')}
      action={t('link')}
      isReady={Boolean(channelId && asked.queueId)}
      create={() =>
        linkChannel(t('cannotLink'), {
          channelId: channelId ?? '',
          channelName: asked.name.trim().replace(/^#/, '') || null,
          type: asked.use,
          teamThread: asked.use === 'TRIAGE' ? asked.shows : null,
          queueId: asked.queueId,
          workspaceId: workspace.id,
          contextTeamId: asked.teamId || null,
          private: asked.isPrivate,
        })
      }
      onClose={onClose}
    >
      <p className={styles['more']}>{t('linkHelp', { prefix: queues[0]?.prefix ?? 'HELP' })}</p>
      {isListed && (
        <ListedChannels
          channels={channels}
          linked={workspace.chatTriageChannels}
          asked={asked}
          set={set}
          onPaste={() => setPasting(true)}
        />
      )}
      {!isListed && !isPending && <PastedChannel asked={asked} set={set} />}
      <Fields>
        <Choice
          label={t('queue')}
          value={asked.queueId}
          options={queues.map((queue) => ({ id: queue.id, text: queue.name, detail: queue.prefix }))}
          onChange={(queueId) => set({ queueId })}
        />
        <Use asked={asked} set={set} />
        {!isListed && teams.length > 1 && (
          <Choice
            label={t('team')}
            value={asked.teamId}
            options={teams}
            onChange={(teamId) => set({ teamId })}
          />
        )}
      </Fields>
      {!isListed && (
        <Switch
          label={t('isPrivate')}
          isSelected={asked.isPrivate}
          onChange={(isPrivate) => set({ isPrivate })}
        />
      )}
      <ReadersWarning
        queue={queues.find(({ id }) => id === asked.queueId)}
        isTriage={asked.use === 'TRIAGE'}
        isPrivate={asked.isPrivate}
      />
    </NewDialog>
  );
}

/** The channels that the app is in and that are not linked yet, by name. */
function ListedChannels({
  channels,
  linked,
  asked,
  set,
  onPaste,
}: FieldsProps & {
  channels: ReturnType<typeof useChatChannels>['channels'];
  linked: readonly Channel[];
  onPaste: () => void;
}) {
  const t = useTranslations('channels');
  const taken = new Set(linked.flatMap(({ channelId, deletedAt }) => (deletedAt ? [] : (channelId ?? []))));
  const free = channels
    .filter(({ id }) => !taken.has(id))
    .toSorted((one, other) => one.name.localeCompare(other.name));
  const choose = (id: string) => {
    const chosen = channels.find((each) => each.id === id);
    if (!chosen) return;
    set({ channel: id, name: chosen.name, teamId: chosen.teamId, isPrivate: chosen.isPrivate });
  };
  return (
    <>
      <Choice
        label={t('channel')}
        value={asked.channel}
        options={free.map(({ id, name, isPrivate }) => ({
          id,
          text: name,
          detail: isPrivate ? t('private') : '',
          sign: isPrivate ? <Lock size={14} aria-hidden /> : <Hash size={14} aria-hidden />,
        }))}
        onChange={choose}
      />
      <p className={styles['more']}>
        {t('notListed')}{' '}
        <Button size="small" kind="quiet" onPress={onPaste}>
          {t('pasteLink')}
        </Button>
      </p>
    </>
  );
}

/** A channel by its id or its link, and its name, which nobody can look up. */
function PastedChannel({ asked: { channel, name }, set }: FieldsProps) {
  const t = useTranslations('channels');
  const isWrong = channel.trim() !== '' && !channelIdIn(channel);
  return (
    <>
      <TextField
        label={t('channel')}
        help={t('channelHelp')}
        value={channel}
        onChange={(typed) => set({ channel: typed })}
        autoFocus
        autoComplete="off"
        placeholder="C0123456789"
        maxLength={300}
        error={isWrong ? t('channelWrong') : undefined}
      />
      <TextField
        label={t('channelName')}
        value={name}
        onChange={(typed) => set({ name: typed })}
        maxLength={100}
        autoComplete="off"
        placeholder="it-help"
      />
    </>
  );
}

/** Whether people ask there or the team works there, and how much of a ticket the team sees. */
function Use({ asked: { use, shows }, set }: FieldsProps) {
  const t = useTranslations('channels');
  return (
    <>
      <Choice
        label={t('use')}
        value={use}
        options={USES.map((id) => ({
          id,
          text: t(id),
          detail: id === 'TRIAGE' ? t('triageHelp') : t('requestHelp'),
        }))}
        onChange={(id) => set({ use: id === 'TRIAGE' ? 'TRIAGE' : 'REQUEST' })}
      />
      {use === 'TRIAGE' && (
        <Choice
          label={t('shown')}
          value={shows}
          options={SHOWN.map((id) => ({ id, text: t(`shows.${id}`), detail: t(`showsHelp.${id}`) }))}
          onChange={(id) => set({ shows: SHOWN.find((one) => one === id) ?? 'everything' })}
        />
      )}
    </>
  );
}
