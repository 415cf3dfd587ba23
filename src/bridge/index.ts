import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';

import { pingDatabase } from '../platform/database/open.ts';
import { createLanes, type Lanes } from '../platform/lanes/index.ts';
import type { Running } from '../platform/lifecycle.ts';
import type { Metrics } from '../platform/metrics.ts';
import { createApp } from './app.ts';
import { CHAT_QUEUE } from './chat/outbox.ts';
import { OutboxPayload, sendPlanned } from './chat/send.ts';
import { answerAtOnce } from './flows/answer-at-once.ts';
import { answersSince } from './flows/answer-outside.ts';
import { beginReceipts, RECEIPT_QUEUE, ReceiptPayload, sweepReceipts } from './flows/mark-receipts.ts';
import { openModal } from './flows/open-modal.ts';
import { prepareCall } from './flows/prepare-call.ts';
import { beginReminders, REMINDER_QUEUE, ReminderPayload, workReminders } from './flows/remind-team.ts';
import { askForReport } from './flows/report-undelivered.ts';
import { NOTICE_QUEUE, NoticePayload, noticesSince, tellPeople } from './flows/tell-people.ts';
import { isBehind } from './health/check-work.ts';
import { startWatch } from './health/watch.ts';
import { PROCESS_NAME } from './health/work-facts.ts';
import { parseChatEvent } from './intake/chat-event.ts';
import { HttpReceiver } from './intake/http-receiver.ts';
import { personNews } from './intake/person-news.ts';
import type { ChatReceiver, Intake } from './intake/receiver.ts';
import { SocketReceiver } from './intake/socket-receiver.ts';
import { COMMAND_QUEUE, CONVERSATION_QUEUE, storeChatEvent } from './intake/store.ts';
import { WEBHOOK_PATH, webhookDoor } from './intake/webhook-door.ts';
import { LanePayload } from './intake/lane-payload.ts';
import { workLane } from './intake/work.ts';
import { permalinkOf } from './links/ids.ts';
import { settingOr } from './links/settings.ts';
import { type BridgeMetrics, registerBridgeGauges } from './metrics.ts';
import { type ConnectOptions, openBridge } from './open.ts';
import { ticketPage } from './page/plugin.ts';
import { PARTS } from './reconcile/findings.ts';
import { createReconciler } from './reconcile/reconciler.ts';
import { askForAll, beginRounds, RECONCILE_QUEUE, ReconcilePayload, workRound } from './reconcile/rounds.ts';
import { keepWebhook, registerSoon } from './register-webhook.ts';
import { prune } from './retention.ts';
import type { BridgeTables } from './schema/tables.ts';

export type { ConnectOptions } from './open.ts';
export { migrateBridge } from './open.ts';
export { EVENTS_PATH } from './intake/http-receiver.ts';
export { type Doctor, type DoctorOptions, openDoctor } from './health/doctor.ts';
export type { Finding } from './health/finding.ts';
export { openParked } from './parked.ts';
export { type KnownPerson, openPeople, type PeopleTable } from './people.ts';
export { openReconciliation } from './reconcile/compare.ts';

export interface BridgeOptions extends ConnectOptions {
  chat: ConnectOptions['chat'] & {
    /** How chat reaches us: Socket Mode, or signed HTTP at EVENTS_PATH. */
    receives: { appToken: string } | { signingSecret: string };
  };
  /** Absent: one is made the first time and kept in the database, the same for all replicas. */
  webhookSecret: string | undefined;
  /** Conversations worked at once. */
  lanes: number;
  postsPerSecond: number;
  /** Milliseconds after which a message that waits for the service is marked. */
  markAfterMs: number;
  retentionDays: number;
  /** Milliseconds between two looks of reconciliation at the same thing. */
  reconcileEveryMs: number;
  /** Milliseconds between two looks at the bridge's own health. */
  healthEveryMs: number;
  /** The scopes that the app's manifest asks for. */
  scopes: readonly string[];
  /** The id of the channel in which admins are told of what turns bad; absent: nobody is. */
  adminChannel: string | undefined;
  metrics: Metrics;
  /** Reads of chat that reconciliation may make a minute. */
  readsPerMinute: number;
}

/** The bridge, ready to be started once its plugin is served. */
export interface BridgeProgram extends Running {
  /** The webhook door, and chat's where it comes by HTTP. */
  readonly plugin: FastifyPluginAsync;
  /** The URL that is registered with the service. */
  readonly webhookUrl: string;
  readonly lanes: Lanes<BridgeTables>;
  /** Where people open a message of chat; undefined while chat has not said where the workspace is. */
  messageUrl(channel: string, ts: string): string | undefined;
  /** Connects to chat and begins to work. Throws StartError where the service refuses the key. */
  start(): Promise<void>;
  /**
   * Rejects while this process can take nothing; what waits for another system is a word. `chat` rejects until chat
   * was reached once: a new process takes the place of an old one only when it hears.
   */
  readiness: { database(): Promise<void>; chat(): Promise<string>; lanes(): Promise<string> };
}

const PRUNE_EVERY_MS = 60 * 60 * 1000;
const STOP_GRACE_MS = 8_000;
/** What is younger than this may still be on its way as an event. */
const SETTLE_MS = 30_000;

