import { afterAll, beforeAll, onTestFinished } from 'vitest';

import type { Role } from '../../src/contract/index.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { type Database, openDatabase, transaction } from '../../src/platform/database/open.ts';
import { createHttpServer } from '../../src/platform/http/index.ts';
import { createIds } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/log.ts';
import { createMetrics, type Metrics } from '../../src/platform/metrics.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { migrateService, type Service, type ServiceOptions, openService } from '../../src/service/index.ts';
import { SCHEMA } from '../../src/service/schema/migrations.ts';
import type { Tables } from '../../src/service/schema/tables.ts';
import { createQueue, createWorkspace } from '../../src/service/schema/workspace.ts';
import { CONNECTION_WAIT_MS, migratedDatabase, type TestDatabase } from '../harness/database.ts';

export interface Line {
  msg: string;
  [field: string]: unknown;
}

/**
 * The fields that tests read from responses of any record. The service itself and routes.test.ts check that a
 * record has exactly the fields of its schema.
 */
export interface Body {
  id: string;
  items: Body[];
  totalCount: number;
  nextCursor: string | null;
  responseType: string;
  // Errors, and the references of tickets.
  code: string;
  requestId: string;
  issues?: { path: string; message: string }[];
  // Tickets and messages.
  title: string;
  description: string;
  content: string;
  number: number;
  shortId: string;
  label: string;
  order: number;
  status: { label: string };
  statusId: string;
  queueId: string;
  ticketId: string;
  authorId: string;
  requesterId: string;
  assigneeId: string | null;
  approvers: { id: string }[];
  messages?: Body[];
  followers: { id: string }[];
  links: { id: string; kind: string; direction: string; ticket: { id: string; code: string } }[];
  mergedIntoId: string | null;
  conflict?: unknown;
  people: { userId: string; name: string; state: string; until: string }[];
  children: Body[] | string[];
  parent: unknown;
  private: boolean;
  customFields: Record<string, unknown>;
  metadata: { approval: unknown; claim: unknown };
  chatThreads: { id: string; channelId: string; messageTs: string }[];
  chatMessages: { ts: string }[];
  reactions: { authorId: string; emoji: string }[];
  createdAt: string;
  updatedAt: string;
  publishedAt: string | null;
  assignedAt: string | null;
  dueAt: string | null;
  firstReplyDueAt: string | null;
  resolutionDueAt: string | null;
  slaPausedAt: string | null;
  expectedReplyAt: string | null;
  lastReply: { id: string; authorId: string | null; excerpt: string; createdAt: string } | null;
  snoozeUntil: string | null;
  respondedAt: string | null;
  resolvedAt: string | null;
  closedAt: string | null;
  approvedAt: string | null;
  declinedAt: string | null;
  archivedAt: string | null;
  lastUsedAt: string | null;
  // Everything else.
  businessHoursId: string | null;
  isDefault: boolean;
  key: string;
  prefix: string;
  active: boolean;
  secret: string | null;
  state: string;
  attemptCount: number;
  attempts: { at: string; status: number | null; error: string | null }[];
  nextAttemptAt: string | null;
  eventId: string;
}

export interface Answered {
  status: number;
  body: Body;
  headers: Headers;
}

export type Call = (
  method: string,
  path: string,
  options?: { token?: string | null; body?: unknown; headers?: Record<string, string> },
) => Promise<Answered>;

export interface Running {
  service: Service;
  url: string;
  databaseUrl: string;
  workspaceId: string;
  /** An admin key of the workspace, without a rate limit. */
  token: string;
  call: Call;
  key: (role: Role, workspaceId?: string) => Promise<string>;
  lines: Line[];
  metrics: Metrics;
  /** Of a service that the tests of a file share; `openTables` opens others. */
  sharedTables?: Database<Tables>;
  stop(): Promise<void>;
}

/** The encryption key of the tests' services. */
export const TEST_ENCRYPTION_KEY = Buffer.alloc(32, 'test');

export interface Settings extends Partial<
  Pick<
    ServiceOptions,
    | 'rateLimitPerMinute'
    | 'allowPrivateWebhooks'
    | 'poolSize'
    | 'connectionWaitMs'
    | 'notificationsEveryMs'
    | 'warningsEveryMs'
    | 'scheduledRepliesEveryMs'
    | 'assistCallMs'
    | 'deliveryMs'
    | 'indexingEveryMs'
    | 'forgetEveryMs'
    | 'search'
    | 'answers'
    | 'encryptionKeys'
    | 'retention'
    | 'signIn'
    | 'slackSigningSecret'
    | 'publicUrl'
    | 'files'
  >
> {
  clock?: Clock;
  trustedProxies?: number;
  databaseUrl?: string;
  port?: number;
  /** When its work starts; at once by default. */
  begins?: Promise<void>;
  /** Runs on the empty database, before its first workspace is created. */
  prepare?: (service: Service) => Promise<unknown>;
}

/** An empty, migrated database of the service's own. */
export async function serviceDatabase(): Promise<string> {
  return (await emptyDatabase()).url;
}

function emptyDatabase(): Promise<TestDatabase> {
  return migratedDatabase('service', (url) => migrateService(url, quiet()));
}

function quiet() {
  return createLog({ level: 'silent', pretty: false });
}

/**
 * A service for all tests of a file, called at the top of the file. Each call of what it returns, in a test, makes a
 * workspace with a queue and an admin key of its own there, since a start takes a sixth of a second of CPU. Tests that
 * need other settings or a clock, read metrics or `/workspaces`, or stop it have a service of their own.
 */
