import { randomBytes } from 'node:crypto';

import type { FastifyPluginAsync } from 'fastify';

import { isPublicAddress, literalAddress } from '../platform/address-guard.ts';
import type { Clock } from '../platform/clock.ts';
import { migrate, pendingMigrations } from '../platform/database/migrate.ts';
import { openDatabase, pingDatabase, transaction } from '../platform/database/open.ts';
import { createEgress } from '../platform/egress.ts';
import type { NewId } from '../platform/ids.ts';
import { Engine, registerEngineGauges } from '../platform/engine/index.ts';
import { Parts, type Running } from '../platform/lifecycle.ts';
import { createSealing } from '../platform/sealing.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { READERS_CHANNEL } from './access/readers-change.ts';
import { type AnswerOptions, createAnswers } from './answers/answers.ts';
import { createAssist } from './assist/assist.ts';
import { createMcpPlugin } from './assist/mcp/plugin.ts';
import { createOAuthPlugin } from './oauth/plugin.ts';
import { workAnswers } from './answers/work.ts';
import { type RetentionOptions, startForgetting, startRetention } from './upkeep/retention.ts';
import { workDeliveries } from './delivery/work.ts';
import { workErasures } from './erasure/copies.ts';
import { registerFileGauges } from './files/gauges.ts';
import { createPostgresStorage } from './files/postgres-storage.ts';
import { UploadPlaces } from './files/upload-places.ts';
import { DEFAULT_FILE_LIMITS, type FileLimits, WorkspaceRoom } from './file-records/room.ts';
import { createThumbnails } from './files/thumbnails.ts';
import type { Tools } from './handler.ts';
import { createHandlers } from './handlers.ts';
import { createAdmission } from './http/admission.ts';
import { createPlugin } from './plugin.ts';
import { installKey, type InstallKeyOptions } from './keys/install.ts';
import { createKnownCallers, type KnownCallers } from './http/known-callers.ts';
import { createEmbeddings, type SearchOptions } from './search/embeddings.ts';
import { startScheduledReplies } from './scheduled-replies/send.ts';
import { startIndexing } from './search/index/indexing.ts';
import { startIndex, workIndex } from './search/index/rebuild.ts';
import { startEmbeddings, workEmbeddings } from './search/vectors/work.ts';
import { type DemoData, seedDemo } from './demo/seed.ts';
import type { DemoThread } from './demo/chat.ts';
import { startNotifications } from './notifications/work.ts';
import { migrations, SCHEMA } from './schema/migrations.ts';
import type { Tables } from './schema/tables.ts';
import { createQueue, createWorkspace, lockFirstWorkspace } from './schema/workspace.ts';
import { personName } from './sign-in/find-person.ts';
import { createLink, firstAdmin } from './sign-in/links.ts';
import { createSignInPlugin } from './sign-in/plugin.ts';
import type { ProviderOptions } from './sign-in/provider.ts';
import { workDueTimes } from './due-times/work.ts';
import { startWarnings } from './warnings/tell.ts';
import { workNotices } from './webhooks/notice.ts';
import { sealStoredSecrets } from './delivery/secrets.ts';
import { type ServiceEngine, SLOTS } from './work.ts';
import { insertTemplates } from './workflow-config/insert-templates.ts';
import { workWorkflows } from './workflows/work.ts';

