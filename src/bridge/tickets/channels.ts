import { z } from 'zod';

import { type Answer, AnsweredError, type Client } from '../../client/index.ts';
import { type TeamThread, teamThread } from '../../contract/index.ts';
import { Cache } from '../../platform/cache.ts';
import type { Clock } from '../../platform/clock.ts';
import { type SenderIdentity, senderIdentity } from '../slack/post-metadata.ts';
import type { EmojiAction } from '../blocks/emoji.ts';

type Workspace = Answer<'listWorkspaces'>['items'][number];
export type Queue = Answer<'readQueue'>;
/** The kinds of queues, by who reads their tickets. */
export type QueueReaders = NonNullable<Queue['visibility']>;

/** The queue and workspace of a channel's tickets. */
export interface ChannelQueue {
  workspaceId: string;
  queueId: string;
  /** The channel itself is linked to the queue, instead of using the workspace's default. */
  linked: boolean;
  /** The channel is in observe mode for this queue: nothing may be posted (B56). */
  observed?: boolean;
}

/** Returns the queue for which a channel is in observe mode; usually undefined. */
type Watched = (channel: string) => Promise<{ queueId: string; workspaceId: string } | undefined>;

/** A channel linked to a queue in the service. */
interface ChannelLink {
  id: string;
  workspaceId: string;
  queueId: string;
  /** The queue's team works there; else it is for requests. */
  triage: boolean;
  /** Which messages the team's threads there show. */
  teamThread: TeamThread;
}

const EmojiActions = z
  .record(
    z.string(),
    z.object({ action: z.string(), value: z.string().nullish() }).catch({ action: '', value: null }),
  )
  .catch({});

const KEEP_QUEUES = 500;

/** Returns the queue of a chat channel (B7), from the service's linked channels. */
export class ChannelQueues {
  readonly #service: Client;
  readonly #team: string;
  readonly #watched: Watched;
  /** How long cached values are used, in milliseconds. */
  readonly keptMs: number;
  readonly #queues: Cache<Queue | undefined>;
  /** All workspaces, in one entry: pieces of work that need them at the same moment share a read. */
  readonly #listed: Cache<readonly Workspace[]>;
  /** The last ones that were read, however long ago. */
  #lastRead: readonly Workspace[] = [];

  /**
   * @param team the Slack workspace of these channels; others may be linked to the same queues.
   * @param keepMs cache time: links change rarely and are needed for every message.
   */
  constructor(service: Client, clock: Clock, team: string, keepMs: number, watched: Watched) {
    this.#service = service;
    this.#team = team;
    this.keptMs = keepMs;
    this.#watched = watched;
    this.#queues = new Cache(KEEP_QUEUES, { clock, ms: keepMs });
    this.#listed = new Cache(1, { clock, ms: keepMs });
  }

  /** Clears the cache, because a link was changed just now. */
  forget(): void {
    this.#listed.clear();
    this.#queues.clear();
  }

  /**
   * Returns undefined if neither the channel nor any workspace has a queue, or if the channel belongs to a workspace
   * that is not offered in chat (B45).
   */
  async of(channel: string): Promise<ChannelQueue | undefined> {
    const workspaces = await this.#workspaces();
    for (const workspace of workspaces) {
      const link = linkOf(workspace, channel);
      if (!link?.queueId) continue;
      return isOffered(workspace)
        ? { workspaceId: workspace.id, queueId: link.queueId, linked: true }
        : undefined;
    }
    const watched = await this.#watched(channel);
    if (watched) return { ...watched, linked: true, observed: true };
    const fallback = workspaces.find((workspace) => isOffered(workspace) && workspace.defaultQueueId);
    return fallback?.defaultQueueId
      ? { workspaceId: fallback.id, queueId: fallback.defaultQueueId, linked: false }
      : undefined;
  }