export function sharedService(settings: Settings = {}): () => Promise<Running> {
  const { clock = systemClock } = settings;
  const newId = createIds(clock);
  let shared: (Opened & { sharedTables: Database<Tables> }) | undefined;
  let end: (() => Promise<void>) | undefined;
  let made = 0;
  beforeAll(async () => {
    const database = await emptyDatabase();
    const tables = openDatabase<Tables>({
      url: database.url,
      schema: SCHEMA,
      log: quiet(),
      poolSize: 2,
      waitMs: CONNECTION_WAIT_MS,
    });
    const opened = await open({ ...settings, databaseUrl: database.url });
    shared = { ...opened, sharedTables: tables };
    end = async () => {
      await opened.stop();
      await tables.close();
      await database.drop();
    };
  });
  afterAll(async () => end?.());
  return async () => {
    if (!shared) throw new Error('only a test has a workspace of the shared service');
    shared.lines.length = 0;
    const now = clock.now();
    const workspace = { name: 'Help desk', slug: `help-desk-${++made}` };
    const workspaceId = await transaction(shared.sharedTables.db, async (tx) => {
      const id = await createWorkspace(tx, { newId }, now, workspace);
      const queue = { workspaceId: id, name: 'Help desk', prefix: 'HELP', emoji: '🎫' };
      await createQueue(tx, { newId }, now, queue);
      return id;
    });
    return running(shared, workspaceId);
  };
}

/** A service with a workspace on a real server, stopped at the end of the test. */
export async function startTestService(settings: Settings = {}): Promise<Running> {
  const databaseUrl = settings.databaseUrl ?? (await serviceDatabase());
  const opened = await open({ ...settings, databaseUrl });
  onTestFinished(opened.stop);
  await settings.prepare?.(opened.service);
  return running(opened, await opened.service.ensureWorkspace());
}

type Opened = Omit<Running, 'workspaceId' | 'token' | 'call' | 'key'>;

async function open(settings: Settings & { databaseUrl: string }): Promise<Opened> {
  const { clock = systemClock } = settings;
  const lines: Line[] = [];
  const log = createLog({
    level: 'debug',
    pretty: false,
    destination: { write: (line) => void lines.push(JSON.parse(line) as Line) },
  });
  const { databaseUrl } = settings;
  const metrics = createMetrics();
  const newId = createIds(clock);
  const http = createHttpServer({
    log,
    newId,
    metrics,
    host: '127.0.0.1',
    port: settings.port ?? 0,
    ...(settings.trustedProxies !== undefined && { trustedProxies: settings.trustedProxies }),
  });
  const service = await openService({
    databaseUrl,
    log,
    clock,
    newId,
    random: systemRandom,
    rateLimitPerMinute: settings.rateLimitPerMinute ?? 1_000_000,
    allowPrivateWebhooks: settings.allowPrivateWebhooks ?? true,
    encryptionKeys: settings.encryptionKeys ?? [TEST_ENCRYPTION_KEY],
    retention: settings.retention ?? { days: 90 },
    // Tests that need inboxes fill them themselves, or say how often.
    notificationsEveryMs: settings.notificationsEveryMs ?? 3_600_000,
    warningsEveryMs: settings.warningsEveryMs ?? 3_600_000,
    scheduledRepliesEveryMs: settings.scheduledRepliesEveryMs ?? 3_600_000,
    ...(settings.assistCallMs !== undefined && { assistCallMs: settings.assistCallMs }),
    ...(settings.deliveryMs !== undefined && { deliveryMs: settings.deliveryMs }),
    // A write indexes what it wrote: nothing in the tests waits for what would come after it.
    indexingEveryMs: settings.indexingEveryMs ?? 3_600_000,
    forgetEveryMs: settings.forgetEveryMs ?? 3_600_000,
    publicUrl: settings.publicUrl ?? 'http://127.0.0.1',
    version: '0.0.0-test',
    metrics,
    connectionWaitMs: settings.connectionWaitMs ?? CONNECTION_WAIT_MS,
    ...(settings.search && { search: settings.search }),
    ...(settings.answers && { answers: settings.answers }),
    ...(settings.files && { files: settings.files }),
    ...(settings.signIn && { signIn: settings.signIn }),
    ...(settings.slackSigningSecret && { slackSigningSecret: settings.slackSigningSecret }),
    ...(settings.poolSize !== undefined && { poolSize: settings.poolSize }),
  });
  let beginning: Promise<void> | undefined;
  if (settings.begins) void settings.begins.then(() => (beginning = service.begin()));
  else await service.begin();
  await http.app.register(service.plugin, { prefix: '/api' });
  await http.app.register(service.mcpPlugin, { prefix: '/mcp' });
  await http.app.register(service.oauthPlugin);
  await http.app.register(service.signInPlugin, { prefix: '/auth' });
  http.addCheck('service', () => service.readiness());
  const { port } = await http.listen();
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (stopped) return;
    stopped = true;
    await http.stop();
    // A program begins before it can be stopped.
    await beginning;
    await service.stop();
  };
  return { service, url: `http://127.0.0.1:${port}/api`, databaseUrl, lines, metrics, stop };
}

/** What a test has: a workspace of a service, with an admin key for it. */
async function running(opened: Opened, workspaceId: string): Promise<Running> {
  const { service, url } = opened;
  const install = async (name: string, role: Role, home: string) =>
    (await service.installKey({ name, role, rateLimit: null, workspaceId: home })).token;
  const token = await install('test', 'admin', workspaceId);
  return {
    ...opened,
    workspaceId,
    token,
    call: caller(url, token),
    key: (role, home = workspaceId) => install(role, role, home),
  };
}

export function caller(url: string, ownToken: string): Call {
  return async (method, path, { token = ownToken, body, headers } = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token !== null && { 'x-service-api-token': token }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Body };
  };
}
