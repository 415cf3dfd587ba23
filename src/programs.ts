import {
  type BridgeOptions,
  type BridgeProgram,
  type ConnectOptions,
  createBridge,
  createInstalledBridge,
  EVENTS_PATH,
} from './bridge/index.ts';
import { type Config, PROVIDER_KEY } from './config.ts';
import { createDesk } from './desk/index.ts';
import { DEMO, SANDBOX_SEED } from './demo.ts';
import { credentialsOf, installedChoice, openInstallations } from './installed.ts';
import { botScopes } from './manifest.ts';
import type { Clock } from './platform/clock.ts';
import { startEmbeddedPostgres } from './platform/database/embedded.ts';
import { databaseErrorCode, databaseVersion } from './platform/database/open.ts';
import { createHttpServer } from './platform/http/index.ts';
import type { NewId } from './platform/ids.ts';
import { Parts, type Running, StartError } from './platform/lifecycle.ts';
import type { Log } from './platform/log.ts';
import { createMetrics } from './platform/metrics.ts';
import { type Sandbox, startSandbox } from './sandbox/index.ts';
import { encryptionKeys, installKeyOf, ownSecrets, unguessable } from './secrets.ts';
import { docsPlugin, type Service, type ServiceOptions, startService } from './service/index.ts';
import { startTracing } from './tracing.ts';

export type Program = 'service' | 'bridge' | 'sandbox' | 'desk';

/** What a command runs that runs programs: `start` all that is not configured to be elsewhere. */
export const PROGRAMS = {
  start: ({ embeddedService, sandbox }) => [
    ...(embeddedService ? (['service'] as const) : []),
    ...(sandbox ? (['sandbox'] as const) : []),
    'bridge',
    'desk',
  ],
  service: () => ['service'],
  bridge: () => ['bridge'],
  sandbox: () => ['sandbox'],
} as const satisfies Record<string, (config: Config) => readonly Program[]>;

/** What every program gets passed in instead of reaching for it. */
export interface Surroundings {
  log: Log;
  clock: Clock;
  newId: NewId;
  random: () => number;
  version: string;
}

export interface Started extends Running {
  /** Where people and programs reach what runs here; absent where it does not. */
  urls: { api?: string; desk?: string; sandbox?: string };
  /** The key of the embedded service. */
  apiKey?: string;
  /** The reference of the ticket that is opened next in the demo's #it-help. */
  nextTicket?: string;
}

/** The oldest Postgres that all statements run on. */
const POSTGRES_FLOOR = 15;

/** Says in a sentence why the given database cannot be used, before anything else is started. */
async function checkDatabase(url: string): Promise<void> {
  const advice = 'Start it, or correct DATABASE_URL; without DATABASE_URL the embedded database is used.';
  let version: number;
  try {
    version = await databaseVersion(url);
  } catch (error) {
    const reason =
      databaseErrorCode(error) ??
      (error instanceof Error && 'code' in error ? String(error.code) : 'no answer');
    throw new StartError(`The database that DATABASE_URL names cannot be used (${reason}). ${advice}`, {
      cause: error,
    });
  }
  if (version < POSTGRES_FLOOR)
    throw new StartError(
      `The database that DATABASE_URL names is Postgres ${version}; deskbridge needs ${POSTGRES_FLOOR} or newer.`,
    );
}

/** The database's URL: the given one, or the embedded database, started as one of `parts`. */
export async function databaseFor(config: Config, parts: Parts, log: Log): Promise<string> {
  if (config.DATABASE_URL) {
    await checkDatabase(config.DATABASE_URL);
    return config.DATABASE_URL;
  }
  return parts.add('database', await startEmbeddedPostgres({ dataDir: config.DATA_DIR, log })).url;
}

/**
 * Starts programs in the order in which they need each other; `stop` stops them in reverse. When one cannot start,
 * those that run already are stopped before the error is thrown.
 */
export async function startPrograms(
  config: Config,
  wanted: ReadonlySet<Program>,
  around: Surroundings,
  options: { demo: boolean },
): Promise<Started> {
  const parts = new Parts(around.log);
  try {
    return await startInOrder(config, wanted, around, options, parts);
  } catch (error) {
    await parts.stop().catch(() => undefined);
    throw error;
  }
}

/** Only those that `SEARCH_PROVIDERS` names are told what tickets say. */
function searchOptions(config: Config): NonNullable<ServiceOptions['search']> {
  const providers = (config.SEARCH_PROVIDERS ?? []).map((name) => {
    const baseUrl = name === 'openai' ? config.OPENAI_BASE_URL : undefined;
    return [name, { apiKey: config[PROVIDER_KEY[name]] ?? '', ...(baseUrl && { baseUrl }) }] as const;
  });
  return { ...Object.fromEntries(providers), language: config.SEARCH_LANGUAGE };
}

