import { z } from 'zod';

import type { Running } from '../platform/lifecycle.ts';
import type { Metrics } from '../platform/metrics.ts';
import { inSpan } from '../platform/tracing.ts';
import type { Bridge } from './bridge.ts';
import { type Budget, budgetsAt } from './slack/limits.ts';
import { sender } from './outbox/send.ts';
import { PARTS } from './features/index.ts';
import { answersSince } from './threads/mirror-ticket.ts';
import { noticesSince } from './tickets/own-settings.ts';
import type { SlackConnection } from './health/check-chat.ts';
import { startWatch } from './health/watch.ts';
import { PROCESS_NAME } from './health/check-work.ts';
import { type ChatEvent, parseChatEvent } from './slack/chat-event.ts';
import { isOurs } from './threads/rules.ts';
import { personNews } from './people/people.ts';
import { type Intake, EventsLimited, shapeOf } from './slack/receiver.ts';
import { unreadInteraction } from './slack/interaction.ts';
import { respond } from './slack/respond.ts';
import { type WebhookTarget, webhookUrlOf, keepWebhook, registerSoon } from './entry/webhook.ts';
import { openWindow } from './entry/app.ts';
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
  /** Default one that is generated and stored in the database, the same for all replicas. */
  webhookSecret: string | undefined;
  concurrency: number;
  postsPerSecond: number;
  /** Rate limits, if they differ from Slack's: then `postsPerSecond` is ignored. */
  budgets?: readonly Budget[] | undefined;
  /** Milliseconds after which a waiting message gets its status reaction. */
  markAfterMs: number;
  retentionDays: number;
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

/**
 * Returns whether an event is only about what the bot itself wrote or edited: it has no effect (B16). The bot's writes
 * are recorded when they are sent; if Slack's response was lost, the outbox looks for the post.
 */
function isOwnPost(event: ChatEvent, bot: Bridge['bot']): boolean {
  return (event.kind === 'message' || event.kind === 'message-edited') && isOurs(event.message, bot);
}

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

  // Nothing is awaited before a thread's event is in the inbox: that would lose the order of arrival (B66).
  const take: Intake = async (body, retry) => {
    const event = parseChatEvent(body);
    for (const part of PARTS) {
      const atOnce = part.answer?.(bridge, event, body);
      if (atOnce) return (await atOnce).says;
    }
    if (!event) {
      const limited = EventsLimited.safeParse(body);
      if (limited.success) {
        const since = limited.data.minute_rate_limited;
        log.warn(
          { event: 'chat.events_limited', since },
          'Slack leaves out the events of a minute; both sides are compared once it is over',
        );
        const minute = since === undefined ? bridge.clock.now() : new Date(since * 1000);
        await compareAllAfter(reconciler, new Date(minute.getTime() + 60_000));
        return undefined;
      }
      const unread = unreadInteraction(body);
      if (!unread) {
        log.warn({ event: 'inbox.unreadable', ...shapeOf(body) }, 'an unreadable envelope was ignored');
        return undefined;
      }
      log.error(
        { event: 'interaction.unreadable', ...shapeOf(body) },
        'an interaction of a person could not be read; they were told',
      );
      // Not awaited: Slack waits for the acknowledgement.
      respond(bridge, unread.responseUrl, { text: unread.text }).catch((error: unknown) =>
        log.warn({ err: error, event: 'answer.lost' }, 'an answer did not reach Slack'),
      );
      return unread.says;
    }
    const kept = event.kind === 'person' ? await personNews(bridge, event) : event;
    if (kept === undefined) return undefined;
    const stored =
      kept.kind === 'other' || isOwnPost(kept, bridge.bot) ? 'needless' : await bridge.inbox.chat(kept);
    if (stored === 'new') void openWindow(bridge, PARTS, event);
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
      stored === 'needless' ? 'our own post, or nothing to do' : 'event of chat stored',
    );
    return undefined;
  };
  const intake: Intake = (body, retry) => inSpan('chat event', { kind: 'consumer' }, () => take(body, retry));
  // Bolt would be a sixth of what a start loads, and nothing needs it before the first event.
  let app: ReturnType<LoadApp> | undefined;
  const loadApp: LoadApp = () =>
    (app ??= import('./entry/app.ts').then(({ createApp }) => createApp(bridge, PARTS)));
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
        prune(bridge, options.retentionDays, stopping.signal).catch((error: unknown) =>
          log.warn({ err: error }, 'could not prune'),
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