  /** Returns all workspaces that the key can access, by id: a list that names none covers the key's home only. */
  async workspaceIds(): Promise<string[]> {
    return (await this.#workspaces()).map(({ id }) => id);
  }

  /** Returns the workspaces offered in chat (B45), by id. */
  async offered(): Promise<string[]> {
    return (await this.#workspaces()).filter(isOffered).map(({ id }) => id);
  }

  /** Returns the links of a channel to queues, the one for requests first. */
  async linksOf(channel: string): Promise<ChannelLink[]> {
    const links = (await this.#workspaces()).flatMap((workspace) =>
      workspace.chatTriageChannels.flatMap((one): ChannelLink[] =>
        one.channelId === channel && !one.deletedAt && one.queueId
          ? [
              {
                id: one.id,
                workspaceId: workspace.id,
                queueId: one.queueId,
                triage: one.type === 'TRIAGE',
                teamThread: teamThreadOf(one),
              },
            ]
          : [],
      ),
    );
    return links.toSorted((a, b) => Number(a.triage) - Number(b.triage));
  }

  /** Returns the channels of requests that are linked to a queue, by id. */
  async linkedChannels(): Promise<string[]> {
    const linked = (await this.#workspaces()).flatMap((workspace) =>
      workspace.chatTriageChannels.flatMap(({ channelId, deletedAt, queueId, type }) =>
        channelId && queueId && !deletedAt && type !== 'TRIAGE' ? [channelId] : [],
      ),
    );
    return [...new Set(linked)];
  }

  /** Returns the first triage channel of a queue's team; undefined if none is linked. */
  async triageOf(queueId: string | undefined): Promise<string | undefined> {
    const [first] = await this.triagesOf(queueId);
    return first;
  }

  /** Returns whether a queue's team has a triage channel, even if the bot is not a member. */
  async hasTriage(queueId: string): Promise<boolean> {
    return (await this.triageOf(queueId)) !== undefined;
  }

  async triagesOf(queueId: string | undefined): Promise<string[]> {
    const links = (await this.#workspaces()).flatMap((workspace) => workspace.chatTriageChannels);
    return links.flatMap((one) =>
      one.type === 'TRIAGE' && one.queueId === queueId && !one.deletedAt && one.channelId
        ? [one.channelId]
        : [],
    );
  }

  /** Returns what the team's threads in a channel show of a workspace's tickets: notes only, if nothing says more. */
  async teamThreadIn(channel: string, workspaceId: string | undefined): Promise<TeamThread> {
    for (const workspace of await this.#workspaces())
      for (const one of workspace.chatTriageChannels)
        if (
          workspace.id === (workspaceId ?? workspace.id) &&
          one.channelId === channel &&
          one.type === 'TRIAGE' &&
          !one.deletedAt
        )
          return teamThreadOf(one);
    return 'notes';
  }

  /** Returns a queue with its settings; undefined if the service has none with this id, or none for this key. */
  queue(id: string): Promise<Queue | undefined> {
    return this.#queues.get(id, () =>
      this.#service.readQueue({ params: { id } }).catch((error: unknown) => {
        if (error instanceof AnsweredError && error.next === 'give-up') return undefined;
        throw error;
      }),
    );
  }

  /** Returns who reads the tickets of a queue that are not private (B0): everyone, if a service does not say. */
  async readersOf(queueId: string | null): Promise<QueueReaders> {
    const queue = queueId === null ? undefined : await this.queue(queueId);
    return queue?.visibility ?? 'workspace';
  }

  /** Returns whether everyone may read a ticket (B0): it is not private, and so are the readers of its queue. */
  async isForEveryone(ticket: { private: boolean; queueId: string | null }): Promise<boolean> {
    return !ticket.private && (await this.readersOf(ticket.queueId)) === 'workspace';
  }

  /** Returns the actions of reactions in a workspace, by short name; invalid entries do nothing. */
  async emojiActions(workspaceId: string): Promise<ReadonlyMap<string, EmojiAction>> {
    const workspace = (await this.#workspaces()).find(({ id }) => id === workspaceId);
    const actions = EmojiActions.parse(workspace?.chatEmojiActions);
    return new Map(
      Object.entries(actions).map(([name, { action, value }]) => [name, { action, value: value ?? '' }]),
    );
  }

  /** Returns whether a workspace's tickets are shown and opened in chat (B45). */
  async isOffered(workspaceId: string | undefined): Promise<boolean> {
    const workspace = (await this.#workspaces()).find(({ id }) => id === workspaceId);
    return workspace === undefined || isOffered(workspace);
  }

  /**
   * Returns whether chat users may become users (B10). Slack has one set of users for all workspaces, so a single
   * workspace can forbid it (`disableChatUserSync`).
   */
  async syncsPeople(): Promise<boolean> {
    return !(await this.#workspaces()).some(({ settings }) => settings?.disableChatUserSync === true);
  }

  /**
   * Returns the bot's name and picture in a channel's workspace (B44). If the service is unavailable, the last known
   * ones are used.
   */
  async botIdentity(channel: string): Promise<SenderIdentity | undefined> {
    const workspaces = await this.#workspaces().catch(() => this.#lastRead);
    const workspace =
      workspaces.find((one) => linkOf(one, channel, true)) ??
      workspaces.find((one) => isOffered(one) && one.defaultQueueId);
    return workspace && senderIdentity(workspace.chatBotUsername, workspace.chatBotIconUrl);
  }

  #workspaces(): Promise<readonly Workspace[]> {
    return this.#listed.get('all', async () => {
      const { items } = await this.#service.listWorkspaces({});
      this.#lastRead = items.map((one) => ({
        ...one,
        chatTriageChannels: one.chatTriageChannels.filter((channel) => mayBeIn(channel, this.#team)),
      }));
      return this.#lastRead;
    });
  }
}

/** Returns whether a linked channel belongs to a Slack workspace; if its record does not say, it may. */
export function mayBeIn(
  { contextTeamId, app }: Pick<Workspace['chatTriageChannels'][number], 'contextTeamId' | 'app'>,
  team: string,
): boolean {
  const named = contextTeamId ?? app?.teamId ?? team;
  return named === team;
}

/** Returns what the team's threads in a linked channel show: notes, if a service does not say. */
export function teamThreadOf(link: {
  teamThread?: Workspace['chatTriageChannels'][number]['teamThread'];
}): TeamThread {
  return teamThread.catch('notes').parse(link.teamThread);
}

function linkOf(
  { chatTriageChannels }: Workspace,
  channel: string,
  triage = false,
): Workspace['chatTriageChannels'][number] | undefined {
  return chatTriageChannels.find(
    (one) => one.channelId === channel && !one.deletedAt && (triage || one.type !== 'TRIAGE'),
  );
}

function isOffered({ settings }: Workspace): boolean {
  return settings?.visibleInChat !== false;
}
