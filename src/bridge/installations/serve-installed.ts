import { setTimeout as wait } from 'node:timers/promises';

import { z } from 'zod';

import { createRegistry, type Metrics } from '../../platform/metrics.ts';
import type { Sealing } from '../../platform/sealing.ts';
import { threadUrl } from '../flows/thread-url.ts';
import type { Intake } from '../intake/receiver.ts';
import { createBridgeMetrics } from '../metrics.ts';
import { type BridgeOptions, type BridgeProgram, createReceiver, doorsOf, wayOf } from '../program.ts';
import { retireWebhook } from '../register-webhook.ts';
import { type ChatWorkspace, openWorkspace } from '../workspace.ts';
import { installPages } from './install-pages.ts';
import { type Installed, Installations } from './installations.ts';
import { type AppCredentials, tokenOf } from './token.ts';

export interface InstalledOptions extends Omit<BridgeOptions, 'chat' | 'metrics' | 'schema'> {
  chat: { apiUrl: string | undefined };
  credentials: AppCredentials & { stateSecret: string };
  sealing: Sealing;
  /** Whoever has it may install the app. */
  installKey: string;
  /** Each workspace counts by itself: has its figures printed with the others', until the answer is called. */
  addMetrics(metrics: Metrics): () => void;
  /** Called with the URL of each workspace's webhook before it is registered. */
  expectWebhook(url: string): void;
}

/** Conversations of one workspace that are worked at once: each has connections of its own, 17 at most. */
const LANES_OF_EACH = 4;
/** Replicas hear of each other's installations so soon. */
const LOOK_EVERY_MS = 5_000;
/** Whoever installs the app waits so long for it to be there, at most. */
const WELCOME_MS = 3_000;
/** What begins again after it could not: the service away at the start, a token that chat refuses. */
const TRY_AGAIN_MS = 30_000;

