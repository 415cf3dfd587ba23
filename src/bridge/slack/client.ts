import {
  type WebAPICallResult,
  WebAPIHTTPError,
  WebClient,
  type WebClientOptions,
  type Logger,
  LogLevel,
  type FetchFunction,
} from '@slack/web-api';
import { z } from 'zod';
import type { Histogram } from 'prom-client';

import { ChatError, chatErrorOf } from './errors.ts';
import { LIMITS } from './limits.ts';
import type { Log } from '../../platform/log.ts';
import { inCall } from '../../platform/tracing.ts';

/** Learns which methods Slack offers to the app. */
export interface MethodNews {
  offered(method: string): void;
  /** @param answer how Slack said it: `HTTP 404`, `unknown_method`, `missing_scope`. */
  notOffered(method: string, answer: string): void;
}

/** A Web API client whose calls throw ChatError. */
class ChatClient extends WebClient {
  readonly #news: MethodNews | undefined;

  constructor(token: string | undefined, options: WebClientOptions, news: MethodNews | undefined) {
    super(token, options);
    this.#news = news;
  }

  override async apiCall(method: string, options?: Record<string, unknown>): Promise<WebAPICallResult> {
    try {
      const result = await super.apiCall(method, options);
      this.#news?.offered(method);
      return result;
    } catch (thrown) {
      const error = chatErrorOf(method, thrown);
      if (!(error instanceof ChatError) || error.notOffered === undefined) throw error;
      if (!(await this.#isUp(error))) throw awayAt(method, error);
      this.#news?.notOffered(method, error.notOffered);
      throw error;
    }
  }

  /** A status of HTTP may also be that of a proxy whose Slack is away: then no other method is answered either. */
  async #isUp({ method, cause }: ChatError): Promise<boolean> {
    if (!(cause instanceof WebAPIHTTPError) || method === 'auth.test') return true;
    return super.apiCall('auth.test').then(
      ({ ok }) => ok,
      () => false,
    );
  }
}

function awayAt(method: string, { message, cause }: ChatError): ChatError {
  return new ChatError(message, { next: 'retry', certain: true, method, cause });
}

/** The organisation's workspace for which its token is used. */
export interface Within {
  team: string;
  /**
   * Returns whether this workspace's bridge handles a channel; several workspaces may share it.
   * @param host returns the workspace that owns it.
   */
  isOurs(channel: string, host: () => Promise<string | undefined>): Promise<boolean>;
}

/** The bridge of another workspace of the organisation handles the channel or direct message. */
export const SERVED_ELSEWHERE = 'worked_elsewhere';

const Named = z.object({
  channel: z.string().optional().catch(undefined),
  channel_id: z.string().optional().catch(undefined),
});
const Opened = z.object({ channel: z.object({ id: z.string() }) });
const Hosted = z.looseObject({ id: z.string(), context_team_id: z.string().optional().catch(undefined) });
const Listed = z.object({ channels: z.array(Hosted) });
const Shown = z.object({ channel: Hosted });

/**
 * A client for one workspace of an organisation, like a token of that workspace: it names the workspace in every call
 * (https://docs.slack.dev/enterprise), and sees channels of the others as `channel_not_found`. So posts to a channel of
 * the service's choice are made once.
 */
class OrganisationClient extends ChatClient {
  readonly #within: Within;

  constructor(
    token: string | undefined,
    options: WebClientOptions,
    news: MethodNews | undefined,
    within: Within,
  ) {
    super(token, { ...options, teamId: within.team }, news);
    this.#within = within;
  }

