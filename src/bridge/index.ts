import { setTimeout as wait } from 'node:timers/promises';

import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';

import { AnsweredError, createClient, ServiceError } from '../client/index.ts';
import type { Clock } from '../platform/clock.ts';
import { migrate } from '../platform/database/migrate.ts';
import { openDatabase, pingDatabase } from '../platform/database/open.ts';
import type { NewId } from '../platform/ids.ts';
import { createLanes, type Lanes } from '../platform/lanes/index.ts';
import { type Running, StartError } from '../platform/lifecycle.ts';
import type { Log } from '../platform/log.ts';
import { createApp } from './app.ts';
import type { Bridge } from './bridge.ts';
import { ChatError } from './chat/errors.ts';
import { CHAT_QUEUE } from './chat/outbox.ts';
import { type BotIdentity, ChatReader, createWebClient } from './chat/reader.ts';
import { OutboxPayload, sendPlanned } from './chat/send.ts';
import { ChatWriter } from './chat/writer.ts';
import { prepareCall } from './flows/prepare-call.ts';
import { parseChatEvent } from './intake/chat-event.ts';
import { HttpReceiver } from './intake/http-receiver.ts';
import type { ChatReceiver, Intake } from './intake/receiver.ts';
import { SocketReceiver } from './intake/socket-receiver.ts';
import { COMMAND_QUEUE, CONVERSATION_QUEUE, storeChatEvent } from './intake/store.ts';
import { WEBHOOK_PATH, webhookDoor } from './intake/webhook-door.ts';
import { LanePayload, workLane } from './intake/work.ts';
import { ChannelHomes } from './links/channels.ts';
import { settingOr } from './links/settings.ts';
import { PARTS } from './reconcile/findings.ts';
import { createReconciler } from './reconcile/reconciler.ts';
import { askForAll, beginRounds, RECONCILE_QUEUE, ReconcilePayload, workRound } from './reconcile/rounds.ts';
import { registerWebhook } from './register-webhook.ts';
import { prune } from './retention.ts';
import { migrations } from './schema/migrations.ts';
import type { BridgeTables } from './schema/tables.ts';

export { EVENTS_PATH } from './intake/http-receiver.ts';
export { openParked } from './parked.ts';

export interface BridgeOptions {
  databaseUrl: string;
  service: { url: string; token: string; tokenHeader: string };
  chat: {
    botToken: string;
    /** How chat reaches us: Socket Mode, or signed HTTP at EVENTS_PATH. */
    receives: { appToken: string } | { signingSecret: string };
    apiUrl: string | undefined;
  };
  /** Where the service's webhooks reach us, and links lead; without a slash at the end. */
  publicUrl: string;
  /** Absent: one is made the first time and kept in the database, the same for all replicas. */
  webhookSecret: string | undefined;
  command: string;
  /** Conversations worked at once. */
  lanes: number;
  postsPerSecond: number;
  retentionDays: number;
  /** Milliseconds between two looks of reconciliation at the same thing. */
  reconcileEveryMs: number;
  /** Reads of chat that reconciliation may make a minute. */
  readsPerMinute: number;
  log: Log;
  clock: Clock;
  newId: NewId;
  random: () => number;
  /** 32 or more unguessable characters. */
  newSecret: () => string;
}

/** The bridge, ready to be started once its plugin is served. */
export interface BridgeProgram extends Running {
  /** The webhook door, and chat's where it comes by HTTP. */
  readonly plugin: FastifyPluginAsync;
  /** The URL that is registered with the service. */
  readonly webhookUrl: string;
  readonly lanes: Lanes<BridgeTables>;
  /** Connects to chat and begins to work. Throws StartError where the service refuses the key. */
  start(): Promise<void>;
  /** Rejects with what is not well. */
  readiness: { database(): Promise<void>; chat(): Promise<void> };
}

/** Where chat's response addresses are (https://docs.slack.dev/govslack for the second). */
const SLACK_HOOKS = ['https://hooks.slack.com', 'https://hooks.slack-gov.com'];
const PRUNE_EVERY_MS = 60 * 60 * 1000;
const REGISTER_AGAIN_MS = 5_000;
const STOP_GRACE_MS = 8_000;
/** What is younger than this may still be on its way as an event. */
const SETTLE_MS = 30_000;

