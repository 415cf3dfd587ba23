import { randomBytes } from 'node:crypto';

import type { FastifyPluginAsync } from 'fastify';

import { isPublicAddress, literalAddress } from '../platform/address-guard.ts';
import type { Clock } from '../platform/clock.ts';
import { migrate } from '../platform/database/migrate.ts';
import { openDatabase, pingDatabase, transaction } from '../platform/database/open.ts';
import { createEgress } from '../platform/egress.ts';
import type { NewId } from '../platform/ids.ts';
import { registerLaneGauges } from '../platform/lanes/gauges.ts';
import { createLanes } from '../platform/lanes/index.ts';
import { Parts, type Running } from '../platform/lifecycle.ts';
import { createSealing } from '../platform/sealing.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { type AnswerOptions, createAnswers } from './answers/answers.ts';
import { workAnswers } from './answers/work.ts';
import { startRetention } from './delivery/retention.ts';
import { workDeliveries } from './delivery/work.ts';
import type { Tools } from './handler.ts';
import { createHandlers } from './handlers.ts';
import { createPlugin } from './http/plugin.ts';
import { installKey, type InstallKeyOptions } from './keys/install.ts';
import { createEmbeddings, type SearchOptions } from './search/embeddings.ts';
import { startIndex, workIndex } from './search/language.ts';
import { startEmbeddings, workEmbeddings } from './search/vectors/work.ts';
import { type DemoData, seedDemo } from './schema/demo.ts';
import { migrations, SCHEMA } from './schema/migrations.ts';
import type { Tables } from './schema/tables.ts';
import { createQueue, createWorkspace, lockFirstWorkspace } from './schema/workspace.ts';
import { sealStoredSecrets } from './webhooks/secrets.ts';

export interface ServiceOptions {
  databaseUrl: string;
  log: Log;
  clock: Clock;
  newId: NewId;
  /** 0 ≤ x < 1; for jitter and short ids, never for secrets. */
  random: () => number;
  /** Requests a minute of keys without a limit of their own, and of each address without a key. */
  rateLimitPerMinute: number;
  allowPrivateWebhooks: boolean;
  /** 32 bytes each: the first seals the secrets that are stored, all of them open what one of them sealed. */
  encryptionKeys: readonly Buffer[];
  /** How long deliveries that succeeded, and their events, are kept. */
  retention: { days: number; everyMs?: number };
  publicUrl: string;
  version: string;
  metrics: Metrics;
  /** Keys of those who make vectors for search, and the language of the built-in index. */
  search?: SearchOptions;
  /** Which model answers for the automated agents; without it, what is known here is quoted. */
  answers?: AnswerOptions;
  /** Database connections at most; default 10. */
  poolSize?: number;
}

/** The ticketing service of the specification. */
export interface Service extends Running {
  /** Its operations, to be registered under `/api`. */
  readonly plugin: FastifyPluginAsync;
  installKey(options: InstallKeyOptions): Promise<{ token: string }>;
  /** Lets exactly this URL be called though it is private: the bridge's own door. */
  exemptWebhookUrl(url: string): void;
  /** Fills an empty database with the demo workspace; does nothing to one that has a workspace. */
  seedDemo(demo: DemoData): Promise<void>;
  /** Makes sure there is a workspace with its statuses and a queue; resolves with the id of the first one. */
  ensureWorkspace(): Promise<string>;
  /** The reference that the next ticket of a queue will get (`IT-5`); undefined where no queue has that prefix. */
  nextReference(prefix: string): Promise<string | undefined>;
  /** Rejects while the database does not answer. */
  readiness(): Promise<void>;
}

export interface OpenService extends Service {
  /** Makes what waits to be delivered, indexed or answered; once. */
  begin(): Promise<void>;
}

/** How long attempts in flight may take when we stop; those that are cut off are made again at the next start. */
const STOP_GRACE_MS = 3_000;

/** Brings the service's tables up to date. */
export async function migrateService(databaseUrl: string, log: Log): Promise<void> {
  const database = openDatabase<Tables>({ url: databaseUrl, schema: SCHEMA, log, poolSize: 1 });
  try {
    await migrate(database, migrations);
  } finally {
    await database.close();
  }
}

/** Opens the service and begins its work at once. */
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
 * Opens the service: migrates its tables. Its work begins when it is told to, since a delivery may go to who is opened
 * after it and is not there yet.
 */
export async function openService(options: ServiceOptions): Promise<OpenService> {
  const { log, clock, newId, random, allowPrivateWebhooks, metrics, version } = options;
  const parts = new Parts(log);
  const database = openDatabase<Tables>({
    url: options.databaseUrl,
    schema: SCHEMA,
    name: 'deskbridge service',
    log,
    ...(options.poolSize !== undefined && { poolSize: options.poolSize }),
  });
  parts.add('database', { stop: () => database.close() });
  const { db } = database;
  const exempt = new Set<string>();
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
  let begin: OpenService['begin'];
  try {
    await migrate(database, migrations);
    await sealStoredSecrets(db, tools.sealing);
    const egress = parts.add(
      'egress',
      createEgress({ allowPrivate: allowPrivateWebhooks, isExempt: (url) => exempt.has(url) }),
    );
    const lanes = createLanes({ database, log, random });
    parts.add('lanes', { stop: () => lanes.stop(STOP_GRACE_MS) });
    workIndex(lanes);
    if (embeddings.providers.length > 0) workEmbeddings({ lanes, providers: embeddings.providers, log });
    workDeliveries({ lanes, tools, egress, log, clock, random, version, metrics });
    workAnswers({ lanes, tools, log, clock, metrics, ...answers });
    parts.add('retention', startRetention({ db, clock, log, ...options.retention }));
    registerLaneGauges(metrics, 'service', lanes, log);
    begin = async () => {
      await lanes.start();
      await startIndex(db, options.search?.language, log);
      await embeddings.prepare(db, log);
      await startEmbeddings(db, embeddings.providers);
    };
  } catch (error) {
    await parts.stop().catch(() => undefined);
    throw error;
  }

  return {
    begin,
    plugin: createPlugin({
      db,
      handlers: createHandlers(tools, embeddings),
      tools,
      log,
      clock,
      rateLimitPerMinute: options.rateLimitPerMinute,
      version,
    }),
    installKey: (key) => installKey(db, { tools, log, now: clock.now() }, key),
    exemptWebhookUrl: (url) => void exempt.add(url),
    seedDemo: (demo) => transaction(db, (tx) => seedDemo(tx, tools, clock.now(), demo)),
    ensureWorkspace: () =>
      transaction(db, async (tx) => {
        const first = await lockFirstWorkspace(tx);
        if (first !== undefined) return first;
        const now = clock.now();
        const workspaceId = await createWorkspace(tx, tools, now, { name: 'Help desk', slug: 'help-desk' });
        await createQueue(tx, tools, now, { workspaceId, name: 'Help desk', prefix: 'HELP', emoji: '🎫' });
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
    readiness: () => pingDatabase(db),
    stop: () => parts.stop(),
  };
}

function isLiterallyPrivate(url: string): boolean {
  const address = literalAddress(new URL(url));
  return address !== undefined && !isPublicAddress(address);
}