export interface ServiceOptions {
  databaseUrl: string;
  log: Log;
  clock: Clock;
  newId: NewId;
  /** 0 ≤ x < 1; for jitter and short ids, never for secrets. */
  random: () => number;
  /** Requests per minute of keys without a limit of their own, and of each client address without a key. */
  rateLimitPerMinute: number;
  allowPrivateWebhooks: boolean;
  /** 32 bytes each: the first encrypts stored secrets, all of them decrypt. */
  encryptionKeys: readonly Buffer[];
  /** How long finished deliveries with their events, and audit entries, are kept. */
  retention: Pick<RetentionOptions, 'days' | 'auditDays' | 'everyMs'>;
  publicUrl: string;
  version: string;
  metrics: Metrics;
  /** Keys of vector providers, and the language of the built-in index. */
  search?: SearchOptions;
  /** The model that answers for the AI agents; without it, they quote the knowledge bases. */
  answers?: AnswerOptions;
  /** The signing secret of the Slack app, with which Slack asks for its people (MCP). */
  slackSigningSecret?: string | undefined;
  /** The OpenID providers that people sign in with. */
  signIn?: readonly ProviderOptions[];
  /** Milliseconds between two searches for what people are to be notified of; default a second. */
  notificationsEveryMs?: number;
  /** Milliseconds between two looks for targets that people are to be warned of; default a second. */
  warningsEveryMs?: number;
  /** Milliseconds between two looks for scheduled replies that are due; default a second. */
  scheduledRepliesEveryMs?: number;
  /** Milliseconds after which a call of an AI tool is answered, whatever it still does. Default 20,000. */
  assistCallMs?: number;
  /** Milliseconds that an endpoint has to answer a delivery; default 15,000. */
  deliveryMs?: number;
  /** Milliseconds between two searches for what writes left to index; default a second. */
  indexingEveryMs?: number;
  /** Milliseconds between two deletions of done work; default ten seconds. */
  forgetEveryMs?: number;
  /** Limits of files; default 100 MB for one, 50 GB for a workspace. */
  files?: Partial<FileLimits>;
  /** Maximum number of database connections; default 10. */
  poolSize?: number;
  /** Milliseconds for which a statement waits for one; default 5,000. */
  connectionWaitMs?: number;
}

/** The ticketing service of the specification. */
export interface Service extends Running {
  /** The API, to be registered under `/api`. */
  readonly plugin: FastifyPluginAsync;
  /** The AI tools over the Model Context Protocol, to be registered under `/mcp`. */
  readonly mcpPlugin: FastifyPluginAsync;
  /** OAuth for the AI tools, to be registered at the root of the desk's origin. */
  readonly oauthPlugin: FastifyPluginAsync;
  /** Signing in, to be registered under `/auth` on the desk's origin. */
  readonly signInPlugin: FastifyPluginAsync;
  installKey(options: InstallKeyOptions): Promise<{ token: string }>;
  /** Allows calls to exactly this private URL: the bridge's own webhook endpoint. */
  exemptWebhookUrl(url: string): void;
  /**
   * Fills an empty database with the demo workspace; does nothing if it already has a workspace.
   * @param inChat whether a chat will show the threads of the tickets that were asked there.
   * @returns these threads.
   */
  seedDemo(demo: DemoData, inChat?: boolean): Promise<DemoThread[]>;
  /** Ensures that there is a workspace with its statuses and a queue; returns the id of the first one. */
  ensureWorkspace(): Promise<string>;
  /** Creates a sign-in link for the first admin of the first workspace, with their name; undefined if it has none. */
  adminLink(): Promise<{ url: string; name: string } | undefined>;
  /** Returns the reference of a queue's next ticket (`IT-5`); undefined if no queue has that prefix. */
  nextReference(prefix: string): Promise<string | undefined>;
  /** Calls back when a session ended or a person's role changed, in whichever process. */
  onAccessChange(listener: () => void): void;
  /** Calls back when a ticket moved or was made private or public, or a queue got other readers, in whichever process. */
  onReadersChange(listener: () => void): void;
  /** Rejects while the database is unavailable. */
  readiness(): Promise<void>;
}

export interface OpenService extends Service {
  /** Starts deliveries, indexing and answers; call once. */
  begin(): Promise<void>;
}

/** Time limit of attempts in flight at stop; aborted ones are repeated at the next start. */
const STOP_GRACE_MS = 3_000;

/**
 * Checks that this version can use the service's tables, without changing anything.
 * @throws MigrationError if it cannot.
 */