/** Of an envelope: whose it is, and whether the app is there no more. */
const Envelope = z.object({
  team_id: z.string().optional().catch(undefined),
  team: z.object({ id: z.string() }).optional().catch(undefined),
  event_time: z.number().optional().catch(undefined),
  event: z
    .object({
      type: z.string(),
      tokens: z
        .object({ bot: z.array(z.string()) })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
});
type Envelope = z.infer<typeof Envelope>;

/** Whether the app was removed, or its bot's token taken back (https://docs.slack.dev/reference/events/tokens_revoked). */
function isFarewell({ event }: Envelope): boolean {
  if (event?.type === 'app_uninstalled') return true;
  return event?.type === 'tokens_revoked' && (event.tokens?.bot.length ?? 0) > 0;
}

/** Chat tells the second in which it was. */
function farewellAt({ event_time }: Envelope, now: Date): Date {
  return event_time === undefined ? now : new Date((event_time + 1) * 1000);
}

interface Served {
  /** Undefined until it is served. */
  workspace: ChatWorkspace | undefined;
  beginning: Promise<void>;
  stop: () => Promise<void>;
}

/**
 * The bridge of every chat workspace in which the app is installed. What chat sends comes in by one door and is told
 * apart by its workspace; behind it each workspace has all that a bridge is by itself: its tables, lanes, budgets and
 * webhook. So the trouble of one (a token taken back, a storm of 429) is never another's.
 */
export async function createInstalledBridge(options: InstalledOptions): Promise<BridgeProgram> {
  const { log, clock, receives, credentials, chat } = options;
  const installations = await Installations.open(options);
  const served = new Map<string, Served>();
  const workspaces = () => [...served.values()].flatMap(({ workspace }) => (workspace ? [workspace] : []));

  const intake: Intake = async (body, retry) => {
    const envelope = Envelope.safeParse(body).data ?? {};
    const team = envelope.team_id ?? envelope.team?.id;
    if (team !== undefined && isFarewell(envelope)) {
      await installations.remove(team, farewellAt(envelope, clock.now()));
      void look();
      return undefined;
    }
    const found = team === undefined ? undefined : await workspaceOf(team);
    if (found) return found.intake(body, retry);
    log.warn(
      { event: 'envelope.of_nobody', team },
      'an envelope of a workspace that has not installed the app',
    );
    return undefined;
  };
  const ofTheDoor = createRegistry();
  options.addMetrics(ofTheDoor);
  const receiver = createReceiver(options, createBridgeMetrics(ofTheDoor), intake, () => {
    for (const workspace of workspaces()) compare(workspace);
  });

  /** Undefined where the app is not installed there. Rejects while it begins: chat is to send it again. */
  async function workspaceOf(team: string): Promise<ChatWorkspace | undefined> {
    const known = served.get(team)?.workspace;
    if (known) return known;
    if (!(await installations.grant(team))) return undefined;
    void look();
    throw new Error(`the workspace ${team} is not served yet`);
  }

  function compare(workspace: ChatWorkspace): void {
    workspace
      .compareAll()
      .catch((error: unknown) => log.warn({ err: error }, 'could not ask for a reconciliation'));
  }

  let looking: Promise<void> = Promise.resolve();
  let isStopping = false;
  /** Serves who has installed the app, and nobody else; one look after the other. */
  function look(): Promise<void> {
    looking = looking.then(async () => {
      if (isStopping) return;
      const installed = await installations.all();
      for (const [team, one] of served)
        if (!installed.some((known) => known.team === team)) {
          served.delete(team);
          void letGo(team, one);
        }
      for (const one of installed) if (!served.has(one.team)) served.set(one.team, serve(one));
    });
    return looking.catch((error: unknown) => {
      looking = Promise.resolve();
      log.warn({ err: error }, 'could not look who has installed the app');
    });
  }

  /** The app was removed: nothing is asked of the service for it any more. Everything that is kept stays. */
  async function letGo(team: string, { workspace, stop }: Served): Promise<void> {
    if (workspace) await retireWebhook(workspace.bridge);
    await stop();
    log.info({ event: 'workspace.let_go', team }, 'a chat workspace has removed the app');
  }

  /** Begins to serve a workspace, beside the others: it may have to wait for chat. */
  function serve(installed: Installed): Served {
    const { team, name } = installed;
    const ended = new AbortController();
    const isOver = () => ended.signal.aborted;
    const one: Served = { workspace: undefined, beginning: Promise.resolve(), stop };
    one.beginning = begin();
    return one;

    async function begin(): Promise<void> {
      while (!isOver())
        try {
          const workspace = await open(installed);
          if (isOver()) {
            await workspace.stop();
            return;
          }
          one.workspace = workspace;
          compare(workspace);
          log.info({ event: 'workspace.served', team, name }, 'a chat workspace is served');
          return;
        } catch (error) {
          log.error(
            { err: error, event: 'workspace.not_served', team, name },
            'a workspace cannot be served',
          );
          await wait(TRY_AGAIN_MS, undefined, { signal: ended.signal }).catch(() => undefined);
        }
    }

    async function stop(): Promise<void> {
      ended.abort();
      const { workspace } = one;
      one.workspace = undefined;
      await workspace?.stop();
    }
  }

  async function open({ team, schema }: Installed): Promise<ChatWorkspace> {
    const metrics = createRegistry();
    metrics.setDefaultLabels({ chat_workspace: team });
    const botToken = tokenOf(installations, team, { clock, apiUrl: chat.apiUrl, credentials });
    const workspace = await openWorkspace({
      ...options,
      lanes: Math.min(options.lanes, LANES_OF_EACH),
      log: log.child({ team }),
      metrics,
      schema,
      chat: { ...chat, botToken },
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
      return { ...workspace, stop };
    } catch (error) {
      await stop();
      throw error;
    }
  }

  const doors = doorsOf(options, receiver, workspaces);
  let timer: NodeJS.Timeout | undefined;
  return {
    plugin: async (server) => {
      await server.register(doors.plugin);
      const { publicUrl, scopes, installKey: key } = options;
      const installed = async (team: string) => {
        await look();
        await Promise.race([served.get(team)?.beginning, wait(WELCOME_MS)]);
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
          installed,
        }),
      );
    },
    threadUrl: (channel, ts) =>
      threadUrl(
        workspaces().map(({ bridge }) => bridge),
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
      await look();
      await receiver.start();
      timer = setInterval(() => void look(), LOOK_EVERY_MS);
      timer.unref();
    },
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await receiver.stop();
      await looking.catch(() => undefined);
      await Promise.all([...served.values()].map(({ stop }) => stop()));
      await installations.close();
    },
  };
}
