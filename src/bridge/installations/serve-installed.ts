import { setTimeout as wait } from 'node:timers/promises';

import { createRegistry, type Metrics } from '../../platform/metrics.ts';
import { ChatError, REFUSED_TOKEN } from '../slack/errors.ts';
import { threadUrl } from '../threads/thread-url.ts';
import { inArrivalOrder } from '../inbox/arrival-order.ts';
import { createBridgeMetrics } from '../metrics.ts';
import {
  type BridgeOptions,
  type BridgeProgram,
  compareSoon,
  createReceiver,
  doorsOf,
  wayOf,
} from '../program.ts';
import { retireWebhook } from '../inbox/register-webhook.ts';
import { type ChatWorkspace, openWorkspace } from '../workspace.ts';
import { type Address, addressOf, readdressed } from './envelope.ts';
import { installPages } from './install-pages.ts';
import type { Installed, Installations } from './installations.ts';
import { OrganisationChannels } from './organisation-channels.ts';
import { teamsOf } from './organisation-teams.ts';
import { ServedWorkspaces, type Serving } from './served-workspaces.ts';
import { type AppCredentials, tokenOf } from './token.ts';

export interface InstalledOptions extends Omit<BridgeOptions, 'chat' | 'metrics' | 'schema'> {
  chat: { apiUrl: string | undefined };
  credentials: AppCredentials & { stateSecret: string };
  /** Opened; closed by whoever has opened it, after this has stopped. */
  installations: Installations;
  /** Whoever has it may install the app. */
  installKey: string;
  /** Each workspace counts by itself: has its figures printed with the others', until the answer is called. */
  addMetrics(metrics: Metrics): () => void;
  /** Called with the URL of each workspace's webhook before it is registered. */
  expectWebhook(url: string): void;
}

/** Conversations of one workspace that are worked at once: each has connections of its own, 17 at most. */
const CONCURRENCY_OF_EACH = 4;
/** Replicas hear of each other's installations so soon. */
const LOOK_EVERY_MS = 5_000;
/** Workspaces into which an organisation lets the app are asked for again, lest news of one were missed. */
const ASK_TEAMS_EVERY_MS = 10 * 60_000;
/** Whoever installs the app waits so long for it to be there, at most. */
const WELCOME_MS = 3_000;

/**
 * The bridge of every chat workspace in which the app is installed. What chat sends comes in by one door and is told
 * apart by its workspace; behind it each workspace has all that a bridge is by itself: its tables, lanes, budgets and
 * webhook. So the trouble of one (a token taken back, a storm of 429) is never another's.
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

  const intake = inArrivalOrder(async (body, retry) => {
    const address = addressOf(body, clock.now());
    if (address.news) {
      await hear(address, address.news);
      return undefined;
    }
    const team = (await teamOf(address)) ?? (await teamJustOpened(address));
    if (team !== undefined) {
      const workspace = served.get(team);
      // Chat is to send it again.
      if (!workspace) throw new Error(`the workspace ${team} is not served yet`);
      return workspace.intake(readdressed(body, team), retry);
    }
    log.warn(
      { event: 'envelope.of_nobody', teams: address.teams },
      'an envelope of a workspace that has not installed the app',
    );
    return undefined;
  });
  const ofTheDoor = createRegistry();
  options.addMetrics(ofTheDoor);
  const receiver = createReceiver(options, createBridgeMetrics(ofTheDoor), intake, () => {
    for (const workspace of served.all) compareSoon(workspace, log);
  });

  /** The workspace by whose bridge it is worked; undefined where the app is not installed there. */
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

  /** The same where an organisation lets the app into a workspace and nobody has told of it (yet). */
  async function teamJustOpened(address: Address): Promise<string | undefined> {
    const known = (await installations.organisations()).filter((id) => id === address.organisation);
    if (known.length === 0) return undefined;
    await askTeams(known);
    return teamOf(address);
  }

  async function hear({ teams, organisation }: Address, news: NonNullable<Address['news']>): Promise<void> {
    const all = await installations.organisations();
    const concerned = all.filter((id) => organisation === undefined || id === organisation);
    if (news.kind === 'access') await askTeams(concerned);
    // Of one workspace of an organisation: whether the others are left with the app, chat knows.
    else if (organisation !== undefined && teams.length > 0) await askTeams(concerned, news.at);
    else await installations.remove(organisation ?? teams[0] ?? '', news.at);
    void served.look();
  }

  /**
   * Asks chat into which workspaces organisations let the app: what is heard of it says less. Throws ChatError.
   * @param removedAt where it may have been removed from them: a token that chat refuses says that it was.
   */
  async function askTeams(organisations: readonly string[], removedAt?: Date): Promise<void> {
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

  /** The same of all, where the next time mends a failure. */
  async function askTeamsAgain(): Promise<void> {
    try {
      await askTeams(await installations.organisations());
    } catch (error) {
      log.warn({ err: error, event: 'organisation.not_asked' }, 'could not ask which workspaces are open');
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
      chat: { ...chat, botToken, within: channels.within(installed) },
      way: () => wayOf(receives, receiver),
    });
    const forget = options.addMetrics(metrics);
    const stop = async () => {
      forget();
      await workspace.stop();
    };
    try {
      options.expectWebhook(workspace.webhookUrl);
      await workspace.start();
      compareSoon(workspace, log);
      return { ...workspace, retire: () => retireWebhook(workspace.bridge), stop };
    } catch (error) {
      await stop();
      throw error;
    }
  }

  const doors = doorsOf(options, receiver, () => served.all);
  const timers: NodeJS.Timeout[] = [];
  return {
    plugin: async (server) => {
      await server.register(doors.plugin);
      const { publicUrl, scopes, installKey: key } = options;
      const welcome = async (id: string) => {
        await askTeamsAgain();
        await Promise.race([served.begun(id), wait(WELCOME_MS, undefined, { ref: false })]);
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
    readiness: {
      ...doors.readiness,
      database: async () => {
        await installations.all();
      },
    },
    async start() {
      await served.look();
      await receiver.start();
      void askTeamsAgain();
      timers.push(setInterval(() => void served.look(), LOOK_EVERY_MS).unref());
      timers.push(setInterval(() => void askTeamsAgain(), ASK_TEAMS_EVERY_MS).unref());
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await receiver.stop();
      await served.stop();
    },
  };
}