/**
 * Opens the bridge's database and asks chat who it is. Waits for a chat that is away.
 * @throws StartError where chat refuses the token.
 */
export async function createBridge(options: BridgeOptions): Promise<BridgeProgram> {
  const { log, clock, newId } = options;
  const database = openDatabase<BridgeTables>({
    url: options.databaseUrl,
    schema: 'bridge',
    log,
    // Handlers of three queues, the intake and the door; a handler holds a connection only while it asks.
    poolSize: Math.min(options.lanes * 2 + 8, 40),
  });
  await migrate(database, migrations);
  const client = createWebClient(options.chat.botToken, options.chat.apiUrl);
  const chat = new ChatReader(client, clock);
  const writer = new ChatWriter(client);
  const stopping = new AbortController();
  const bot = await identityOf(chat, log);
  const service = createClient({
    baseUrl: options.service.url,
    token: options.service.token,
    tokenHeader: options.service.tokenHeader,
    now: () => clock.now(),
    random: options.random,
  });
  const bridge: Bridge = {
    database,
    service,
    chat,
    channels: new ChannelHomes(service, clock),
    bot,
    clock,
    newId,
    log,
    command: options.command,
    answersFrom: [...SLACK_HOOKS, ...(options.chat.apiUrl ? [new URL(options.chat.apiUrl).origin] : [])],
    publicUrl: options.publicUrl,
  };
  const pathToken = await settingOr(database.db, 'webhook-path-token', z.string(), options.newSecret());
  const secret =
    options.webhookSecret ??
    (await settingOr(database.db, 'webhook-secret', z.string(), options.newSecret()));
  const webhookUrl = `${options.publicUrl}${WEBHOOK_PATH}/${pathToken}`;

  const intake: Intake = async (body, retry) => {
    const event = parseChatEvent(body);
    if (!event) {
      log.warn(
        { event: 'inbox.unreadable' },
        'an envelope that tells nothing was acknowledged and passed over',
      );
      return;
    }
    const stored = await storeChatEvent(bridge, event, body);
    log.info(
      {
        event: 'inbox.stored',
        kind: event.kind,
        key: event.key,
        stored,
        retry: retry.attempt,
        reason: retry.reason,
      },
      'event of chat stored',
    );
  };
  const receiver = createReceiver(options, intake, () => {
    compareAll().catch((error: unknown) => log.warn({ err: error }, 'could not ask for a reconciliation'));
  });
  const app = createApp(bridge, receiver);
  const lanes = createLanes({ database, log, random: options.random });
  for (const queue of [CONVERSATION_QUEUE, COMMAND_QUEUE])
    lanes.work({
      queue,
      concurrency: options.lanes,
      parse: (payload) => LanePayload.parse(payload),
      handle: (job) => workLane(bridge, app, job),
    });
  lanes.work({
    queue: CHAT_QUEUE,
    concurrency: options.lanes,
    parse: (payload) => OutboxPayload.parse(payload),
    handle: (job) =>
      sendPlanned(bridge, job, {
        postsPerSecond: options.postsPerSecond,
        prepare: (row, body) => prepareCall(bridge, writer, row, body),
      }),
  });

  const reconciler = createReconciler(
    bridge,
    {
      everyMs: options.reconcileEveryMs,
      settleMs: Math.min(SETTLE_MS, options.reconcileEveryMs / 2),
      readsPerMinute: options.readsPerMinute,
      retentionDays: options.retentionDays,
    },
    stopping.signal,
  );
  lanes.work({
    queue: RECONCILE_QUEUE,
    concurrency: PARTS.length,
    parse: (payload) => ReconcilePayload.parse(payload),
    handle: (job) => workRound(reconciler, job),
  });
  /** Chat may have told things to nobody while it was not connected. */
  const compareAll = async () => {
    await askForAll(bridge);
    await lanes.hurry(RECONCILE_QUEUE);
  };

  let pruning: NodeJS.Timeout | undefined;
  let registering: Promise<void> | undefined;
  return {
    plugin: async (server) => {
      await server.register(webhookDoor({ bridge, pathToken, secrets: [secret] }));
      if (receiver.plugin) await server.register(receiver.plugin);
    },
    webhookUrl,
    lanes,
    readiness: {
      database: () => pingDatabase(database.db),
      chat: async () => {
        if (!receiver.connected) throw new Error('the connection to chat is down; it is being made again');
      },
    },
    async start() {
      await lanes.start();
      ({ background: registering } = await registerSoon(bridge, webhookUrl, secret, stopping.signal));
      await receiver.start();
      await beginRounds(bridge);
      await compareAll();
      pruning = setInterval(() => {
        prune(bridge, options.retentionDays).catch((error: unknown) =>
          log.warn({ err: error }, 'could not prune'),
        );
      }, PRUNE_EVERY_MS);
      pruning.unref();
    },
    async stop() {
      stopping.abort();
      clearInterval(pruning);
      await receiver.stop();
      await registering;
      await lanes.stop(STOP_GRACE_MS);
      await service.close();
      await database.close();
    },
  };
}