/** A model is asked only where `ANSWER_MODEL` names it: a key alone, which other programs use too, sends nothing. */
function answerOptions({ ANSWER_MODEL: model, ...config }: Config): NonNullable<ServiceOptions['answers']> {
  if (!model) return {};
  return { model: { model, apiKey: config.OPENAI_API_KEY ?? '', baseUrl: config.OPENAI_BASE_URL } };
}

/** Where this process reaches itself: a wildcard is every address, any other is the only one it listens on. */
function localHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

function localUrl({ HOST, PORT }: Config): string {
  return `http://${localHost(HOST)}:${PORT}`;
}

/** Where others reach this process, without a slash at the end. */
export function publicUrlOf(config: Config): string {
  return config.PUBLIC_URL ?? localUrl(config);
}

async function startInOrder(
  config: Config,
  wanted: ReadonlySet<Program>,
  around: Surroundings,
  options: { demo: boolean },
  parts: Parts,
): Promise<Started> {
  const { log, clock, newId, random } = around;
  parts.add('tracing', await startTracing(config, around.version));
  const databaseUrl = await databaseFor(config, parts, log);
  const urls: Started['urls'] = {};
  const local = localUrl(config);
  const publicUrl = publicUrlOf(config);

  let chat = { botToken: config.SLACK_BOT_TOKEN ?? '', apiUrl: config.SLACK_API_URL };
  let receives: BridgeOptions['receives'] = config.SLACK_APP_TOKEN
    ? { appToken: config.SLACK_APP_TOKEN }
    : { signingSecret: config.SLACK_SIGNING_SECRET ?? '' };
  let sandbox: Sandbox | undefined;
  if (wanted.has('sandbox')) {
    sandbox = parts.add(
      'sandbox',
      await startSandbox({
        databaseUrl,
        log,
        clock,
        newId,
        random,
        host: config.HOST,
        port: config.SANDBOX_PORT,
        seed: SANDBOX_SEED,
      }),
    );
    urls.sandbox = sandbox.url;
    const { botToken, appToken, signingSecret } = DEMO.app;
    const byHttp = config.SANDBOX_TRANSPORT === 'http';
    chat = { botToken, apiUrl: sandbox.apiUrl };
    receives = byHttp ? { signingSecret } : { appToken };
    // Alone, it keeps what it was told of how its app is reached.
    if (!byHttp && wanted.has('bridge')) await sandbox.control.app({ requestUrl: null });
  }

  const served = wanted.has('service') || wanted.has('bridge') || wanted.has('desk');
  if (!served) return { urls, stop: () => parts.stop() };
  const metrics = createMetrics();
  const http = createHttpServer({ log, newId, metrics, host: config.HOST, port: config.PORT });

  let service: Service | undefined;
  let apiKey: string | undefined;
  let nextTicket: string | undefined;
  if (wanted.has('service')) {
    service = parts.add(
      'service',
      await startService({
        databaseUrl,
        log,
        clock,
        newId,
        random,
        rateLimitPerMinute: config.RATE_LIMIT_PER_MINUTE,
        allowPrivateWebhooks: config.ALLOW_PRIVATE_WEBHOOKS,
        encryptionKeys: await encryptionKeys(config),
        retention: { days: config.RETENTION_DAYS },
        publicUrl,
        version: around.version,
        metrics,
        search: searchOptions(config),
        answers: answerOptions(config),
      }),
    );
    if (options.demo) {
      await service.seedDemo(DEMO);
      nextTicket = await service.nextReference(DEMO.itPrefix);
    } else await service.ensureWorkspace();
    apiKey = config.SERVICE_API_TOKEN ?? (await ownSecrets(config.DATA_DIR)).serviceApiToken;
    await service.installKey({
      token: apiKey,
      name: 'deskbridge',
      role: 'admin',
      source: 'CHAT',
      rateLimit: null,
    });
    await http.app.register(service.plugin, { prefix: '/api' });
    await http.app.register(docsPlugin(around.version));
    http.addCheck('service', service.readiness.bind(service));
    urls.api = `${publicUrl}/api`;
  }

  if (wanted.has('desk')) {
    const desk = createDesk({
      service: serviceOf(config),
      encryptionKeys: await encryptionKeys(config),
      publicUrl,
      threadUrl: async (channel, ts) =>
        sandbox ? `${sandbox.url}/#${channel}/${ts}` : bridge?.threadUrl(channel, ts),
      ...{ log, clock, random },
    });
    await http.app.register(parts.add('desk', desk).plugin);
    urls.desk = publicUrl;
  }

  // Stopped after the bridge, which still speaks to the service while it drains, and before the service.
  parts.add('http', http);
  const scopes = await botScopes();
  const bridge = wanted.has('bridge') ? parts.add('bridge', await openBridges()) : undefined;
  if (bridge) {
    await http.app.register(bridge.plugin);
    http.addCheck('database', () => bridge.readiness.database());
    http.addCheck('chat', () => bridge.readiness.chat());
    http.addCheck('lanes', () => bridge.readiness.lanes());
  }
  await http.listen();
  await bridge?.start();
  if (bridge && config.SANDBOX_TRANSPORT === 'http')
    await sandbox?.control.app({ requestUrl: `${local}${EVENTS_PATH}` });
  return {
    urls,
    ...(apiKey ? { apiKey } : {}),
    ...(nextTicket ? { nextTicket } : {}),
    stop: () => parts.stop(),
  };

  /** The bridge of the one workspace whose token is given, else of those that have installed the app. */
  async function openBridges(): Promise<BridgeProgram> {
    const expectWebhook = (url: string) => service?.exemptWebhookUrl(url);
    const credentials = credentialsOf(config);
    if (credentials)
      return createInstalledBridge({
        ...bridgeOptions(),
        credentials,
        installations: await openInstallations(config, parts, around, databaseUrl),
        installKey: installKeyOf(credentials.stateSecret),
        addMetrics: http.addMetrics.bind(http),
        expectWebhook,
      });
    const bridge = await createBridge({ ...bridgeOptions(), chat, metrics });
    expectWebhook(bridge.webhookUrl);
    return bridge;
  }

  function bridgeOptions(): Omit<BridgeOptions, 'metrics'> {
    return {
      ...connectionOf(config, around, databaseUrl, apiKey ?? config.SERVICE_API_TOKEN ?? ''),
      chat,
      receives,
      webhookSecret: config.SERVICE_WEBHOOK_SECRET,
      lanes: config.LANES,
      postsPerSecond: config.CHAT_POSTS_PER_SECOND,
      retentionDays: config.RETENTION_DAYS,
      markAfterMs: config.CHAT_WAITING_SECONDS * 1000,
      reconcileEveryMs: config.RECONCILE_EVERY_SECONDS * 1000,
      readsPerMinute: config.CHAT_READS_PER_MINUTE,
      healthEveryMs: config.HEALTH_EVERY_SECONDS * 1000,
      scopes,
      adminChannel: config.ADMIN_CHANNEL,
      deskUrl: urls.desk ?? config.DESK_URL,
    };
  }
}

