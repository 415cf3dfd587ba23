import type { FastifyPluginAsync } from 'fastify';

import { pingDatabase } from '../platform/database/open.ts';
import { NotReady } from '../platform/http/index.ts';
import type { Running } from '../platform/lifecycle.ts';
import type { Log } from '../platform/log.ts';
import type { SlackConnection } from './health/check-chat.ts';
import { isBehind } from './health/check-work.ts';
import { asEnvelopeOf, addressOf } from './slack/workspace-of-envelope.ts';
import { HttpReceiver } from './slack/http-receiver.ts';
import type { ChatReceiver, Intake, ReceiverParts } from './slack/receiver.ts';
import { SocketReceiver } from './slack/socket-receiver.ts';
import { webhookEndpoint } from './entry/webhook.ts';
import { createBridgeMetrics } from './metrics.ts';
import { permalinkOf } from './slack/ids.ts';
import { isTrusted } from './people/trust.ts';
import type { VisibleChannel } from './slack/reader.ts';
import { ticketPage } from './features/ticket-page/plugin.ts';
import { type ChatWorkspace, openWorkspace, type WorkspaceOptions } from './workspace.ts';

/** Other workspaces that are named in the log. */
const FOREIGN_LOGGED = 20;

/** How Slack reaches us: Socket Mode, or signed HTTP at EVENTS_PATH. */
type Receives = { appToken: string } | { signingSecret: string };

export interface BridgeOptions extends Omit<
  WorkspaceOptions,
  'connection' | 'receiver' | 'bridgeMetrics' | 'onAway' | 'signal'
> {
  receives: Receives;
  /** Called with the URL of the webhook before it is registered. */
  expectWebhook: (url: string) => void;
  /** Called if the bridge can never work: Slack was unreachable at the start and then rejected the token. */
  failed: (error: unknown) => void;
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
  /** The name after the @. */
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
  /**
   * Connects to Slack and starts to work, as soon as it can be reached. Throws StartError if the service rejects the
   * key.
   */
  start(): Promise<void>;
  /** Returns what the bridge waits for, as a sentence without its end; undefined if for nothing. */
  waitsFor?(): string | undefined;
  /**
   * Rejects while this process cannot accept anything; resolves to a word while it waits for another system. `chat`
   * rejects until Slack was reached once: a new process replaces an old one only when it receives events.
   */
  readiness: { database(): Promise<void>; chat(): Promise<string>; jobs(): Promise<string> };
}

/**
 * Creates the bridge of one Slack workspace. Opens its database and reads the bot's identity. While Slack cannot be
 * reached the bridge goes on trying, and the programs beside it run without it.
 * @throws StartError if Slack rejects the token.
 */