/** `reconnected` is called when chat reaches us again after it could not. */
function createReceiver(
  { chat, clock, log }: BridgeOptions,
  intake: Intake,
  reconnected: () => void,
): ChatReceiver {
  const { receives, apiUrl } = chat;
  return 'appToken' in receives
    ? new SocketReceiver({ appToken: receives.appToken, apiUrl, intake, reconnected, log })
    : new HttpReceiver({ signingSecret: receives.signingSecret, intake, reconnected, clock, log });
}

/** Brings the bridge's schema up to date and ends. */
export async function migrateBridge(databaseUrl: string, log: Log): Promise<void> {
  const database = openDatabase<BridgeTables>({ url: databaseUrl, schema: 'bridge', log, poolSize: 1 });
  try {
    await migrate(database, migrations);
  } finally {
    await database.close();
  }
}

const TRY_AGAIN_MS = 2_000;

/** A token that only a person can put right. */
const REFUSED_TOKEN = new Set([
  'account_inactive',
  'invalid_auth',
  'not_allowed_token_type',
  'not_authed',
  'token_expired',
  'token_revoked',
]);

async function identityOf(chat: ChatReader, log: Log): Promise<BotIdentity> {
  for (;;) {
    try {
      return await chat.identity();
    } catch (error) {
      if (!(error instanceof ChatError)) throw error;
      if (error.code !== undefined && REFUSED_TOKEN.has(error.code))
        throw new StartError(
          `Slack refuses SLACK_BOT_TOKEN (${error.code}). Copy the Bot User OAuth Token from the app's page under OAuth & Permissions, and reinstall the app if it was removed.`,
        );
      log.warn({ err: error }, 'chat cannot be reached; trying again');
      await wait(error.retryAfterMs ?? TRY_AGAIN_MS);
    }
  }
}

/**
 * Registers the webhook now, or, where the service is away, as soon as it is back: nothing is lost meanwhile.
 * @returns the work that still goes on in the background.
 */
async function registerSoon(
  bridge: Bridge,
  url: string,
  secret: string,
  signal: AbortSignal,
): Promise<{ background: Promise<void> }> {
  const attempt = async (): Promise<boolean> => {
    try {
      await registerWebhook(bridge, url, secret);
      return true;
    } catch (error) {
      if (error instanceof AnsweredError && (error.status === 401 || error.status === 403))
        throw new StartError(
          `The service refuses SERVICE_API_TOKEN (${error.status}). Make a key of role "agent" or "admin" in its settings, or with \`deskbridge keys create\`, and set it.`,
        );
      if (error instanceof AnsweredError && error.next === 'give-up')
        throw new StartError(
          `The service does not take the webhook ${new URL(url).origin}/… (${error.status}: ${error.detail ?? 'no reason given'}). Set PUBLIC_URL to an address at which the service reaches this process; a service of deskbridge on a private network also needs ALLOW_PRIVATE_WEBHOOKS=true.`,
        );
      if (!(error instanceof ServiceError)) throw error;
      bridge.log.warn({ err: error }, 'the webhook could not be registered yet; trying again');
      return false;
    }
  };
  const again = async (): Promise<void> => {
    for (;;) {
      try {
        await wait(REGISTER_AGAIN_MS, undefined, { signal });
        if (await attempt()) return;
      } catch (error) {
        if (signal.aborted) return;
        bridge.log.error({ err: error }, 'the service does not take the webhook; trying again');
      }
    }
  };
  return { background: (await attempt()) ? Promise.resolve() : again() };
}
