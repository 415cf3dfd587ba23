import { request } from 'undici';

import { AnsweredError, type Answer, type Client, ServiceError } from '../../client/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { skewOf } from './skew.ts';

/** The webhook as stored in the service; `unknown`: the service cannot show it (Ext). */
type WebhookFacts = { url: string; active: boolean; eventTypes: readonly string[] } | 'gone' | 'unknown';

/** The service's information about the bridge. */
export interface ServiceFacts {
  /** The workspaces that the key can access; or the error status; or that there was no response. */
  workspaces: Answer<'listWorkspaces'>['items'] | { refused: number } | 'no answer';
  /** Whether the key has the role agent, which the bridge needs; undefined if unknown. */
  mayWork: boolean | undefined;
  webhook: WebhookFacts;
  /** Milliseconds that the service's clock is ahead of ours. */
  skewMs: number | undefined;
}

interface ServiceAccess {
  service: Client;
  /** Its base URL. */
  url: string;
}

/** @param webhookId the registered one; undefined if there is none. */
export async function readService(
  { service, url }: ServiceAccess,
  webhookId: string | undefined,
  clock: Clock,
): Promise<ServiceFacts> {
  const skewMs = await readSkew(url, clock);
  const listed = await answerOf(() => service.listWorkspaces({}));
  if (!('answer' in listed)) {
    const { status } = listed;
    const workspaces = status === undefined ? 'no answer' : { refused: status };
    return { workspaces, mayWork: undefined, webhook: 'unknown', skewMs };
  }
  const mayWork = await answerOf(() => service.listWebhooks({ query: { limit: 1 } }));
  return {
    workspaces: listed.answer.items,
    mayWork: 'answer' in mayWork ? true : mayWork.status === 403 ? false : undefined,
    webhook: webhookId === undefined ? 'gone' : await readWebhook(service, webhookId, 'answer' in mayWork),
    skewMs,
  };
}

/** @param shows whether the service has the operations that show webhooks. */
async function readWebhook(service: Client, id: string, shows: boolean): Promise<WebhookFacts> {
  if (!shows) return 'unknown';
  const read = await answerOf(() => service.readWebhook({ params: { id } }));
  return 'answer' in read ? read.answer : read.status === 404 ? 'gone' : 'unknown';
}

async function answerOf<Value>(
  call: () => Promise<Value>,
): Promise<{ answer: Value } | { status: number | undefined }> {
  try {
    return { answer: await call() };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { status: error instanceof AnsweredError ? error.status : undefined };
  }
}

const TIMEOUT_MS = 5_000;

/** Any response has the time, even an error: this call has no key. */
async function readSkew(url: string, clock: Clock): Promise<number | undefined> {
  const askedAt = clock.now();
  try {
    const { headers, body } = await request(url, { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
    const answeredAt = clock.now();
    await body.dump();
    const { date } = headers;
    return skewOf(typeof date === 'string' ? date : undefined, { askedAt, answeredAt });
  } catch {
    return undefined;
  }
}