  override async apiCall(method: string, options?: Record<string, unknown>): Promise<WebAPICallResult> {
    const { channel, channel_id } = Named.parse(options ?? {});
    const place = channel ?? channel_id;
    if (place !== undefined && !(await this.#isOurs(place))) throw notOurs(method, 'channel_not_found');
    const result = await super.apiCall(method, options);
    switch (method) {
      case 'conversations.open': {
        const { data: opened } = Opened.safeParse(result);
        if (opened && !(await this.#isOurs(opened.channel.id))) throw notOurs(method, SERVED_ELSEWHERE);
        return result;
      }
      case 'conversations.list':
      case 'users.conversations': {
        const { data: listed } = Listed.safeParse(result);
        return listed ? Object.assign(result, { channels: await this.#oursAmong(listed.channels) }) : result;
      }
      default:
        return result;
    }
  }

  async #isOurs(channel: string): Promise<boolean> {
    // A draft or a user has no channel.
    if (!/^[CDG]/.test(channel) || channel === 'COMPOSER') return true;
    return this.#within.isOurs(channel, async () => {
      const answer = await super.apiCall('conversations.info', { channel });
      return Shown.safeParse(answer).data?.channel.context_team_id;
    });
  }

  async #oursAmong(channels: z.infer<typeof Hosted>[]): Promise<z.infer<typeof Hosted>[]> {
    const ours: z.infer<typeof Hosted>[] = [];
    for (const channel of channels)
      if (await this.#within.isOurs(channel.id, async () => channel.context_team_id)) ours.push(channel);
    return ours;
  }
}

function notOurs(method: string, code: string): ChatError {
  return new ChatError(`${method} is about a channel that another workspace's bridge works`, {
    next: 'give-up',
    certain: true,
    method,
    code,
  });
}

/** A bot token; a function if it rotates, called for each request. */
export type BotToken = string | (() => Promise<string>);

/**
 * Returns a Web API client without retries, whose calls throw ChatError: the outbox decides what is sent again, and
 * when.
 * @param token undefined for methods that need none.
 */
export function createWebClient(
  token: BotToken | undefined,
  apiUrl: string | undefined,
  {
    fetch = globalThis.fetch,
    within,
    news,
  }: { fetch?: FetchFunction; within?: Within | undefined; news?: MethodNews } = {},
): WebClient {
  const rotates = typeof token === 'function';
  const options = {
    fetch: timingLimits(rotates ? withToken(token, apiUrl ?? SLACK_API, fetch) : fetch),
    ...(apiUrl ? { slackApiUrl: apiUrl } : {}),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: LIMITS.callTimeoutMs,
    // It writes a line of its own for every call that fails; ours say what that means.
    logger: sdkLogger({}),
  };
  const given = rotates ? undefined : token;
  return within ? new OrganisationClient(given, options, news, within) : new ChatClient(given, options, news);
}

/** Seconds to wait after a 429 that does not say how long. */
const UNTIMED_LIMIT_SECONDS = '30';

/**
 * Adds how long to wait to a 429 of a proxy that does not say it: the client throws an error without a class for it.
 */
function timingLimits(fetch: FetchFunction): FetchFunction {
  return async (url, init) => {
    const answer = await fetch(url, init);
    if (answer.status !== 429 || /^\d/.test(answer.headers.get('retry-after') ?? '')) return answer;
    await answer.text();
    return new Response(null, {
      status: 429,
      headers: { 'retry-after': UNTIMED_LIMIT_SECONDS },
    });
  };
}

const SLACK_API = 'https://slack.com/api/';

/** Adds the current token to Web API calls; no other URL gets it. */
function withToken(token: () => Promise<string>, apiUrl: string, fetch: FetchFunction): FetchFunction {
  return async (url, init) => {
    if (!String(url).startsWith(apiUrl)) return fetch(url, init);
    return fetch(url, { ...init, headers: { ...init?.headers, Authorization: `Bearer ${await token()}` } });
  };
}

type Say = (...parts: unknown[]) => void;
const sayNothing: Say = () => undefined;

/** Logger for Slack's libraries. They log message text and tokens, so only the lines named here pass. */
export function sdkLogger({ warn = sayNothing, error = sayNothing }: { warn?: Say; error?: Say }): Logger {
  return {
    debug: sayNothing,
    info: sayNothing,
    warn,
    error,
    setLevel: sayNothing,
    getLevel: () => LogLevel.INFO,
    setName: sayNothing,
  };
}

/** The SDK's log lines as ours; its debug level, which contains message text, is dropped. */
export function linesOf(log: Log): Parameters<typeof sdkLogger>[0] {
  const say =
    (level: 'warn' | 'error') =>
    (...parts: unknown[]) =>
      log[level]({ from: 'slack-sdk' }, parts.map(String).join(' '));
  return { warn: say('warn'), error: say('error') };
}

/** The Web API client's `fetch`, timed and traced by method. */
export function timedFetch(seconds: Histogram<'method'>): FetchFunction {
  return async (url, init) => {
    const method = methodOf(url);
    const end = seconds.startTimer({ method });
    try {
      // No trace headers to Slack.
      return await inCall(`chat ${method}`, () => globalThis.fetch(url, init));
    } finally {
      end();
    }
  };
}

/** Returns the method of a URL: `…/api/chat.postMessage` → `chat.postMessage`; uploads count as one more method. */
function methodOf(url: string | URL): string {
  return /\/([a-z]+(?:\.[A-Za-z]+)+)$/.exec(new URL(url).pathname)?.[1] ?? 'other';
}
