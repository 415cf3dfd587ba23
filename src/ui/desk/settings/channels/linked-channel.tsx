import { Hash, Lock, TriangleAlert } from 'lucide-react';
import { useTranslations } from 'use-intl';

import { call, Refusal } from '../../api/call.ts';
import type { Queue } from '../../api/types.ts';
import { Button } from '../../../kit/button.tsx';
import { showToast } from '../../../kit/toast.tsx';
import { SavedChoice } from '../parts/fields.tsx';
import { Fields } from '../parts/page.tsx';
import { ifAble, isMissing, refresh, saveAndRefresh } from '../parts/write.ts';
import type { Workspace } from '../parts/workspaces.tsx';
import { toastRefusal } from '../../kit/toast-refusal.ts';
import styles from './channels.module.css';

export type Channel = Workspace['chatTriageChannels'][number];
export const SHOWN = ['everything', 'answers', 'notes'] as const;
export const USES = ['REQUEST', 'TRIAGE'] as const;
const LISTS = ['listWorkspaces', 'listQueues'] as const;

/** Replaces a channel's link: a field that the new link does not set is lost. */
export function linkChannel(
  cannot: string,
  channel: Pick<
    Channel,
    'channelName' | 'type' | 'teamThread' | 'queueId' | 'workspaceId' | 'contextTeamId' | 'private'
  > & {
    channelId: string;
  },
): Promise<unknown> {
  const { channelId, channelName, type, teamThread, queueId, workspaceId } = channel;
  const { contextTeamId: teamId, private: isPrivate } = channel;
  const of = { queueId, workspaceId, teamId };
  const body = { channelId, channelName, type, teamThread, private: isPrivate, ...of };
  return ifAble('linkChatChannel', cannot, () => saveAndRefresh('linkChatChannel', { body }, LISTS));
}

/** One linked channel: its queue, what it is for, and what that does. */
export function LinkedChannel({ channel, queues }: { channel: Channel; queues: readonly Queue[] }) {
  const t = useTranslations('channels');
  const { channelName, channelId, type, teamThread, queueId, private: isPrivate, app } = channel;
  const name = channelName ?? channelId ?? '';
  const queue = queues.find(({ id }) => id === queueId);
  const link = (part: Partial<Channel>) =>
    linkChannel(t('cannotLink'), { ...channel, ...part, channelId: channelId ?? '' });
  const remove = async () => {
    if (!(await toastRefusal(() => unlink(channel, t('cannotUnlink')), name))) return;
    showToast({
      kind: 'done',
      text: t('unlinked', { name }),
      undo: () => toastRefusal(() => link({}), name),
    });
  };
  const Sign = isPrivate ? Lock : Hash;
  return (
    <li aria-label={name}>
      <div className={styles['head']}>
        <Sign size={14} aria-hidden />
        <strong>{name}</strong>
        <span className={styles['more']}>
          {[isPrivate && t('private'), app?.teamName].filter(Boolean).join(', ')}
        </span>
        <Button
          size="small"
          kind="quiet"
          aria-label={t('unlinkName', { name })}
          onPress={() => void remove()}
        >
          {t('unlink')}
        </Button>
      </div>
      <Fields>
        <SavedChoice
          label={t('queue')}
          value={queueId ?? ''}
          placeholder={t('noQueue')}
          options={queues.map((queue) => ({ id: queue.id, text: queue.name, detail: queue.prefix }))}
          save={(id) => link({ queueId: id })}
        />
        <SavedChoice
          label={t('use')}
          value={type === 'TRIAGE' ? 'TRIAGE' : 'REQUEST'}
          options={USES.map((id) => ({ id, text: t(id) }))}
          save={(id) => link({ type: id === 'TRIAGE' ? 'TRIAGE' : 'REQUEST' })}
        />
        {type === 'TRIAGE' && teamThread && (
          <SavedChoice
            label={t('shown')}
            value={teamThread}
            options={SHOWN.map((id) => ({ id, text: t(`shows.${id}`), detail: t(`showsHelp.${id}`) }))}
            save={(id) => link({ teamThread: SHOWN.find((one) => one === id) ?? teamThread })}
          />
        )}
      </Fields>
      <p className={styles['more']}>
        <Effect channel={channel} queue={queue} />
      </p>
      <ReadersWarning queue={queue} isTriage={type === 'TRIAGE'} isPrivate={isPrivate} />
    </li>
  );
}

/** Says who reads the tickets here, of a queue that is not for everyone (docs/rules.md, "Who reads a queue"). */
export function ReadersWarning({
  queue,
  isTriage,
  isPrivate,
}: {
  queue: Queue | undefined;
  isTriage: boolean;
  isPrivate: boolean;
}) {
  const t = useTranslations('channels.readers');
  const readers = queue?.visibility;
  if (!queue || (readers !== 'agents' && readers !== 'team')) return null;
  // In a private one the members are the team.
  if (isTriage && isPrivate) return null;
  return (
    <p className={styles['warning']}>
      <TriangleAlert size={14} aria-hidden />
      <span>
        {t(readers, { queue: queue.name })} {t(isTriage ? 'triage' : 'request')}
      </span>
    </p>
  );
}

/** Describes how messages in the channel are handled (docs/rules.md B1, B7, B15, B26). */
function Effect({ channel, queue }: { channel: Channel; queue: Queue | undefined }) {
  const t = useTranslations('channels.effect');
  if (!queue) return t('none');
  const { name, settings } = queue;
  if (channel.type !== 'TRIAGE')
    return settings?.autoCreateTickets ? t('every', { queue: name }) : t('asked', { queue: name });
  const cards = settings?.sendAllTicketToTriageChannel
    ? t('triageAll', { queue: name })
    : t('triage', { queue: name });
  return channel.private ? cards : `${cards} ${t('hidden')}`;
}

async function unlink({ id }: Channel, cannot: string): Promise<void> {
  try {
    await call('unlinkChatChannel', { params: { id } });
  } catch (error) {
    if (!isMissing(error)) throw error;
    // Somebody else may have unlinked it meanwhile.
    const { items } = await call('listWorkspaces');
    const isLinked = items.some(({ chatTriageChannels }) =>
      chatTriageChannels.some((each) => each.id === id && !each.deletedAt),
    );
    if (isLinked) throw new Refusal(error.status, cannot);
  }
  await refresh(LISTS);
}
