import path from 'node:path';

import type { BridgeOptions, BridgeProgram } from '../bridge/index.ts';
import { type Config, credentialsOf, localUrl, PROVIDER_KEY, publicUrlOf } from './config.ts';
import { connectionOf, serviceOf } from './connection.ts';
import { databaseFor } from './database.ts';
import { DEMO, demoHistory, SANDBOX_SEED } from './demo.ts';
import { botScopes } from './manifest.ts';
import { registerDatabaseFigures } from '../platform/database/open.ts';
import { requireDirectory } from '../platform/directory.ts';
import { Parts, type Running } from '../platform/lifecycle.ts';
import type { Sandbox } from '../sandbox/index.ts';
import { dataDirectoryId, encryptionKeys, installKeyOf, ownSecrets } from './secrets.ts';
import type { OpenService, ServiceOptions } from '../service/index.ts';
import { checkedProviders, redirectUriOf, signInProviders } from './sign-in.ts';
import type { Surroundings } from './surroundings.ts';
import { startTracing } from './tracing.ts';

export type Program = 'service' | 'bridge' | 'sandbox' | 'desk';

/** The programs that each command runs: `start` runs everything that is not configured to be elsewhere. */
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

export interface Started extends Running {
  /** The URLs of what runs here; absent if it does not. */
  urls: { api?: string; desk?: string; sandbox?: string };
  /** Rejects if a part that went on starting can never work; the other parts still run. */
  failed: Promise<never>;
  /** Returns what the bridge waits for, as a sentence without its end; undefined if for nothing. */
  waitsFor?: () => string | undefined;
  /** The key of the embedded service. */
  apiKey?: string;
  /** Creates a sign-in link for the first admin of the embedded service, with their name, if there is one. */
  adminLink?: OpenService['adminLink'];
  /** The reference of the next ticket in the demo's #it-help. */
  nextTicket?: string;
}

export interface StartOptions {
  demo: boolean;
  /** Rate limits for calls to chat, if they differ from Slack's. */
  budgets?: BridgeOptions['budgets'];
  /** How long the sandbox waits for an acknowledgement and for a modal, if not for Slack's three seconds. */
  chatPatienceMs?: number;
  /** The time zone of all people of the demo, and of its business hours; default, each has another one. */
  timeZone?: string;
  /** Called as each part of the start begins. */
  onStep?: (step: StartStep) => void;
}

/** The parts of the start that take a noticeable time. */
export type StartStep = 'database' | 'service' | 'bridge';

/**
 * Starts programs in the order in which they need each other; `stop` stops them in reverse. If one cannot start, those
 * already running are stopped before the error is thrown.
 */
export async function startPrograms(
  config: Config,
  wanted: ReadonlySet<Program>,
  around: Surroundings,
  options: StartOptions,
): Promise<Started> {
  const parts = new Parts(around.log);
  const uses = (['service', 'bridge'] as const).filter((program) => wanted.has(program));
  // The sandbox has a file of its own. Started before anything else, because everything else is loaded while it starts.
  const database = isServed(wanted) ? databaseFor(config, parts, around.log, uses) : Promise.resolve('');
  try {
    return await startInOrder(config, wanted, around, options, parts, database);
  } catch (error) {
    await database.catch(() => undefined);
    await parts.stop().catch(() => undefined);
    throw error;
  }
}

/** Logs what keeps people from signing in. Beside the start: providers may answer late, or be started later. */
function warnOfSignIn(config: Config, { log, clock }: Surroundings): void {
  const warn = async () => {
    for (const { id, problems } of await checkedProviders(config, clock))
      for (const { says, fix } of problems)
        log.warn({ event: 'sign-in.problem', provider: id }, `${says} ${fix}`);
  };
  warn().catch((error: unknown) => log.error({ err: error }, 'the sign-in could not be checked'));
}

/** Ticket text is sent only to providers that `SEARCH_PROVIDERS` names. */
function searchOptions(config: Config): NonNullable<ServiceOptions['search']> {
  const providers = (config.SEARCH_PROVIDERS ?? []).map((name) => {
    const baseUrl = name === 'openai' ? config.OPENAI_BASE_URL : undefined;
    return [name, { apiKey: config[PROVIDER_KEY[name]] ?? '', ...(baseUrl && { baseUrl }) }] as const;
  });
  // The model is English only.
  const builtIn = config.SEARCH_MODEL === 'built-in' && config.SEARCH_LANGUAGE === 'english';
  return { ...Object.fromEntries(providers), builtIn, language: config.SEARCH_LANGUAGE };
}

/** A model is used only if `ANSWER_MODEL` names it: a key alone, which other programs use too, sends nothing. */
function answerOptions({ ANSWER_MODEL: model, ...config }: Config): NonNullable<ServiceOptions['answers']> {
  if (!model) return {};
  return { model: { model, apiKey: config.OPENAI_API_KEY ?? '', baseUrl: config.OPENAI_BASE_URL } };
}

function isServed(wanted: ReadonlySet<Program>): boolean {
  return wanted.has('service') || wanted.has('bridge') || wanted.has('desk');
}

