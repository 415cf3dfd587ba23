import type { FastifyPluginAsync } from 'fastify';

import { pingDatabase } from '../platform/database/open.ts';
import type { Running } from '../platform/lifecycle.ts';
import type { Log } from '../platform/log.ts';
import type { SlackConnection } from './health/check-chat.ts';
import { isBehind } from './health/check-work.ts';
import { addressedTo } from './installations/envelope.ts';
import { HttpReceiver } from './slack/http-receiver.ts';
import type { ChatReceiver, Intake, ReceiverParts } from './slack/receiver.ts';
import { SocketReceiver } from './slack/socket-receiver.ts';
import { webhookEndpoint } from './inbox/webhook.ts';
import { permalinkOf } from './slack/ids.ts';
import type { VisibleChannel } from './slack/reader.ts';
import { ticketPage } from './features/ticket-page/plugin.ts';
import { type ChatWorkspace, openWorkspace, type WorkspaceOptions } from './workspace.ts';

/** How Slack reaches us: Socket Mode, or signed HTTP at EVENTS_PATH. */
type Receives = { appToken: string } | { signingSecret: string };

export interface BridgeOptions extends Omit<WorkspaceOptions, 'connection'> {
  receives: Receives;
  /** The desk's URL, without a trailing slash; undefined if unknown. */
  deskUrl: string | undefined;
}

/** A channel of a Slack workspace. */
export interface ChatChannel extends VisibleChannel {
  /** The id of its workspace. */
  teamId: string;
}

/** A person of a Slack workspace. */
export interface ChatMember {
  id: string;
  name: string;
  /** What follows the @. */
  handle: string;
  /** Undefined for people of other organisations. */
  email: string | undefined;
  teamId: string;
}

/** The bridge, to be started once its plugin is served. */
export interface BridgeProgram extends Running {
  /** The webhook endpoint, ticket pages, and Slack's request URL with HTTP. */
  readonly plugin: FastifyPluginAsync;
  /** Returns the URL of a ticket's thread in Slack; undefined if unknown. Never rejects. */
  threadUrl(channel: string, ts: string): Promise<string | undefined>;
  /** Returns the channels of all workspaces that their bots can see. Throws ChatError. */
  channels(): Promise<ChatChannel[]>;
  /** Returns the active people of all workspaces, without bots. Throws ChatError. */
  members(): Promise<ChatMember[]>;
  /** Restores from Slack and the service which tickets already have a thread; before `start`. */
  restoreLinks?(): Promise<void>;
  /** Connects to Slack and starts to work. Throws StartError if the service rejects the key. */
  start(): Promise<void>;
  /**
   * Rejects while this process cannot accept anything; resolves to a word while it waits for another system. `chat`
   * rejects until Slack was reached once: a new process replaces an old one only when it receives events.
   */
  readiness: { database(): Promise<void>; chat(): Promise<string>; jobs(): Promise<string> };
}

/**
 * Creates the bridge of one Slack workspace. Opens its database and reads the bot's identity; waits while Slack is
 * unavailable.
 * @throws StartError if Slack rejects the token.
 */
export async function createBridge(
  options: BridgeOptions,
): Promise<BridgeProgram & Pick<ChatWorkspace, 'webhookUrl'>> {
  const { log, receives } = options;
  const workspace = await openWorkspace({ ...options, connection: () => connectionOf(receives, receiver) });
  const { bridge, webhookUrl } = workspace;
  const reconnected = () => requestFullReconcile(workspace, log);
  const intake: Intake = (body, retry) => workspace.intake(addressedTo(body, bridge.bot.team), retry);
  const receiver = createReceiver(options, { intake, reconnected, log, metrics: bridge.metrics });
  const endpoints = endpointsFor(options, receiver, () => [workspace]);
  return {
    webhookUrl,
    ...endpoints,
    threadUrl: async (channel, ts) => bridge.bot.url && permalinkOf(bridge.bot.url, { channel, ts }),
    channels: () => channelsOf([workspace]),
    members: () => membersOf([workspace]),
    readiness: { ...endpoints.readiness, database: () => pingDatabase(bridge.database.db) },
    restoreLinks: () => workspace.restoreLinks(),
    async start() {
      // Receiving comes first: the bridge may have to restore its data before it works, which takes time.
      await receiver.start();
      await workspace.start();
      await workspace.compareAll();
    },
    async stop() {
      await receiver.stop();
      await workspace.stop();
    },
  };
}

export async function channelsOf(workspaces: readonly ChatWorkspace[]): Promise<ChatChannel[]> {
  const all = workspaces.map(async ({ bridge: { bot, chat } }) =>
    (await chat.visibleChannels()).map((channel) => ({ ...channel, teamId: bot.team })),
  );
  return (await Promise.all(all)).flat();
}

export async function membersOf(workspaces: readonly ChatWorkspace[]): Promise<ChatMember[]> {
  const all = workspaces.map(async ({ bridge: { bot, chat } }) =>
    (await chat.people(bot)).map(({ id, firstName, lastName, displayName: handle, email }) => ({
      ...{ id, handle, email, teamId: bot.team },
      name: lastName ? `${firstName} ${lastName}` : firstName,
    })),
  );
  return (await Promise.all(all)).flat();
}

/** Requests a full reconciliation: events may have been lost until now. */
export function requestFullReconcile(workspace: ChatWorkspace, log: Log): void {
  workspace
    .compareAll()
    .catch((error: unknown) => log.warn({ err: error }, 'could not request a reconciliation'));
}

/** Returns what workspaces share: the endpoints for Slack and the service, and the readiness checks. */
export function endpointsFor(
  options: Pick<BridgeOptions, 'clock' | 'command' | 'deskUrl'>,
  receiver: ChatReceiver,
  workspaces: () => readonly ChatWorkspace[],
): { plugin: FastifyPluginAsync; readiness: Pick<BridgeProgram['readiness'], 'chat' | 'jobs'> } {
  let wasConnected = false;
  return {
    plugin: async (server) => {
      await server.register(webhookEndpoint(() => workspaces().map(({ webhookTarget }) => webhookTarget)));
      await server.register(ticketPage(() => workspaces().map(({ bridge }) => bridge), options));
      if (receiver.plugin) await server.register(receiver.plugin);
    },
    readiness: {
      chat: async () => {
        if (receiver.connected) wasConnected = true;
        if (!wasConnected) throw new Error('chat was not reached yet');
        return receiver.connected ? 'ok' : 'away';
      },
      jobs: async () => {
        const behind = await Promise.all(workspaces().map(({ jobs }) => isBehind(jobs)));
        return behind.includes(true) ? 'behind' : 'ok';
      },
    },
  };
}

export function createReceiver(
  {
    receives,
    chat,
    clock,
  }: Pick<BridgeOptions, 'receives' | 'clock'> & { chat: { apiUrl: string | undefined } },
  parts: ReceiverParts,
): ChatReceiver {
  return 'appToken' in receives
    ? new SocketReceiver({ ...parts, appToken: receives.appToken, apiUrl: chat.apiUrl })
    : new HttpReceiver({ ...parts, signingSecret: receives.signingSecret, clock });
}

export function connectionOf(receives: Receives, receiver: ChatReceiver): SlackConnection {
  if (!('appToken' in receives)) return { by: 'http' };
  return { by: 'socket', state: receiver.connected ? 'connected' : 'not connected' };
}