/**
 * Opens the bridge's database and asks chat who it is. Waits for a chat that is away.
 * @throws StartError where chat refuses the token.
 */
export async function createBridge(options: BridgeOptions): Promise<BridgeProgram> {
  const { log } = options;
  // Handlers of four queues, the intake and the door; a handler holds a connection only while it asks.
  const poolSize = Math.min(options.lanes * 2 + 8, 40);
  const { bridge, writer, close } = await openBridge({ ...options, poolSize, name: PROCESS_NAME });
  const { database } = bridge;
  const stopping = new AbortController();
  const pathToken = await settingOr(database.db, 'webhook-path-token', z.string(), options.newSecret());
  const secret =
    options.webhookSecret ??
    (await settingOr(database.db, 'webhook-secret', z.string(), options.newSecret()));
  const webhookUrl = `${options.publicUrl}${WEBHOOK_PATH}/${pathToken}`;

  const intake: Intake = async (body, retry) => {
    const event = parseChatEvent(body);
    const atOnce = await answerAtOnce(bridge, event, body);
    if (atOnce) return atOnce.says;
    if (!event) {
      log.warn(
        { event: 'inbox.unreadable' },
        'an envelope that tells nothing was acknowledged and passed over',
      );
      return undefined;
    }
    const kept = event.kind === 'person' ? await personNews(bridge, event) : body;
    if (kept === undefined) return undefined;
    const stored = await storeChatEvent(bridge, event, kept);
    if (stored === 'new') void openModal(bridge, event);
    const repetition = retry.attempt > 0 ? 'yes' : 'no';
    bridge.metrics.events.inc({ source: 'chat', kind: event.kind, stored, retry: repetition });
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
    return undefined;
  };
  const receiver = createReceiver(options, bridge.metrics, intake, () => {
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
        parked: askForReport,
      }),
  });

  lanes.work({
    queue: NOTICE_QUEUE,
    concurrency: options.lanes,
    parse: (payload) => NoticePayload.parse(payload),
    handle: (job) => tellPeople(bridge, job),
  });

  lanes.work({
    queue: REMINDER_QUEUE,
    concurrency: 2,
    parse: (payload) => ReminderPayload.parse(payload),
    handle: async (job) => workReminders(bridge, job, await noticesSince(bridge)),
  });

  lanes.work({
    queue: RECEIPT_QUEUE,
    concurrency: 1,
    parse: (payload) => ReceiptPayload.parse(payload),
    handle: (job) => sweepReceipts(bridge, job, options.markAfterMs),
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
    () => keepWebhook(bridge, webhookUrl, secret),
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

  registerBridgeGauges(options.metrics, {
    db: database.db,
    lanes,
    connected: () => receiver.connected,
    log,
  });

  let hasHeard = false;
  let watch: Running | undefined;
  let pruning: NodeJS.Timeout | undefined;
  let registering: Promise<void> | undefined;
  return {
    plugin: async (server) => {
      await server.register(webhookDoor({ bridge, pathToken, secrets: [secret] }));
      await server.register(ticketPage(bridge));
      if (receiver.plugin) await server.register(receiver.plugin);
    },
    webhookUrl,
    lanes,
    messageUrl: (channel, ts) => bridge.bot.url && permalinkOf(bridge.bot.url, { channel, ts }),
    readiness: {
      database: () => pingDatabase(database.db),
      chat: async () => {
        if (receiver.connected) hasHeard = true;
        if (!hasHeard) throw new Error('chat was not reached yet');
        return receiver.connected ? 'ok' : 'away';
      },
      lanes: async () => ((await isBehind(lanes)) ? 'behind' : 'ok'),
    },
    async start() {
      await answersSince(bridge);
      await noticesSince(bridge);
      await lanes.start();
      ({ background: registering } = await registerSoon(bridge, webhookUrl, secret, stopping.signal));
      await receiver.start();
      await beginReceipts(bridge);
      await beginReminders(bridge);
      await beginRounds(bridge);
      await compareAll();
      watch = startWatch({
        ...options,
        bridge,
        database,
        service: bridge.service,
        serviceUrl: options.service.url,
        way: () =>
          'appToken' in options.chat.receives
            ? { by: 'socket', state: receiver.connected ? 'connected' : 'not connected' }
            : { by: 'http' },
        everyMs: options.healthEveryMs,
      });
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
      await watch?.stop();
      await receiver.stop();
      await registering;
      await lanes.stop(STOP_GRACE_MS);
      await close();
    },
  };
}

/** `reconnected` is called when chat reaches us again after it could not. */
function createReceiver(
  { chat, clock, log }: BridgeOptions,
  metrics: BridgeMetrics,
  intake: Intake,
  reconnected: () => void,
): ChatReceiver {
  const { receives, apiUrl } = chat;
  return 'appToken' in receives
    ? new SocketReceiver({ appToken: receives.appToken, apiUrl, intake, reconnected, log, metrics })
    : new HttpReceiver({
        signingSecret: receives.signingSecret,
        intake,
        reconnected,
        clock,
        log,
        metrics,
      });
}
