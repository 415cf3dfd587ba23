import { randomUUID } from 'node:crypto';

import { onTestFinished } from 'vitest';

import type { Role } from '../../src/contract/index.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { createHttpServer } from '../../src/platform/http/index.ts';
import { createIds } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/log.ts';
import { createMetrics, type Metrics } from '../../src/platform/metrics.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { migrateService, type Service, type ServiceOptions, openService } from '../../src/service/index.ts';
import { migratedDatabase } from '../harness/database.ts';

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
  /** An admin key of the first workspace, without a rate limit. */
  token: string;
  call: Call;
  key: (role: Role, workspaceId?: string) => Promise<string>;
  lines: Line[];
  metrics: Metrics;
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
    | 'notificationsEveryMs'
    | 'search'
    | 'answers'
    | 'encryptionKeys'
    | 'retention'
    | 'signIn'
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
  const { url } = await migratedDatabase('service', (templateUrl) => migrateService(templateUrl, quiet()));
  return url;
}

function quiet() {
  return createLog({ level: 'silent', pretty: false });
}

/** A service with a workspace on a real server, stopped at the end of the test. */
export async function startTestService(settings: Settings = {}): Promise<Running> {
  const { clock = systemClock } = settings;
  const lines: Line[] = [];
  const log = createLog({
    level: 'debug',
    pretty: false,
    destination: { write: (line) => void lines.push(JSON.parse(line) as Line) },
  });
  const databaseUrl = settings.databaseUrl ?? (await serviceDatabase());
  const metrics = createMetrics();
  const newId = createIds(clock);
  const http = createHttpServer({
    ...{ log, newId, metrics, host: '127.0.0.1', port: settings.port ?? 0 },
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
    publicUrl: 'http://127.0.0.1',
    version: '0.0.0-test',
    metrics,
    ...(settings.search && { search: settings.search }),
    ...(settings.answers && { answers: settings.answers }),
    ...(settings.files && { files: settings.files }),
    ...(settings.signIn && { signIn: settings.signIn }),
    ...(settings.poolSize !== undefined && { poolSize: settings.poolSize }),
  });
  if (settings.begins) void settings.begins.then(() => service.begin());
  else await service.begin();
  await http.app.register(service.plugin, { prefix: '/api' });
  await http.app.register(service.signInPlugin, { prefix: '/auth' });
  http.addCheck('service', () => service.readiness());
  const { port } = await http.listen();
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (stopped) return;
    stopped = true;
    await http.stop();
    await service.stop();
  };
  onTestFinished(stop);
  await settings.prepare?.(service);
  const workspaceId = await service.ensureWorkspace();
  const { token } = await service.installKey({
    token: randomUUID(),
    name: 'test',
    role: 'admin',
    rateLimit: null,
  });
  const url = `http://127.0.0.1:${port}/api`;
  return {
    service,
    url,
    databaseUrl,
    workspaceId,
    token,
    lines,
    metrics,
    stop,
    call: caller(url, token),
    key: async (role, home) => {
      const options = { name: role, role, rateLimit: null, ...(home !== undefined && { workspaceId: home }) };
      return (await service.installKey(options)).token;
    },
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
