import { inTime } from '../../platform/in-time.ts';
import { createRegistry, type Metrics } from '../../platform/metrics.ts';
import { ChatError, REFUSED_TOKEN } from '../slack/errors.ts';
import { threadUrl } from '../threads/message-text.ts';
import { createBridgeMetrics } from '../metrics.ts';
import {
  type BridgeOptions,
  type BridgeProgram,
  requestFullReconcile,
  createReceiver,
  channelsOf,
  chatMembers,
  endpointsFor,
  slackConnection,
} from '../program.ts';
import { retireWebhook } from '../entry/webhook.ts';
import type { Intake } from '../slack/receiver.ts';
import { type ChatWorkspace, openWorkspace } from '../workspace.ts';
import { inArrivalOrder } from './arrival-order.ts';
import { type Address, addressOf, withTeam } from '../slack/workspace-of-envelope.ts';
import { installPages, type AppCredentials, tokenOf } from './install-pages.ts';
import type { Installed, Installations } from './installations.ts';
import { OrganisationChannels, teamsOf } from './organisation.ts';
import { ServedWorkspaces, type Serving } from './served-workspaces.ts';

interface InstalledOptions extends Omit<BridgeOptions, 'chat' | 'metrics' | 'schema'> {
  chat: { apiUrl: string | undefined };
  credentials: AppCredentials & { stateSecret: string };
  /** Opened and, after this has stopped, closed by the caller. */
  installations: Installations;
  installKey: string;
  /** Each workspace has its own metrics: adds them to the others, until the returned function is called. */
  addMetrics(metrics: Metrics): () => void;
  /** Called with the URL of each workspace's webhook before it is registered. */
  expectWebhook(url: string): void;
}

/** Concurrent conversations per workspace: each has its own connections, 17 at most. */
const CONCURRENCY_OF_EACH = 4;
/** Interval at which replicas notice each other's installations. */
const LOOK_EVERY_MS = 5_000;
/** Interval at which an organisation's workspaces are read again, in case an event was lost. */
const REFRESH_TEAMS_EVERY_MS = 10 * 60_000;
/** Maximum wait of the install page for the workspace to be served. */
const WELCOME_MS = 3_000;

/**
 * Serves every Slack workspace with the app. Events arrive at one endpoint and are separated by workspace; each
 * workspace has its own tables, work, budgets and webhook. So one workspace's problem (a revoked token, a storm of 429)
 * does not affect another.
 */
