import type { Answer, Client } from '../../client/index.ts';
import type { Clock } from '../../platform/clock.ts';

type Workspace = Answer<'listWorkspaces'>['items'][number];

/** Where tickets of a channel go. */
export interface ChannelHome {
  workspaceId: string;
  queueId: string;
  /** The channel itself is linked to the queue, rather than falling back to the workspace's default. */
  linked: boolean;
}

/** Links change rarely and are asked for with every message. */
const KEEP_MS = 15_000;

/** Which queue a chat channel belongs to (B7), read from the service's linked channels. */
export class ChannelHomes {
  readonly #service: Client;
  readonly #clock: Clock;
  #kept: { workspaces: readonly Workspace[]; readAt: number } | undefined;

  constructor(service: Client, clock: Clock) {
    this.#service = service;
    this.#clock = clock;
  }

  /** Undefined where neither the channel nor any workspace names a queue. */
  async of(channel: string): Promise<ChannelHome | undefined> {
    const workspaces = await this.#workspaces();
    for (const workspace of workspaces) {
      const link = workspace.chatTriageChannels.find(
        (one) => one.channelId === channel && !one.deletedAt && one.type !== 'TRIAGE',
      );
      if (link?.queueId) return { workspaceId: workspace.id, queueId: link.queueId, linked: true };
    }
    const fallback = workspaces.find((workspace) => workspace.defaultQueueId);
    return fallback?.defaultQueueId
      ? { workspaceId: fallback.id, queueId: fallback.defaultQueueId, linked: false }
      : undefined;
  }

  /** The channel in which a queue's team works; undefined where none is linked. */
  async triageOf(queueId: string | undefined): Promise<string | undefined> {
    const links = (await this.#workspaces()).flatMap((workspace) => workspace.chatTriageChannels);
    return (
      links.find((one) => one.type === 'TRIAGE' && one.queueId === queueId && !one.deletedAt)?.channelId ??
      undefined
    );
  }

  async #workspaces(): Promise<readonly Workspace[]> {
    const now = this.#clock.now().getTime();
    if (this.#kept && now - this.#kept.readAt < KEEP_MS) return this.#kept.workspaces;
    const { items } = await this.#service.listWorkspaces({});
    this.#kept = { workspaces: items, readAt: now };
    return items;
  }
}
