import { z } from 'zod';

import type { Running } from '../platform/lifecycle.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Bridge } from './bridge.ts';
import { type Budget, budgetsAt } from './slack/limits.ts';
import { createSender } from './outbox/send.ts';
import { PARTS } from './features/index.ts';
import { firstRun } from './first-run.ts';
import type { SlackConnection } from './health/check-chat.ts';
import { startWatch } from './health/watch.ts';
import { PROCESS_NAME } from './health/check-work.ts';
import type { ChatReceiver } from './slack/receiver.ts';
import type { ChatWriter } from './slack/writer.ts';
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
import { scheduleReconcile, compareAll, compareAllAfter, handleRounds } from './reconcile/rounds.ts';
import { startUpkeep } from './retention.ts';
import { repeatAfterGivingUp } from './rounds.ts';

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
  const { log, concurrency } = options;
  const { bridge, writer, close } = await openBridge({
    waits: true,
    ...options,
    budgets: options.budgets ?? budgetsAt(options.postsPerSecond),
    // Handlers of several classes, the intake and the endpoint; a handler holds a connection only during a query.
    poolSize: Math.min(concurrency * 2 + 8, 40),
    name: PROCESS_NAME,
  });
  const { engine } = bridge;
  const stopping = new AbortController();
  const webhook = await openWebhook(bridge, options);
  const reconciler = createReconciler(
    bridge,
    {
      everyMs: options.reconcileEveryMs,
      settleMs: Math.min(SETTLE_MS, options.reconcileEveryMs / 2),
      readsPerMinute: options.readsPerMinute,
      retentionDays: options.retentionDays,
    },
    stopping.signal,
    () => keepWebhook(bridge, webhook.url, webhook.secret),
  );
  let app: ReturnType<LoadApp> | undefined;
  const loadApp: LoadApp = () => (app ??= createApp(bridge, options.receiver()));
  registerEvents(bridge, loadApp);
  registerParts(bridge, options, writer);
  handleRounds(reconciler);
  registerBridgeGauges(options.metrics, engine, {
    db: bridge.database.db,
    connected: () => isConnected(options.connection()),
    log,
  });

  const { pathToken, secret } = webhook;
  const running: Running[] = [];
  let registering: Promise<void> | undefined;
  return {
    bridge,
    intake: createIntake(bridge, { compareAllAfter: (at) => compareAllAfter(reconciler, at) }),
    webhookTarget: { bridge, pathToken, secrets: [secret], closing: stopping.signal } satisfies WebhookTarget,
    webhookUrl: webhook.url,
    engine,
    /** Requests a full reconciliation: events may have been lost until now. */
    compareAll: () => compareAll(bridge),
    /** Restores the links from Slack and the service. Throws ChatError or ServiceError. */
    async restoreLinks() {
      for await (const { tickets } of rebuild(reconciler)) log.debug({ tickets }, 'restoring the links');
    },
    /** Starts to work. Throws StartError if the service rejects the key. */
    async start() {
      await firstRun(bridge);
      ({ background: registering } = await registerSoon(bridge, webhook.url, secret, stopping.signal));
      if (stopping.signal.aborted) return;
      await engine.start();
      for (const { begin } of PARTS) await begin?.(bridge);
      await scheduleReconcile(bridge);
      running.push(
        startWatch({
          ...options,
          bridge,
          database: bridge.database,
          team: bridge.bot.team,
          service: bridge.service,
          serviceUrl: options.service.url,
          everyMs: options.healthEveryMs,
        }),
        startUpkeep(bridge, { days: options.retentionDays, bodyDays: options.bodyDays }),
      );
      // Loaded after everything that a start waits for, so that the first event need not wait for it either.
      setImmediate(() => void loadApp().catch(() => undefined));
    },
    async stop() {
      stopping.abort();
      for (const one of running) await one.stop();
      await registering;
      await engine.stop(STOP_GRACE_MS);
      await close();
    },
  };
}

/** The path and the secret of the service's webhook: given, or generated once and kept, the same for all replicas. */
async function openWebhook({ database: { db }, newSecret }: Bridge, options: WorkspaceOptions) {
  const pathToken = await settingOr(db, 'webhook-path-token', z.string(), newSecret());
  const secret = options.webhookSecret ?? (await settingOr(db, 'webhook-secret', z.string(), newSecret()));
  return { pathToken, secret, url: webhookUrlOf(options, pathToken) };
}

/** Events of Slack go to the listeners of the app, those of the service ask for a check of their ticket. */
export function registerEvents(bridge: Bridge, loadApp: LoadApp): void {
  const event = (work: Work<BodyOf<typeof EVENT>>) =>
    bridge.failing.limit(work, () => workNamingUsers(bridge, () => workEvent(bridge, loadApp, work)));
  bridge.engine.handle(EVENT, { work: event });
  bridge.engine.handle(PERSONAL_EVENT, { work: event });
}

/** Posts, and the further work of every part. */
export function registerParts(
  bridge: Bridge,
  options: Pick<WorkspaceOptions, 'markAfterMs'>,
  writer: ChatWriter,
): void {
  const { engine, failing } = bridge;
  const sender = createSender(bridge, { kinds: PARTS.flatMap((part) => part.posts ?? []), writer });
  engine.handle(SEND, { ...sender, work: (stored) => failing.limit(stored, () => sender.work(stored)) });
  for (const { kind, work, next } of PARTS.flatMap((part) => part.works?.(options) ?? []))
    engine.handle(kind, {
      work: (stored) => failing.limit(stored, () => workNamingUsers(bridge, () => work(bridge, stored))),
      ...(next && { gaveUp: repeatAfterGivingUp(kind, (body) => next(bridge, body)) }),
    });
}
