import { setTimeout as wait } from 'node:timers/promises';

import { createClient, createFileClient } from '../client/index.ts';
import { Cache } from '../platform/cache.ts';
import { migrate } from '../platform/database/migrate.ts';
import { openDatabase } from '../platform/database/open.ts';
import { createEgress } from '../platform/egress.ts';
import { Engine } from '../platform/engine/index.ts';
import { inTime } from '../platform/in-time.ts';
import { StartError } from '../platform/lifecycle.ts';
import type { Sealing } from '../platform/sealing.ts';
import type { Log } from '../platform/log.ts';
import { createRegistry, type Metrics } from '../platform/metrics.ts';
import { inCall } from '../platform/tracing.ts';
import { type Bridge, type BridgeSettings, SCHEMA } from './bridge.ts';
import { planCheck } from './entry/service-event.ts';
import { PARTS } from './features/index.ts';
import { joinHooks } from './hooks.ts';
import { classify, countRetry } from './inbox/classify.ts';
import { type DoneOperation, FailingWork } from './inbox/failing-work.ts';
import { createInbox } from './inbox/store.ts';
import { ChatError, REFUSED_TOKEN, unreachedBecause } from './slack/errors.ts';
import { type Budget, BUDGETS } from './slack/limits.ts';
import { Modals, ChatWriter } from './slack/writer.ts';
import { type BotToken, createWebClient, type Within, timedFetch } from './slack/client.ts';
import { createEnvelopes, sealingWith } from './slack/envelope.ts';
import { MissingMethods } from './slack/missing-methods.ts';
import { createChatFiles } from './slack/file-bytes.ts';
import { type BotIdentity, ChatReader } from './slack/reader.ts';
import { ChannelQueues } from './tickets/channels.ts';
import { FirstReplies, TeamHours, Forms, Statuses, Warnings } from './tickets/catalogue.ts';
import { PAGE_KEY, PageKey } from './tickets/ticket-facts.ts';
import { settingOr } from './settings.ts';
import { observedChannel } from './threads/observed.ts';
import { createTrust } from './people/trust.ts';
import { type BridgeMetrics, createBridgeMetrics } from './metrics.ts';
import { migrations } from './schema/migrations.ts';
import type { BridgeTables } from './schema/tables.ts';
import { type BridgeEngine, slotsOf } from './work.ts';

const KEEP_PICTURES = 1_000;

/** The bridge's connections: its database, the service and Slack. */
export interface ConnectOptions extends BridgeSettings {
  databaseUrl: string;
  service: { url: string; token: string; tokenHeader: string };
  chat: {
    botToken: BotToken;
    apiUrl: string | undefined;
    /** Set if an organisation has installed the app: its token is valid for more than this workspace. */
    within?: Within | undefined;
  };
  /** Seals what answers people in Slack; default with a key made from the token. */
  sealing?: Sealing | undefined;
  /** The Postgres schema with the data of this Slack workspace; default `bridge`. */
  schema?: string | undefined;
  /** Whether the workspace is the first one; default true: its token comes from the operator. */
  isFirst?: boolean | undefined;
  random: () => number;
  /** Cache time in milliseconds of queues, channels, statuses and request types. */
  settingsKeptMs: number;
  /** The registry for the bridge's metrics; absent for commands that end. */
  metrics?: Metrics;
  /** Existing metrics to use. */
  bridgeMetrics?: BridgeMetrics;
  /** Called when Slack cannot be reached, with the reason, as often as that is tried. */
  onAway?: (reason: string) => void;
  /** Ends the wait for Slack. */
  signal?: AbortSignal;
}

/** Slack cannot be reached, and who asked does not wait for it; the message is a sentence for people. */
export class ChatAway extends StartError {
  override readonly name = 'ChatAway';
}

/** Origins of Slack's response URLs (https://docs.slack.dev/govslack for the second). */
const SLACK_HOOKS = ['https://hooks.slack.com', 'https://hooks.slack-gov.com'];

/**
 * Opens and migrates the bridge's database and reads the bot's identity from Slack. Waits while Slack is unavailable.
 * @param options.waits whether it waits; commands that end do not.
 * @throws StartError if Slack rejects the token; ChatAway if Slack is unavailable and it does not wait.
 */