/** How chat reaches a bridge of this configuration. */
export function receivesFor(config: Config): { appToken: string } | 'http' {
  if (config.sandbox) return config.SANDBOX_TRANSPORT === 'http' ? 'http' : { appToken: DEMO.app.appToken };
  return config.SLACK_APP_TOKEN ? { appToken: config.SLACK_APP_TOKEN } : 'http';
}

/** Where the service is, ours or another one. */
function serviceOf(config: Config): { url: string; tokenHeader: string } {
  return { url: config.SERVICE_URL ?? `${localUrl(config)}/api`, tokenHeader: config.SERVICE_TOKEN_HEADER };
}

/** The service of this configuration, which may or may not run, with the bridge's own key. */
export async function serviceFor(config: Config): Promise<ConnectOptions['service']> {
  const token = config.SERVICE_API_TOKEN ?? (await ownSecrets(config.DATA_DIR)).serviceApiToken;
  return { ...serviceOf(config), token };
}

/** What a bridge of this configuration stands between. */
function connectionOf(
  config: Config,
  { log, clock, newId, random }: Surroundings,
  databaseUrl: string,
  token: string,
): Omit<ConnectOptions, 'chat'> {
  return {
    databaseUrl,
    service: { ...serviceOf(config), token },
    publicUrl: publicUrlOf(config),
    fileBytes: config.CHAT_FILE_MEGABYTES * 1_048_576,
    noticeAfterMs: config.CHAT_NOTICE_SECONDS * 1000,
    settingsKeptMs: config.CHAT_SETTINGS_SECONDS * 1000,
    command: config.COMMAND,
    log,
    clock,
    newId,
    random,
    newSecret: unguessable,
  };
}

/**
 * The same for a command that works beside a bridge that runs already: on its database, with its service and its chat,
 * the sandbox included.
 * @param workspace the id or name of the chat workspace, where several have installed the app.
 */
export async function connectionFor(
  config: Config,
  parts: Parts,
  around: Surroundings,
  workspace?: string,
): Promise<ConnectOptions & { team?: string }> {
  const databaseUrl = await databaseFor(config, parts, around.log);
  const { token } = await serviceFor(config);
  const connection = connectionOf(config, around, databaseUrl, token);
  const chosen = await installedChoice(config, parts, around, databaseUrl, workspace);
  if (chosen) return { ...connection, ...chosen };
  const sandboxApi = `http://${localHost(config.HOST)}:${config.SANDBOX_PORT}/api/`;
  return {
    ...connection,
    chat: config.sandbox
      ? { botToken: DEMO.app.botToken, apiUrl: sandboxApi }
      : { botToken: config.SLACK_BOT_TOKEN ?? '', apiUrl: config.SLACK_API_URL },
  };
}
