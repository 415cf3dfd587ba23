import { AnsweredError, type Answer, type Client, ServiceError } from '../../client/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { datedFetch, type Finding, findings } from './finding.ts';
import { checkClock } from './check-chat.ts';
import type { PingOutcome } from '../entry/ping.ts';

/** The webhook as stored in the service; `unknown`: the service cannot show it (Ext). */
type WebhookFacts = { url: string; active: boolean; eventTypes: readonly string[] } | 'gone' | 'unknown';

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
  url: string;
}

/** @param webhookId the registered one; undefined if there is none. */
export async function readService(
  { service, url }: ServiceAccess,
  webhookId: string | undefined,
  clock: Clock,
): Promise<ServiceFacts> {
  const skewMs = await readSkew(url, clock);
  const listed = await service.listWorkspaces({}).catch(failed);
  if (listed instanceof ServiceError) {
    const workspaces = listed instanceof AnsweredError ? { refused: listed.status } : 'no answer';
    return { workspaces, mayWork: undefined, webhook: 'unknown', skewMs };
  }
  const webhooks = await service.listWebhooks({ query: { limit: 1 } }).catch(failed);
  const shows = !(webhooks instanceof ServiceError);
  return {
    workspaces: listed.items,
    mayWork: shows ? true : statusOf(webhooks) === 403 ? false : undefined,
    webhook: webhookId === undefined ? 'gone' : await readWebhook(service, webhookId, shows),
    skewMs,
  };
}

/** @param shows whether the service has the operations that show webhooks. */
async function readWebhook(service: Client, id: string, shows: boolean): Promise<WebhookFacts> {
  if (!shows) return 'unknown';
  const read = await service.readWebhook({ params: { id } }).catch(failed);
  if (!(read instanceof ServiceError)) return read;
  return statusOf(read) === 404 ? 'gone' : 'unknown';
}

/** For `catch`: a failed call is a finding. */
function failed(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  throw error;
}

const statusOf = (error: ServiceError) => (error instanceof AnsweredError ? error.status : undefined);

const TIMEOUT_MS = 5_000;

/** Any response has the time, even an error: this call has no key. */
async function readSkew(url: string, clock: Clock): Promise<number | undefined> {
  let skewMs: number | undefined;
  const ask = datedFetch(clock, (skew) => (skewMs = skew));
  const answer = await ask(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => undefined);
  await answer?.body?.cancel();
  return skewMs;
}

interface ServiceSituation {
  facts: ServiceFacts;
  serviceUrl: string;
  webhookUrl: string;
  /** Why the service last rejected the webhook; undefined if it did not. */
  refusal: string | undefined;
  publicUrl: string;
  ping: PingOutcome;
}

export function checkService(situation: ServiceSituation): Finding[] {
  const { facts, serviceUrl, publicUrl } = situation;
  const key = checkKey(facts);
  const address = checkAddress(serviceUrl, publicUrl);
  if (key.state !== 'ok') return [key, address];
  const { ping } = situation;
  return [
    key,
    checkWebhook(situation),
    ...(ping === 'not asked' ? [] : [checkPing(ping)]),
    address,
    checkClock('service.clock', 'The service', facts.skewMs),
  ];
}

function checkKey({ workspaces, mayWork }: ServiceFacts): Finding {
  const { ok, bad } = findings('service.key');
  if (workspaces === 'no answer')
    return bad(
      'The service does not answer.',
      'Check that it runs and that SERVICE_URL is its address. Work waits in order meanwhile.',
    );
  if ('refused' in workspaces)
    return workspaces.refused === 401 || workspaces.refused === 403
      ? bad(
          `The service refuses SERVICE_API_TOKEN (${workspaces.refused}).`,
          'Make a key of role agent or admin in its settings, or with `npx deskbridge keys create`, and set it.',
        )
      : bad(
          `The service answers ${workspaces.refused} to everything.`,
          'Look at its log; SERVICE_URL is to end with /api.',
        );
  if (mayWork === false)
    return bad(
      'The key of SERVICE_API_TOKEN may only read.',
      'Make one of role agent or admin (`npx deskbridge keys create <name> --role agent`), and set it.',
    );
  return ok(
    mayWork === undefined
      ? 'The service accepts the key; its permissions are unknown.'
      : 'The service accepts the key, and it has the permissions that the bridge needs.',
  );
}

function checkWebhook({ facts: { webhook }, webhookUrl, refusal }: ServiceSituation): Finding {
  const { ok, bad } = findings('service.webhook');
  if (refusal !== undefined)
    return bad(
      `The service rejects this bridge’s webhook (${refusal}), so changes there arrive late.`,
      'Set PUBLIC_URL to an address that the service accepts; a service of deskbridge on a private network also needs ALLOW_PRIVATE_WEBHOOKS=true. It is tried again with each comparison of both sides.',
    );
  if (webhook === 'unknown')
    return ok('This service does not show its webhooks; the bridge registers its own at each start.');
  if (webhook === 'gone')
    return bad(
      'The service has no webhook of this bridge, so it sends no events.',
      'Start the bridge again: it registers its webhook when it starts.',
    );
  if (!webhook.active)
    return bad(
      'The webhook is disabled at the service, so it sends no events.',
      'Start the bridge again: it enables its webhook when it starts. The service disables webhooks that fail for five days.',
    );
  if (webhook.url !== webhookUrl)
    return bad(
      'The webhook at the service leads to another address than this bridge’s.',
      'Set PUBLIC_URL to the address at which the service reaches the bridge, and start the bridge again.',
    );
  if (!['Ticket', 'Message'].every((type) => webhook.eventTypes.includes(type)))
    return bad(
      'The webhook is not subscribed to both tickets and messages.',
      'Start the bridge again: it repairs its webhook when it starts.',
    );
  return ok('The webhook is registered, active and leads here.');
}

function checkPing(ping: Exclude<PingOutcome, 'not asked'>): Finding {
  const { ok, bad } = findings('service.ping');
  if (ping === 'not offered') return ok('This service offers no ping of its webhooks.');
  return ping.came
    ? ok(`A ping of the service came in after ${ping.afterMs} ms.`)
    : bad(
        `A ping of the service did not come in (${ping.reason}).`,
        'PUBLIC_URL must be an address of the bridge that the service reaches; between them nothing may change path or body. A service of deskbridge that is to reach a private address needs ALLOW_PRIVATE_WEBHOOKS=true.',
      );
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)$/;
const isLoopback = (url: string) => LOOPBACK.test(URL.parse(url)?.hostname ?? '');

function checkAddress(serviceUrl: string, publicUrl: string): Finding {
  const { ok, bad } = findings('address');
  return isLoopback(publicUrl) && !isLoopback(serviceUrl)
    ? bad(
        `The service is on another machine, and PUBLIC_URL (${new URL(publicUrl).origin}) leads back to its own.`,
        'Set PUBLIC_URL to an address of the bridge that the service can reach.',
      )
    : ok(`Webhooks and links lead to ${new URL(publicUrl).origin}.`);
}

/** Something that `deskbridge start` runs is not started: it cannot answer, which is not a fault. */
export function notStarted(id: string, what: string): Finding {
  const { warn } = findings(id);
  return warn(
    `${what} is part of \`deskbridge start\`, which does not run; it could not be looked at.`,
    'Run `deskbridge start`, then run the doctor again.',
  );
}
