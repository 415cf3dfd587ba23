import { z } from 'zod';

import type { Running } from '../platform/lifecycle.ts';
import type { Metrics } from '../platform/metrics.ts';
import { type Budget, budgetsAt } from './slack/limits.ts';
import { sender } from './outbox/send.ts';
import { PARTS } from './features/index.ts';
import { answersSince } from './threads/mirror-ticket.ts';
import { noticesSince } from './tickets/own-settings.ts';
import type { SlackConnection } from './health/check-chat.ts';
import { startWatch } from './health/watch.ts';
import { PROCESS_NAME } from './health/check-work.ts';
import type { ChatReceiver } from './slack/receiver.ts';
import { type WebhookTarget, webhookUrlOf, keepWebhook, registerSoon } from './entry/webhook.ts';
import { createApp } from './app.ts';
import { createIntake } from './entry/intake.ts';
import { type LoadApp, workEvent, workNamingUsers } from './entry/work-event.ts';
import { type BodyOf, EVENT, PERSONAL_EVENT, SEND, type Work } from './work.ts';
import { settingOr } from './settings.ts';
import { registerBridgeGauges } from './health/gauges.ts';
import { type ConnectOptions, openBridge } from './open.ts';
import { createReconciler } from './reconcile/reconciler.ts';
import { rebuild } from './reconcile/rebuild.ts';
import { scheduleReconcile, compareAll, compareAllAfter, RECONCILE, workRound } from './reconcile/rounds.ts';
import { prune } from './retention.ts';

export interface WorkspaceOptions extends ConnectOptions {
  /** How Slack reaches us, and whether it does now. */
  connection: () => SlackConnection;
  /** What hands this workspace its envelopes. */
  receiver: () => ChatReceiver;
  /** Default one that is generated and stored in the database, the same for all replicas. */
  webhookSecret: string | undefined;
  concurrency: number;
  postsPerSecond: number;
  /** Rate limits, if they differ from Slack's: then `postsPerSecond` is ignored. */
  budgets?: readonly Budget[] | undefined;
  /** Milliseconds after which a waiting message gets its status reaction. */
  markAfterMs: number;
  retentionDays: number;
  /** Days for which is kept what Slack sent, once it is worked. */
  bodyDays: number;
  /** Interval of reconciliation for the same item. */
  reconcileEveryMs: number;
  healthEveryMs: number;
  /** The scopes in the app's manifest. */
  scopes: readonly string[];
  metrics: Metrics;
  /** Slack reads per minute for reconciliation. */
  readsPerMinute: number;
}

/** One Slack workspace: all of the bridge but its endpoints. */
export type ChatWorkspace = Awaited<ReturnType<typeof openWorkspace>>;

const PRUNE_EVERY_MS = 60 * 60 * 1000;
/** Done work is kept no longer: what it did is in the tables of what it did it to. */
const FORGET_EVERY_MS = 10_000;
const STOP_GRACE_MS = 8_000;
/** More recent items may still be under way as events. */
const SETTLE_MS = 30_000;

const isConnected = (connection: SlackConnection) =>
  connection.by === 'http' || connection.state === 'connected';

/**
 * Opens a workspace's database and reads the bot's identity from Slack. Waits while Slack is unavailable.
 * @throws StartError if Slack rejects the token.
 */
export async function openWorkspace(options: WorkspaceOptions) {
  const { log } = options;
  // Handlers of several classes, the intake and the endpoint; a handler holds a connection only during a query.
  const poolSize = Math.min(options.concurrency * 2 + 8, 40);
  const { bridge, writer, close } = await openBridge({
    waits: true,
    ...options,
    budgets: options.budgets ?? budgetsAt(options.postsPerSecond),
    poolSize,
    name: PROCESS_NAME,
  });
  const { database } = bridge;
  const stopping = new AbortController();
  const pathToken = await settingOr(database.db, 'webhook-path-token', z.string(), options.newSecret());
  const secret =
    options.webhookSecret ??
    (await settingOr(database.db, 'webhook-secret', z.string(), options.newSecret()));
  const webhookUrl = webhookUrlOf(options, pathToken);

  let app: ReturnType<LoadApp> | undefined;
  const loadApp: LoadApp = () => (app ??= createApp(bridge, options.receiver()));
  const { engine } = bridge;
  const event = (work: Work<BodyOf<typeof EVENT>>) =>
    workNamingUsers(bridge, () => workEvent(bridge, loadApp, work));
  engine.handle(EVENT, { work: event });
  engine.handle(PERSONAL_EVENT, { work: event });
  engine.handle(SEND, sender(bridge, { kinds: PARTS.flatMap((part) => part.posts ?? []), writer }));
  for (const { kind, work } of PARTS.flatMap((part) => part.works?.(options) ?? []))
    engine.handle(kind, { work: (stored) => workNamingUsers(bridge, () => work(bridge, stored)) });

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
  engine.handle(RECONCILE, { work: (work) => workRound(reconciler, work) });
  const intake = createIntake(bridge, {
    compareAllAfter: (at) => compareAllAfter(reconciler, at),
  });
  registerBridgeGauges(options.metrics, engine, {
    db: database.db,
    connected: () => isConnected(options.connection()),
    log,
  });

  let watch: Running | undefined;
  let pruning: NodeJS.Timeout | undefined;
  let forgetting: NodeJS.Timeout | undefined;
  let registering: Promise<void> | undefined;
  return {
    bridge,
    intake,
    webhookTarget: { bridge, pathToken, secrets: [secret], closing: stopping.signal } satisfies WebhookTarget,
    webhookUrl,
    engine,
    /** Requests a full reconciliation: events may have been lost until now. */
    compareAll: () => compareAll(bridge),
    /** Restores the links from Slack and the service. Throws ChatError or ServiceError. */
    async restoreLinks() {
      for await (const { tickets } of rebuild(reconciler)) log.debug({ tickets }, 'restoring the links');
    },
    /** Starts to work. Throws StartError if the service rejects the key. */
    async start() {
      await answersSince(bridge);
      await noticesSince(bridge);
      ({ background: registering } = await registerSoon(bridge, webhookUrl, secret, stopping.signal));
      if (stopping.signal.aborted) return;
      await engine.start();
      for (const { begin } of PARTS) await begin?.(bridge);
      await scheduleReconcile(bridge);
      watch = startWatch({
        ...options,
        bridge,
        database,
        team: bridge.bot.team,
        service: bridge.service,
        serviceUrl: options.service.url,
        everyMs: options.healthEveryMs,
      });
      pruning = setInterval(() => {
        prune(bridge, { days: options.retentionDays, bodyDays: options.bodyDays }, stopping.signal).catch(
          (error: unknown) => log.warn({ err: error }, 'could not prune'),
        );
      }, PRUNE_EVERY_MS);
      pruning.unref();
      forgetting = setInterval(() => {
        engine
          .forget(bridge.clock.now())
          .catch((error: unknown) => log.warn({ err: error }, 'could not delete done work'));
      }, FORGET_EVERY_MS);
      forgetting.unref();
      // Loaded after everything that a start waits for, so that the first event need not wait for it either.
      setImmediate(() => void loadApp().catch(() => undefined));
    },
    async stop() {
      stopping.abort();
      clearInterval(pruning);
      clearInterval(forgetting);
      await watch?.stop();
      await registering;
      await engine.stop(STOP_GRACE_MS);
      await close();
    },
  };
}