/** Loads only what is needed; one after the other, so that the start of the database can proceed in between. */
async function load(wanted: ReadonlySet<Program>) {
  return {
    sandbox: wanted.has('sandbox') ? await import('../sandbox/index.ts') : undefined,
    platform: isServed(wanted)
      ? { ...(await import('../platform/http/index.ts')), ...(await import('../platform/metrics.ts')) }
      : undefined,
    service: wanted.has('service') ? await import('../service/index.ts') : undefined,
    desk: wanted.has('desk') ? await import('../desk/index.ts') : undefined,
    bridge: wanted.has('bridge') ? await import('../bridge/index.ts') : undefined,
  };
}

async function startInOrder(
  config: Config,
  wanted: ReadonlySet<Program>,
  around: Surroundings,
  options: StartOptions,
  parts: Parts,
  database: Promise<string>,
): Promise<Started> {
  // Handles a rejection before it is awaited.
  database.catch(() => undefined);
  const { log, clock, newId, random } = around;
  parts.add('tracing', await startTracing(config, around.version));
  if (isServed(wanted)) options.onStep?.('database');
  const loaded = await load(wanted);
  // Before the sandbox writes to its file: a database that cannot be used is refused before anything is changed.
  const databaseUrl = await database;
  const urls: Started['urls'] = {};
  const local = localUrl(config);
  const publicUrl = publicUrlOf(config);

  let chat = { botToken: config.SLACK_BOT_TOKEN ?? '', apiUrl: config.SLACK_API_URL };
  let receives: BridgeOptions['receives'] = config.SLACK_APP_TOKEN
    ? { appToken: config.SLACK_APP_TOKEN }
    : { signingSecret: config.SLACK_SIGNING_SECRET ?? '' };
  let sandbox: Sandbox | undefined;
  if (loaded.sandbox) {
    await requireDirectory(config.DATA_DIR);
    sandbox = parts.add(
      'sandbox',
      await loaded.sandbox.startSandbox({
        file: path.join(config.DATA_DIR, 'sandbox.db'),
        log,
        clock,
        newId,
        random,
        host: config.SANDBOX_HOST,
        port: config.SANDBOX_PORT,
        patienceMs: options.chatPatienceMs,
        seed: {
          ...SANDBOX_SEED,
          people: SANDBOX_SEED.people.map((person) => ({
            ...person,
            timeZone: options.timeZone ?? person.timeZone,
          })),
          // Run alone it is for any app: its token may do everything.
          ...(wanted.size === 1 && { app: { ...SANDBOX_SEED.app, scopes: undefined } }),
        },
      }),
    );
    urls.sandbox = sandbox.url;
    const { botToken, appToken, signingSecret } = DEMO.app;
    const byHttp = config.SANDBOX_TRANSPORT === 'http';
    chat = { botToken, apiUrl: sandbox.apiUrl };
    receives = byHttp ? { signingSecret } : { appToken };
    // When it runs alone, it keeps the stored settings of how its app is reached.
    if (!byHttp && wanted.has('bridge')) await sandbox.control.app({ requestUrl: null });
  }

  const failed = Promise.withResolvers<never>();
  // It may never be awaited.
  failed.promise.catch(() => undefined);
  if (!loaded.platform) return { urls, failed: failed.promise, stop: () => parts.stop() };
  const metrics = loaded.platform.createMetrics();
  registerDatabaseFigures(metrics);
  const http = loaded.platform.createHttpServer({
    log,
    newId,
    metrics,
    host: config.HOST,
    port: config.PORT,
    trustedProxies: config.TRUSTED_PROXIES,
  });

  let service: OpenService | undefined;
  let apiKey: string | undefined;
  let nextTicket: string | undefined;
  let hasHistory = false;
  if (loaded.service) {
    options.onStep?.('service');
    service = parts.add(
      'service',
      await loaded.service.openService({
        databaseUrl,
        log,
        clock,
        newId,
        random,
        rateLimitPerMinute: config.RATE_LIMIT_PER_MINUTE,
        allowPrivateWebhooks: config.ALLOW_PRIVATE_WEBHOOKS,
        encryptionKeys: await encryptionKeys(config),
        files: { file: config.FILE_MEGABYTES * 1024 ** 2, workspace: config.FILES_GIGABYTES * 1024 ** 3 },
        retention: { days: config.RETENTION_DAYS, auditDays: config.AUDIT_RETENTION_DAYS },
        publicUrl,
        version: around.version,
        metrics,
        search: searchOptions(config),
        answers: answerOptions(config),
        signIn: signInProviders(config, sandbox?.url),
        slackSigningSecret: config.SLACK_SIGNING_SECRET,
      }),
    );
    if (options.demo) {
      // Threads are for a sandbox to show, and for a bridge to continue.
      const { bridge: room } = loaded;
      const threads = await service.seedDemo(
        { ...DEMO, timeZone: options.timeZone },
        sandbox !== undefined && room !== undefined,
      );
      hasHistory = threads.length > 0;
      if (sandbox && room) sandbox.addHistory(demoHistory(threads, room.metadataOf));
      nextTicket = await service.nextReference(DEMO.itPrefix);
    } else await service.ensureWorkspace();
    apiKey = config.SERVICE_API_TOKEN ?? (await ownSecrets(config.DATA_DIR)).serviceApiToken;
    await service.installKey({
      token: apiKey,
      name: 'deskbridge',
      role: 'admin',
      source: 'CHAT',
      rateLimit: null,
      ...(config.SERVICE_API_TOKEN
        ? {}
        : {
            dataDirectory: await dataDirectoryId(config.DATA_DIR),
            // The embedded database is in the data directory.
            isOnlyDirectory: config.DATABASE_URL === undefined,
          }),
    });
    await http.app.register(service.plugin, { prefix: '/api' });
    await http.app.register(service.mcpPlugin, { prefix: '/mcp' });
    await http.app.register(service.oauthPlugin);
    await http.app.register(service.signInPlugin, { prefix: '/auth' });
    await sandbox?.control.app({ redirectUrls: [redirectUriOf(config, 'sandbox')] });
    await http.app.register(loaded.service.docsPlugin(around.version));
    http.addCheck('service', service.readiness.bind(service));
    urls.api = `${publicUrl}/api`;
  }

  if (loaded.desk) {
    const desk = loaded.desk.createDesk({
      service: serviceOf(config),
      // Another service does not know who signs in.
      signIn: service !== undefined,
      encryptionKeys: await encryptionKeys(config),
      publicUrl,
      threadUrl: async (channel, ts) =>
        sandbox ? `${sandbox.url}/#${channel}/${ts}` : bridge?.threadUrl(channel, ts),
      chat: { channels: async () => bridge?.channels(), members: async () => bridge?.members() },
      log,
      clock,
      random,
    });
    await http.app.register(parts.add('desk', desk).plugin);
    http.setNotFoundPage(desk.notFoundPage);
    service?.onAccessChange(() => desk.checkSessions());
    service?.onReadersChange(() => desk.tellReaders());
    urls.desk = publicUrl;
  } else
    http.app.get('/', (_request, reply) =>
      reply
        .type('text/plain; charset=utf-8')
        .send(
          `deskbridge runs here without its desk: ${[...wanted].join(', ')}.\n${loaded.service ? 'The API is at /api, its documentation at /docs.\n' : ''}The desk is part of \`deskbridge start\`.\n`,
        ),
    );

  // Stopped after the bridge, which still calls the service while it drains, and before the service.
  parts.add('http', http);
  const scopes = await botScopes();
  if (loaded.bridge) options.onStep?.('bridge');
  const bridge = loaded.bridge ? parts.add('bridge', await openBridges()) : undefined;
  if (bridge) {
    await http.app.register(bridge.plugin);
    http.addCheck('database', () => bridge.readiness.database());
    http.addCheck('chat', () => bridge.readiness.chat());
    http.addCheck('jobs', () => bridge.readiness.jobs());
  }
  await http.listen();
  if (service) warnOfSignIn(config, around);
  // Not before: its deliveries to the bridge would fail and be retried much later.
  await service?.begin();
  // The demo's threads are known to chat and to the service alone.
  if (hasHistory) await bridge?.restoreLinks?.();
  await bridge?.start();
  if (loaded.bridge && config.SANDBOX_TRANSPORT === 'http')
    await sandbox?.control.app({ requestUrl: `${local}${loaded.bridge.EVENTS_PATH}` });
  return {
    urls,
    failed: failed.promise,
    ...(bridge?.waitsFor && { waitsFor: () => bridge.waitsFor?.() }),
    ...(apiKey ? { apiKey } : {}),
    ...(service && { adminLink: service.adminLink.bind(service) }),
    ...(nextTicket ? { nextTicket } : {}),
    stop: () => parts.stop(),
  };

  /** Opens the bridge of the one workspace with a configured token, else of all that have installed the app. */
  async function openBridges(): Promise<BridgeProgram> {
    const { createBridge, createInstalledBridge } = await import('../bridge/index.ts');
    const credentials = credentialsOf(config);
    if (credentials) {
      const { openInstallations } = await import('./installed.ts');
      return createInstalledBridge({
        ...bridgeOptions(),
        credentials,
        installations: await openInstallations(config, parts, around, databaseUrl),
        installKey: installKeyOf(credentials.stateSecret),
        addMetrics: http.addMetrics.bind(http),
      });
    }
    return createBridge({ ...bridgeOptions(), chat, metrics });
  }

  function bridgeOptions(): Omit<BridgeOptions, 'metrics'> {
    return {
      ...connectionOf(config, around, databaseUrl, apiKey ?? config.SERVICE_API_TOKEN ?? ''),
      chat,
      receives,
      expectWebhook: (url) => service?.exemptWebhookUrl(url),
      failed: (error) => failed.reject(error),
      webhookSecret: config.SERVICE_WEBHOOK_SECRET,
      concurrency: config.CONCURRENT_CONVERSATIONS,
      postsPerSecond: config.CHAT_POSTS_PER_SECOND,
      budgets: options.budgets,
      retentionDays: config.RETENTION_DAYS,
      bodyDays: config.EVENT_BODY_DAYS,
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
