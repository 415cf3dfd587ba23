import { z } from 'zod';

import { type Answer, AnsweredError, type Client } from '../../client/index.ts';
import { Cache } from '../../platform/cache.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Face, faceOf } from '../slack/face.ts';
import type { EmojiAction } from '../blocks/emoji.ts';

type Workspace = Answer<'listWorkspaces'>['items'][number];
export type Queue = Answer<'readQueue'>;

/** Where tickets of a channel go. */
export interface ChannelHome {
  workspaceId: string;
  queueId: string;
  /** The channel itself is linked to the queue, rather than falling back to the workspace's default. */
  linked: boolean;
  /** The channel is only watched for this queue: nothing may be written (B56). */
  observed?: boolean;
}

/** Which queue a channel is watched for; undefined for most. */
export type Watched = (channel: string) => Promise<{ queueId: string; workspaceId: string } | undefined>;

/** A channel that the service has linked to a queue. */
export interface ChannelLink {
  /** Of the record. */
  id: string;
  workspaceId: string;
  queueId: string;
  /** The queue's team works there; else people ask there. */
  triage: boolean;
}

const EmojiActions = z
  .record(
    z.string(),
    z.object({ action: z.string(), value: z.string().nullish() }).catch({ action: '', value: null }),
  )
  .catch({});

/** Queues kept at once. */
const KEEP_QUEUES = 500;

/** Which queue a chat channel belongs to (B7), read from the service's linked channels. */
export class ChannelHomes {
  readonly #service: Client;
  readonly #clock: Clock;
  readonly #team: string;
  readonly #watched: Watched;
  readonly #keepMs: number;
  readonly #queues: Cache<Queue | undefined>;
  #kept: { workspaces: readonly Workspace[]; readAt: number } | undefined;

  /**
   * @param team the chat workspace whose channels these are; others may be linked to the same queues.
   * @param keepMs how long what was read is used: links change rarely and are asked for with every message.
   */
  constructor(service: Client, clock: Clock, team: string, keepMs: number, watched: Watched) {
    this.#service = service;
    this.#team = team;
    this.#clock = clock;
    this.#keepMs = keepMs;
    this.#watched = watched;
    this.#queues = new Cache(KEEP_QUEUES, { clock, ms: keepMs });
  }

  /** Reads all links anew when next asked: one was changed just now. */
  forget(): void {
    this.#kept = undefined;
    this.#queues.clear();
  }

  /**
   * Undefined where neither the channel nor any workspace names a queue, and where the channel belongs to a workspace
   * that is not offered in chat (B45): its requests are not for another one.
   */
  async of(channel: string): Promise<ChannelHome | undefined> {
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

  /** All workspaces that the key can access, by id: a list that names none is the key's home workspace's. */
  async workspaceIds(): Promise<string[]> {
    return (await this.#workspaces()).map(({ id }) => id);
  }

  /** The workspaces that are offered in chat (B45), by id. */
  async offered(): Promise<string[]> {
    return (await this.#workspaces()).filter(isOffered).map(({ id }) => id);
  }

  /** The links of a channel to queues, the one for requests first. */
  async linksOf(channel: string): Promise<ChannelLink[]> {
    const links = (await this.#workspaces()).flatMap((workspace) =>
      workspace.chatTriageChannels.flatMap((one): ChannelLink[] =>
        one.channelId === channel && !one.deletedAt && one.queueId
          ? [{ id: one.id, workspaceId: workspace.id, queueId: one.queueId, triage: one.type === 'TRIAGE' }]
          : [],
      ),
    );
    return links.toSorted((a, b) => Number(a.triage) - Number(b.triage));
  }

  /** The first of the channels in which a queue's team works; undefined where none is linked. */
  async triageOf(queueId: string | undefined): Promise<string | undefined> {
    const [first] = await this.triagesOf(queueId);
    return first;
  }

  /** Whether a queue's team has a channel to work in, also where the bot may not look into it. */
  async hasTriage(queueId: string): Promise<boolean> {
    return (await this.triageOf(queueId)) !== undefined;
  }

  /** The channels in which a queue's team works. */
  async triagesOf(queueId: string | undefined): Promise<string[]> {
    const links = (await this.#workspaces()).flatMap((workspace) => workspace.chatTriageChannels);
    return links.flatMap((one) =>
      one.type === 'TRIAGE' && one.queueId === queueId && !one.deletedAt && one.channelId
        ? [one.channelId]
        : [],
    );
  }

  /** A queue with its settings; undefined where the service has none of this id, or none for this key. */
  queue(id: string): Promise<Queue | undefined> {
    return this.#queues.get(id, () =>
      this.#service.readQueue({ params: { id } }).catch((error: unknown) => {
        if (error instanceof AnsweredError && error.next === 'give-up') return undefined;
        throw error;
      }),
    );
  }

  /** What a reaction of each short name does in a workspace; entries of another shape do nothing. */
  async emojiActions(workspaceId: string): Promise<ReadonlyMap<string, EmojiAction>> {
    const workspace = (await this.#workspaces()).find(({ id }) => id === workspaceId);
    const actions = EmojiActions.parse(workspace?.chatEmojiActions);
    return new Map(
      Object.entries(actions).map(([name, { action, value }]) => [name, { action, value: value ?? '' }]),
    );
  }

  /** Whether a workspace's tickets are shown and opened in chat (B45). */
  async isOffered(workspaceId: string | undefined): Promise<boolean> {
    const workspace = (await this.#workspaces()).find(({ id }) => id === workspaceId);
    return workspace === undefined || isOffered(workspace);
  }

  /**
   * Whether people of chat may be made users (B10). Chat has one set of people for all workspaces, so one that keeps
   * them out (`disableChatUserSync`) keeps them out.
   */
  async syncsPeople(): Promise<boolean> {
    return !(await this.#workspaces()).some(({ settings }) => settings?.disableChatUserSync === true);
  }

  /**
   * The name and picture that a channel's workspace gives the bot (B44). A service that
   * is away keeps nothing from being said: then it is what was read last.
   */
  async botFace(channel: string): Promise<Face | undefined> {
    const workspaces = await this.#workspaces().catch(() => this.#kept?.workspaces ?? []);
    const workspace =
      workspaces.find((one) => linkOf(one, channel, true)) ??
      workspaces.find((one) => isOffered(one) && one.defaultQueueId);
    return workspace && faceOf(workspace.chatBotUsername, workspace.chatBotIconUrl);
  }

  async #workspaces(): Promise<readonly Workspace[]> {
    const now = this.#clock.now().getTime();
    if (this.#kept && now - this.#kept.readAt < this.#keepMs) return this.#kept.workspaces;
    const { items } = await this.#service.listWorkspaces({});
    const workspaces = items.map((one) => ({
      ...one,
      chatTriageChannels: one.chatTriageChannels.filter((channel) => mayBeIn(channel, this.#team)),
    }));
    this.#kept = { workspaces, readAt: now };
    return workspaces;
  }
}

/** Whether a linked channel is a chat workspace's; one whose record does not say may be anybody's. */
export function mayBeIn(
  { contextTeamId, app }: Pick<Workspace['chatTriageChannels'][number], 'contextTeamId' | 'app'>,
  team: string,
): boolean {
  const named = contextTeamId ?? app?.teamId ?? team;
  return named === team;
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