export async function openBridge(
  options: ConnectOptions & {
    budgets?: readonly Budget[] | undefined;
    poolSize?: number;
    /** How much of what people wait for is worked at once; default 1. */
    concurrency?: number;
    name?: string;
    waits: boolean;
  },
) {
  const { log, clock, newId, budgets = BUDGETS, poolSize = 4, name } = options;
  const database = openDatabase<BridgeTables>({
    url: options.databaseUrl,
    schema: options.schema ?? SCHEMA,
    log,
    poolSize,
    ...(name === undefined ? {} : { name }),
    plansOnce: 'always',
  });
  const metrics = options.bridgeMetrics ?? createBridgeMetrics(options.metrics ?? createRegistry());
  const missing = new MissingMethods({ db: database.db, clock, log });
  const client = createWebClient(options.chat.botToken, options.chat.apiUrl, {
    fetch: timedFetch(metrics.chatCallSeconds),
    within: options.chat.within,
    news: missing,
  });
  const chat = new ChatReader(client, clock);
  const webhook: Bridge['webhook'] = { id: undefined };
  const failing = new FailingWork();
  const onDone = (done: DoneOperation) => failing.recordDone(done);
  const service = createClient({
    ...options.service,
    baseUrl: options.service.url,
    now: () => clock.now(),
    random: options.random,
    origin: () => webhook.id,
    traced: inCall,
    onDone,
  });
  const serviceFiles = createFileClient({
    ...options.service,
    baseUrl: options.service.url,
    origin: () => webhook.id,
    onDone,
  });
  const chatFiles = createChatFiles(options.chat.botToken, options.chat.apiUrl);
  const ofService = `${options.service.url}/`;
  // Without the key: a URL in a text may only read what is public.
  const egress = createEgress({
    allowPrivate: false,
    isExempt: (url) => URL.parse(url)?.href.startsWith(ofService) === true,
  });
  const close = async () => {
    await service.close();
    await serviceFiles.close();
    await egress.stop();
    await chatFiles.stop();
    await missing.stored();
    await database.close();
  };
  try {
    await migrate(database, migrations);
    await missing.load();
    const identity = await identityOf(
      chat,
      options,
      typeof options.chat.botToken === 'string' ? GIVEN_TOKEN : INSTALLED_TOKEN,
    );
    // For an organisation's token Slack returns the organisation instead of a workspace.
    const bot = { ...identity, team: options.chat.within?.team ?? identity.team };
    const channels = new ChannelQueues(service, clock, bot.team, options.settingsKeptMs, async (channel) => {
      const watched = await observedChannel(database.db, { team: bot.team, channel });
      return watched && { queueId: watched.queue_id, workspaceId: watched.workspace_id };
    });
    const engine: BridgeEngine = new Engine({
      database,
      log,
      slots: slotsOf(options.concurrency ?? 1),
      classify,
      onRetry: (ofClass, reason) => countRetry(metrics, ofClass, reason),
      random: options.random,
    });
    const envelopes = createEnvelopes(options.sealing ?? sealingWith(options.chat.botToken));
    const trust = createTrust(
      { service, db: database.db, clock, log },
      {
        id: bot.team,
        // Of an organisation's installation it is the organisation's.
        name: options.chat.within ? undefined : bot.teamName,
        organisation: bot.enterprise,
        isFirst: options.isFirst ?? true,
      },
      options.settingsKeptMs,
    );
    const bridge: Bridge = {
      database,
      engine,
      budgets,
      inbox: createInbox({
        engine,
        clock,
        newId,
        envelopes,
        planCheck: (tx, changed) => planCheck(bridge, tx, changed),
      }),
      envelopes,
      service,
      serviceFiles,
      webhook,
      erased: { last: 0 },
      failing,
      chat,
      chatFiles,
      modals: new Modals(client),
      channels,
      statuses: new Statuses(service, clock, options.settingsKeptMs),
      firstReplies: new FirstReplies(service, clock),
      teamHours: new TeamHours(service, clock, options.settingsKeptMs),
      warnings: new Warnings(service, clock, options.settingsKeptMs),
      forms: new Forms(service, () => channels.workspaceIds(), clock, options.settingsKeptMs),
      pictures: new Cache<string | null>(KEEP_PICTURES, { clock, ms: options.settingsKeptMs }),
      bot,
      trust,
      clock,
      newId,
      newSecret: options.newSecret,
      log,
      metrics,
      egress,
      fileBytes: options.fileBytes,
      command: options.command,
      answersFrom: [...SLACK_HOOKS, ...(options.chat.apiUrl ? [new URL(options.chat.apiUrl).origin] : [])],
      publicUrl: options.publicUrl,
      deskUrl: options.deskUrl,
      pageKey: await settingOr(database.db, PAGE_KEY, PageKey, options.newSecret()),
      noticeAfterMs: options.noticeAfterMs,
      adminChannel: options.adminChannel,
      // Features work with the bridge that calls them.
      get hooks() {
        return hooks;
      },
    };
    const hooks = joinHooks(PARTS.map((part) => part.hooks?.(bridge) ?? {}));
    return { bridge, writer: new ChatWriter(client, log), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Migrates the bridge's schema, or that of one Slack workspace, and ends. */
export async function migrateBridge(databaseUrl: string, log: Log, schema = SCHEMA): Promise<void> {
  const database = openDatabase<BridgeTables>({ url: databaseUrl, schema, log, poolSize: 1 });
  try {
    await migrate(database, migrations);
  } finally {
    await database.close();
  }
}

const TRY_AGAIN_MS = { first: 1_000, longest: 10_000 };
/** The longest wait that an answer may ask for: Slack asks for a minute at most, and what answers may not be Slack. */
const LONGEST_ASKED_MS = 120_000;
/** How often the same reason is logged. */
const SAY_AGAIN_MS = 5 * 60_000;
/** A Slack that has not answered for this long counts as away until it does: the programs beside start without it. */
const SILENT_MS = 2_000;

/** A token that Slack rejects, and how to fix it. */
const GIVEN_TOKEN = {
  name: 'SLACK_BOT_TOKEN',
  remedy:
    "Copy the Bot User OAuth Token from the app's page under OAuth & Permissions, and reinstall the app if it was removed.",
};
const INSTALLED_TOKEN = { name: 'the token of this workspace', remedy: 'Install the app there again.' };

/** Rejects when `signal` is aborted first: a call to a Slack that does not answer takes longer than a stop may. */
async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return work;
  const aborted = Promise.withResolvers<never>();
  const end = () => aborted.reject(new Error('stopped before Slack was reached'));
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Waits while Slack cannot be reached, and says so in one line, again when the reason changes or after a while. */
async function identityOf(
  chat: ChatReader,
  {
    log,
    clock,
    chat: { apiUrl },
    onAway,
    signal,
    waits,
  }: Pick<ConnectOptions, 'log' | 'clock' | 'chat' | 'onAway' | 'signal'> & { waits: boolean },
  token: typeof GIVEN_TOKEN,
): Promise<BotIdentity> {
  const { host } = new URL(apiUrl ?? 'https://slack.com');
  let said: { reason: string; at: number } | undefined;
  const away = (reason: string, says: string) => {
    onAway?.(says);
    const now = clock.now().getTime();
    if (said?.reason === reason && now - said.at < SAY_AGAIN_MS) return;
    log.warn({ event: 'chat.away', reason }, `${says}. Trying again.`);
    said = { reason, at: now };
  };
  for (let waitMs = TRY_AGAIN_MS.first; ; waitMs = Math.min(waitMs * 2, TRY_AGAIN_MS.longest)) {
    try {
      const asked = unlessAborted(chat.identity(), signal);
      if (waits && !said && !(await inTime(SILENT_MS, asked)))
        away('silence', `${host} has not answered yet`);
      const identity = await asked;
      if (said) log.warn({ event: 'chat.reached' }, `${host} is reached.`);
      return identity;
    } catch (error) {
      if (!(error instanceof ChatError)) throw error;
      if (error.code !== undefined && REFUSED_TOKEN.has(error.code))
        throw new StartError(`Slack refuses ${token.name} (${error.code}). ${token.remedy}`);
      const reason = unreachedBecause(error);
      const isOther = error.notOffered !== undefined;
      const says = isOther
        ? `${host} does not know auth.test (${reason}): check SLACK_API_URL`
        : `${host} cannot be reached (${reason})`;
      if (!waits) throw new ChatAway(`${says}.`);
      away(reason, says);
      const pause = Math.min(Math.max(error.retryAfterMs ?? 0, waitMs), LONGEST_ASKED_MS);
      await wait(pause, undefined, signal && { signal });
    }
  }
}