export function createInstalledBridge(options: InstalledOptions): BridgeProgram {
  const { log, clock, receives, credentials, chat, installations } = options;
  const channels = new OrganisationChannels(installations);
  const served = new ServedWorkspaces({
    installed: () => installations.all(),
    open,
    left: () => channels.forget(),
    log,
  });

  const inOrder = inArrivalOrder<Awaited<ReturnType<Intake>>>();
  const intake: Intake = (body, retry) =>
    inOrder(body, async () => {
      const address = addressOf(body, clock.now());
      const { installationChange } = address;
      if (installationChange) await updateInstallations(address, installationChange);
      const workspace = installationChange ? undefined : await workspaceOf(address);
      return async () => workspace?.intake(withTeam(body, workspace.bridge.bot.team), retry);
    });
  const receiverMetrics = createRegistry();
  options.addMetrics(receiverMetrics);
  const receiver = createReceiver(options, {
    intake,
    reconnected: () => served.all.forEach((workspace) => requestFullReconcile(workspace, log)),
    log,
    metrics: createBridgeMetrics(receiverMetrics),
  });

  /** Returns the served workspace that handles an event; undefined if none of its workspaces has installed the app. */
  async function workspaceOf(address: Address): Promise<ChatWorkspace | undefined> {
    const team = (await teamOf(address)) ?? (await teamJustOpened(address));
    if (team === undefined) {
      log.warn(
        { event: 'envelope.of_nobody', teams: address.teams },
        'an envelope of a workspace that has not installed the app',
      );
      return undefined;
    }
    const workspace = served.get(team);
    // The error makes Slack send it again.
    if (!workspace) throw new Error(`the workspace ${team} is not served yet`);
    return workspace;
  }

  /** Returns the workspace that handles it; undefined if the app is not installed there. */
  async function teamOf({ teams, channel }: Address): Promise<string | undefined> {
    let installed = teams.map((team) => served.installed(team)).find((one) => one !== undefined);
    if (!installed) {
      const all = await installations.all();
      installed = teams.map((team) => all.find((one) => one.team === team)).find((one) => one !== undefined);
      if (installed) void served.look();
    }
    if (installed?.organisation === undefined || channel === undefined) return installed?.team;
    return channels.homeOf(installed.organisation, channel, installed.team);
  }

  /** The same for a workspace that an organisation has just added without an event (yet). */
  async function teamJustOpened(address: Address): Promise<string | undefined> {
    const known = (await installations.organisations()).filter((id) => id === address.organisation);
    if (known.length === 0) return undefined;
    await readTeamsOf(known);
    return teamOf(address);
  }

  async function updateInstallations(
    { teams, organisation }: Address,
    change: NonNullable<Address['installationChange']>,
  ): Promise<void> {
    const all = await installations.organisations();
    const concerned = all.filter((id) => organisation === undefined || id === organisation);
    if (change.kind === 'access') await readTeamsOf(concerned);
    // Removed from one workspace of an organisation: Slack knows which others keep the app.
    else if (organisation !== undefined && teams.length > 0) await readTeamsOf(concerned, change.at);
    else await installations.remove(organisation ?? teams[0] ?? '', change.at);
    void served.look();
  }

  /**
   * Reads from Slack in which workspaces organisations allow the app, because events say less. Throws ChatError.
   * @param removedAt set if it may have been removed from them: a rejected token confirms it.
   */
  async function readTeamsOf(organisations: readonly string[], removedAt?: Date): Promise<void> {
    const asked = organisations.map(async (organisation) => {
      const token = tokenOf(installations, organisation, { clock, apiUrl: chat.apiUrl, credentials });
      try {
        await installations.open(organisation, await teamsOf(await token(), chat.apiUrl));
      } catch (error) {
        const isGone =
          error instanceof ChatError && error.code !== undefined && REFUSED_TOKEN.has(error.code);
        if (!isGone || !removedAt) throw error;
        await installations.remove(organisation, removedAt);
      }
    });
    await Promise.allSettled(asked);
    await Promise.all(asked);
  }

  /** The same for all; the next run repairs a failure. */
  async function refreshTeams(): Promise<void> {
    try {
      await readTeamsOf(await installations.organisations());
    } catch (error) {
      log.warn(
        { err: error, event: 'organisation.not_asked' },
        'could not read the workspaces of an organisation',
      );
    }
    await served.look();
  }

  async function open(installed: Installed): Promise<ChatWorkspace & Serving> {
    const { team, schema, installation } = installed;
    const metrics = createRegistry();
    metrics.setDefaultLabels({ chat_workspace: team });
    const botToken = tokenOf(installations, installation, { clock, apiUrl: chat.apiUrl, credentials });
    const workspace = await openWorkspace({
      ...options,
      concurrency: Math.min(options.concurrency, CONCURRENCY_OF_EACH),
      log: log.child({ team }),
      metrics,
      schema,
      isFirst: await installations.isFirst(team),
      chat: { ...chat, botToken, within: channels.within(installed) },
      connection: () => slackConnection(receives, receiver),
      receiver: () => receiver,
      sealing: installations.sealing,
    });
    const forget = options.addMetrics(metrics);
    const stop = async () => {
      forget();
      await workspace.stop();
    };
    try {
      options.expectWebhook(workspace.webhookUrl);
      await workspace.start();
      requestFullReconcile(workspace, log);
      return { ...workspace, retire: () => retireWebhook(workspace.bridge), stop };
    } catch (error) {
      await stop();
      throw error;
    }
  }

  const endpoints = endpointsFor(options, receiver, () => served.all);
  const timers: NodeJS.Timeout[] = [];
  return {
    plugin: async (server) => {
      await server.register(endpoints.plugin);
      const { publicUrl, scopes, installKey: key } = options;
      const welcome = async (id: string) => {
        await refreshTeams();
        await inTime(WELCOME_MS, served.begun(id));
      };
      await server.register(
        installPages({
          installations,
          credentials,
          key,
          scopes,
          publicUrl,
          apiUrl: chat.apiUrl,
          log,
          installed: welcome,
        }),
      );
    },
    threadUrl: (channel, ts) =>
      threadUrl(
        served.all.map(({ bridge }) => bridge),
        channel,
        ts,
      ),
    channels: () => channelsOf(served.all),
    members: () => chatMembers(served.all),
    readiness: {
      ...endpoints.readiness,
      database: async () => {
        await installations.all();
      },
    },
    async start() {
      await served.look();
      await receiver.start();
      void refreshTeams();
      timers.push(setInterval(() => void served.look(), LOOK_EVERY_MS).unref());
      timers.push(setInterval(() => void refreshTeams(), REFRESH_TEAMS_EVERY_MS).unref());
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await receiver.stop();
      await served.stop();
    },
  };
}