export async function createBridge(options: BridgeOptions): Promise<BridgeProgram> {
  const { log, receives } = options;
  const bridgeMetrics = createBridgeMetrics(options.metrics);
  const stopping = new AbortController();
  const away = Promise.withResolvers<undefined>();
  let waitsFor: string | undefined;
  let workspace: ChatWorkspace | undefined;
  const open = async () => {
    workspace = await openWorkspace({
      ...options,
      bridgeMetrics,
      connection: () => slackConnection(receives, receiver),
      receiver: () => receiver,
      signal: stopping.signal,
      onAway: (reason) => {
        waitsFor = reason;
        away.resolve(undefined);
      },
    });
    waitsFor = undefined;
    options.expectWebhook(workspace.webhookUrl);
    return workspace;
  };
  const opened = () => (workspace ? [workspace] : []);
  const reconnected = () => opened().forEach((one) => requestFullReconcile(one, log));
  const foreign = new Set<string>();
  const intake: Intake = async (body, retry) => {
    // Slack sends it again.
    if (!workspace) throw new Error('the bridge has not started yet');
    const { bot } = workspace.bridge;
    const own = asEnvelopeOf(body, bot);
    if (own !== undefined) return workspace.intake(own, retry);
    const [team = 'unknown'] = addressOf(body, options.clock.now()).teams;
    // Each workspace is logged once, and only so many: their ids come from outside.
    if (!foreign.has(team) && foreign.size < FOREIGN_LOGGED) {
      foreign.add(team);
      log.warn(
        { event: 'envelope.of_another_workspace', team, own: bot.team },
        'an envelope of another Slack workspace with this app is ignored: this bridge has the token of one workspace',
      );
    }
    return undefined;
  };
  const receiver = createReceiver(options, { intake, reconnected, log, metrics: bridgeMetrics });
  const endpoints = endpointsFor(options, receiver, opened, () => workspace === undefined);
  const opening = open();
  await Promise.race([opening, away.promise]);

  const begin = async (one: ChatWorkspace) => {
    // Receiving comes first: the bridge may have to restore its data before it works, which takes time.
    await receiver.start();
    await one.start();
    await one.compareAll();
  };
  let beginning: Promise<unknown> = opening.catch(() => undefined);
  return {
    ...endpoints,
    waitsFor: () => waitsFor,
    threadUrl: async (channel, ts) => {
      const url = workspace?.bridge.bot.url;
      return url && permalinkOf(url, { channel, ts });
    },
    channels: () => channelsOf(opened()),
    members: () => chatMembers(opened()),
    readiness: {
      ...endpoints.readiness,
      chat: async () => {
        if (waitsFor !== undefined) throw new NotReady(waitsFor);
        return endpoints.readiness.chat();
      },
      database: async () => {
        for (const { bridge } of opened()) await pingDatabase(bridge.database.db);
      },
    },
    restoreLinks: async () => workspace?.restoreLinks(),
    async start() {
      if (workspace) return begin(workspace);
      beginning = opening.then(begin).catch((error: unknown) => {
        if (!stopping.signal.aborted) options.failed(error);
      });
    },
    async stop() {
      stopping.abort();
      await receiver.stop();
      await beginning;
      await workspace?.stop();
    },
  };
}

export async function channelsOf(workspaces: readonly ChatWorkspace[]): Promise<ChatChannel[]> {
  const all = workspaces.map(async ({ bridge: { bot, chat } }) =>
    (await chat.visibleChannels()).map((channel) => ({ ...channel, teamId: bot.team })),
  );
  return (await Promise.all(all)).flat();
}

export async function chatMembers(workspaces: readonly ChatWorkspace[]): Promise<ChatMember[]> {
  const all = workspaces.map(async ({ bridge: { bot, chat, trust } }) =>
    // Of a workspace that is not trusted, nobody is linked to a user.
    ((await isTrusted({ trust })) ? await chat.people(bot) : []).map(
      ({ id, firstName, lastName, displayName: handle, email }) => ({
        id,
        handle,
        email,
        teamId: bot.team,
        name: lastName ? `${firstName} ${lastName}` : firstName,
      }),
    ),
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
  options: Pick<BridgeOptions, 'clock' | 'command'>,
  receiver: ChatReceiver,
  workspaces: () => readonly ChatWorkspace[],
  isStarting?: () => boolean,
): { plugin: FastifyPluginAsync; readiness: Pick<BridgeProgram['readiness'], 'chat' | 'jobs'> } {
  let wasConnected = false;
  return {
    plugin: async (server) => {
      const targets = () => workspaces().map(({ webhookTarget }) => webhookTarget);
      await server.register(webhookEndpoint(targets, isStarting));
      await server.register(ticketPage(() => workspaces().map(({ bridge }) => bridge), options));
      if (receiver.plugin) await server.register(receiver.plugin);
    },
    readiness: {
      chat: async () => {
        if (receiver.connected) wasConnected = true;
        if (!wasConnected) throw new NotReady('Slack was not connected yet');
        return receiver.connected ? 'ok' : 'away';
      },
      jobs: async () => {
        const behind = await Promise.all(workspaces().map(({ engine }) => isBehind(engine)));
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

export function slackConnection(receives: Receives, receiver: ChatReceiver): SlackConnection {
  if (!('appToken' in receives)) return { by: 'http' };
  return { by: 'socket', state: receiver.connected ? 'connected' : 'not connected' };
}