export async function checkServiceSchema(databaseUrl: string, log: Log): Promise<void> {
  const database = openDatabase<Tables>({ url: databaseUrl, schema: SCHEMA, log, poolSize: 1 });
  try {
    await pendingMigrations(database, migrations);
  } finally {
    await database.close();
  }
}

/** Migrates the service's tables. */
export async function migrateService(databaseUrl: string, log: Log): Promise<void> {
  const database = openDatabase<Tables>({ url: databaseUrl, schema: SCHEMA, log, poolSize: 1 });
  try {
    await migrate(database, migrations);
  } finally {
    await database.close();
  }
}

/** Opens the service and starts its work immediately. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const service = await openService(options);
  try {
    await service.begin();
    return service;
  } catch (error) {
    await service.stop().catch(() => undefined);
    throw error;
  }
}

/**
 * Opens the service and migrates its tables. Its work starts separately, because a delivery may go to a program that is
 * opened later.
 */
export async function openService(options: ServiceOptions): Promise<OpenService> {
  const { log, clock, newId, random, allowPrivateWebhooks, metrics, version } = options;
  const parts = new Parts(log);
  const database = openDatabase<Tables>({
    url: options.databaseUrl,
    schema: SCHEMA,
    name: 'deskbridge service',
    log,
    plansOnce: 'in transactions',
    ...(options.poolSize !== undefined && { poolSize: options.poolSize }),
    ...(options.connectionWaitMs !== undefined && { waitMs: options.connectionWaitMs }),
  });
  parts.add('database', { stop: () => database.close() });
  const { db } = database;
  const storage = createPostgresStorage(db, newId);
  const exempt = new Set<string>();
  const readersListeners: (() => void)[] = [];
  const embeddings = parts.add(
    'embeddings',
    createEmbeddings(options.search ?? {}, () => clock.now()),
  );
  const answers = parts.add(
    'answers',
    createAnswers(options.answers ?? {}, () => clock.now()),
  );
  const tools: Tools = {
    newId,
    random,
    randomBytes,
    publicUrl: options.publicUrl,
    sealing: createSealing(options.encryptionKeys),
    webhookUrlAllowed: (url) => allowPrivateWebhooks || exempt.has(url) || !isLiterallyPrivate(url),
  };
  const engine: ServiceEngine = new Engine({ database, log, random, slots: SLOTS });
  let begin: OpenService['begin'];
  let keys: KnownCallers;
  try {
    await migrate(database, migrations);
    await sealStoredSecrets(db, tools.sealing);
    const egress = parts.add(
      'egress',
      createEgress({
        allowPrivate: allowPrivateWebhooks,
        isExempt: (url) => exempt.has(url),
        ...(options.deliveryMs !== undefined && { timeoutMs: options.deliveryMs }),
      }),
    );
    parts.add('engine', { stop: () => engine.stop(STOP_GRACE_MS) });
    keys = createKnownCallers(db, engine, clock);
    engine.listen(READERS_CHANNEL, () => {
      for (const listener of readersListeners) listener();
    });
    workIndex(engine);
    workErasures(engine, db);
    workDueTimes({ engine, db, clock, newId });
    if (embeddings.providers.length > 0)
      parts.add(
        'vectors',
        workEmbeddings({
          engine,
          db,
          providers: embeddings.providers,
          log,
          renewMs: options.search?.renewMs,
        }),
      );
    workDeliveries({ engine, db, tools, egress, log, clock, random, version, metrics });
    workNotices({ engine, tools, clock, log });
    workWorkflows({ engine, tools, log, clock });
    const meaning = () => embeddings.meaningOf(undefined);
    workAnswers({ engine, db, tools, log, clock, metrics, meaning, ...answers });
    parts.add('retention', startRetention({ db, storage, clock, log, ...options.retention }));
    parts.add('done work', startForgetting({ engine, clock, log, everyMs: options.forgetEveryMs }));
    parts.add('indexing', startIndexing({ db, log, everyMs: options.indexingEveryMs }));
    parts.add(
      'notifications',
      startNotifications({ db, clock, log, newId, everyMs: options.notificationsEveryMs }),
    );
    parts.add('warnings', startWarnings({ db, engine, clock, log, newId, everyMs: options.warningsEveryMs }));
    parts.add(
      'scheduled replies',
      startScheduledReplies({ db, engine, tools, clock, log, everyMs: options.scheduledRepliesEveryMs }),
    );
    registerEngineGauges(metrics, 'service', engine, log);
    registerFileGauges(metrics, db, log);
    begin = async () => {
      await engine.start();
      await startIndex(engine, options.search?.language, log);
      await embeddings.prepare(db, log);
      await startEmbeddings(engine, embeddings.providers);
    };
  } catch (error) {
    await parts.stop().catch(() => undefined);
    throw error;
  }

  const fileLimits = { ...DEFAULT_FILE_LIMITS, ...options.files };
  const handlers = createHandlers(tools, embeddings);
  const admission = createAdmission({ keys, clock, rateLimitPerMinute: options.rateLimitPerMinute });
  return {
    begin,
    plugin: createPlugin({
      db,
      engine,
      keys,
      handlers,
      tools,
      log,
      clock,
      admission,
      version,
      files: {
        db,
        engine,
        storage,
        tools,
        limit: fileLimits.file,
        workspaceRoom: new WorkspaceRoom(db, fileLimits.workspace),
        places: new UploadPlaces(),
        thumbnails: createThumbnails({ db, storage, clock, log }),
      },
    }),
    mcpPlugin: createMcpPlugin({
      db,
      assist: createAssist({ db, engine, handlers, tools, clock, log, callMs: options.assistCallMs }),
      admission,
      log,
      clock,
      publicUrl: options.publicUrl,
      version,
      slackSigningSecret: options.slackSigningSecret,
    }),
    oauthPlugin: createOAuthPlugin({ db, tools, keys, clock }),
    signInPlugin: createSignInPlugin({ db, tools, log, clock, providers: options.signIn ?? [] }),
    adminLink: () =>
      transaction(db, async (tx) => {
        const workspaceId = await lockFirstWorkspace(tx);
        const admin = workspaceId === undefined ? undefined : await firstAdmin(tx, workspaceId);
        if (!admin) return undefined;
        return { url: await createLink(tx, tools, clock.now(), admin), name: await personName(tx, admin) };
      }),
    installKey: async (key) => {
      const installed = await installKey(db, { tools, log, now: clock.now() }, key);
      // It may have replaced another one.
      keys.forget();
      return installed;
    },
    exemptWebhookUrl: (url) => void exempt.add(url),
    seedDemo: (demo, inChat = false) =>
      transaction(db, (tx) => seedDemo(tx, tools, clock.now(), demo, inChat)),
    ensureWorkspace: () =>
      transaction(db, async (tx) => {
        const first = await lockFirstWorkspace(tx);
        if (first !== undefined) return first;
        const now = clock.now();
        const workspaceId = await createWorkspace(tx, tools, now, { name: 'Help desk', slug: 'help-desk' });
        await createQueue(tx, tools, now, { workspaceId, name: 'Help desk', prefix: 'HELP', emoji: '🎫' });
        await insertTemplates(tx, tools, now, workspaceId);
        return workspaceId;
      }),
    nextReference: async (prefix) => {
      const queue = await db
        .selectFrom('queue')
        .select('last_number')
        .where('prefix', '=', prefix)
        .executeTakeFirst();
      return queue && `${prefix}-${queue.last_number + 1}`;
    },
    onAccessChange: (listener) => keys.onForget(listener),
    onReadersChange: (listener) => void readersListeners.push(listener),
    readiness: () => pingDatabase(db),
    stop: () => parts.stop(),
  };
}

function isLiterallyPrivate(url: string): boolean {
  const address = literalAddress(new URL(url));
  return address !== undefined && !isPublicAddress(address);
}
