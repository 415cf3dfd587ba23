import { z } from 'zod';

import { isSafeWhenDecoded, searchProvider } from '../contract/index.ts';

/** Returns whether a host name or address always means this machine. */
export function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || name === '::1' || /^127\.[\d.]+$/.test(name);
}

/** @param least 0 where the system may choose a free one. */
const port = (least: 0 | 1) =>
  z.coerce
    .number({ error: `must be a port number from ${least} to 65535` })
    .int('must be a whole number')
    .min(least, `must be from ${least} to 65535`)
    .max(65_535, `must be from ${least} to 65535`);

const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be a URL that starts with http:// or https://' })
  .transform((url) => url.replace(/\/+$/, ''));

/** Kept as it is given: it must be the provider's own. */
const issuer = z
  .url({ protocol: /^https?$/, error: 'must be a URL that starts with https://' })
  .refine((url) => url.startsWith('https:') || isLoopback(new URL(url).hostname), {
    error: 'must start with https:// (http:// only on this machine)',
  });

const count = (least: number) =>
  z.coerce
    .number({ error: 'must be a number' })
    .int('must be a whole number')
    .min(least, `must be at least ${least}`);

const flag = z
  .enum(['true', 'false', '1', '0'], { error: 'must be true or false' })
  .transform((value) => value === 'true' || value === '1');

const slackToken = (prefix: string) =>
  z.string().startsWith(prefix, `must start with ${prefix} (the app's page at Slack shows it)`);

/** 32 bytes in either base64 alphabet. Node's own reading skips what is no base64, so a typing error would be a key. */
const ENCODED_KEY = /^[A-Za-z0-9+/_-]{43}=?$/;

/** AES-256 keys in either base64 alphabet; the first seals, all of them open. */
const encryptionKeys = z
  .string()
  .transform((keys) => keys.split(',').map((key) => key.trim()))
  .refine((keys) => keys.every((key) => ENCODED_KEY.test(key)), {
    error:
      'must be 32 bytes in base64 (openssl rand -base64 32); several, the newest first, are separated by commas',
  })
  .transform((keys) => keys.map((key) => Buffer.from(key, 'base64')));

/** Names, separated by commas. */
const searchProviders = z
  .string()
  .transform((value) =>
    value
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  )
  .pipe(
    z.array(
      z.enum(searchProvider.options, { error: 'must be openai, google or voyage, separated by commas' }),
    ),
  );

const server = {
  PORT: port(1).default(8080).describe('the HTTP server: desk, `/api`, webhooks, health'),
  HOST: z.string().default('127.0.0.1').describe('address to listen on; `0.0.0.0` in the container'),
  PUBLIC_URL: httpUrl.optional().describe('where webhooks and links reach us; else `http://127.0.0.1:PORT`'),
  DESK_URL: httpUrl.optional().describe("the desk's address, for a bridge that runs without it"),
  TRUSTED_PROXIES: count(0).default(0).describe('proxies in front, whose `X-Forwarded-For` counts'),
  DATA_DIR: z
    .string()
    .default('./data')
    .describe('embedded database, sandbox file and generated secrets; `/data` in the container'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must start with postgres://')
    .optional()
    .describe('a Postgres server; else the embedded database'),
  TOKEN_ENCRYPTION_KEY: encryptionKeys
    .optional()
    .describe(
      "encrypts secrets in the database and the desk's sessions, 32 bytes in base64; made on the first start",
    ),
};

const service = {
  SERVICE_URL: httpUrl.optional().describe('base URL of another service, with `/api`; else ours runs'),
  SERVICE_API_TOKEN: z
    .string()
    .min(16, 'must have 16 or more characters')
    .optional()
    .describe("the bridge's API key; made on the first start with our service"),
  SERVICE_TOKEN_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/, 'must be the name of an HTTP header')
    .default('x-service-api-token')
    .describe('the header that carries the key'),
  SERVICE_WEBHOOK_SECRET: z
    .string()
    .min(24, 'must have 24 or more characters: anyone who guesses it can impersonate the service')
    .refine(isSafeWhenDecoded, 'must have base64 of at least 16 bytes after whsec_')
    .optional()
    .describe("signs the service's webhooks; made on the first start with our service"),
  RATE_LIMIT_PER_MINUTE: count(1).default(1000).describe('requests per API key and minute'),
  ALLOW_PRIVATE_WEBHOOKS: flag
    .default(false)
    .describe('lets our service deliver webhooks to private addresses'),
};

const slack = {
  SLACK_BOT_TOKEN: slackToken('xoxb-').optional().describe('`xoxb-…`; else the sandbox runs'),
  SLACK_APP_TOKEN: slackToken('xapp-').optional().describe('`xapp-…`, for Socket Mode'),
  SLACK_SIGNING_SECRET: z
    .string()
    .min(16, 'must have 16 or more characters (Basic Information shows it)')
    .optional()
    .describe('for events by signed HTTP at `PUBLIC_URL/slack/events`, if `SLACK_APP_TOKEN` is unset'),
  SLACK_CLIENT_ID: z
    .string()
    .optional()
    .describe(
      'for [Sign in with Slack](install.md#signing-in); without `SLACK_BOT_TOKEN` also for [several Slack workspaces](install.md#several-slack-workspaces)',
    ),
  SLACK_CLIENT_SECRET: z.string().optional().describe('the secret that belongs to `SLACK_CLIENT_ID`'),
  SLACK_STATE_SECRET: z
    .string()
    .min(32, 'must have 32 or more characters (openssl rand -base64 32)')
    .optional()
    .describe(
      'for [several Slack workspaces](install.md#several-slack-workspaces): signs the installation; random, the same on all replicas',
    ),
  SLACK_API_URL: httpUrl
    .transform((url) => `${url}/`)
    .optional()
    .describe("base of Web API calls; else Slack's"),
  COMMAND: z
    .string()
    .regex(/^\/[a-z0-9_-]{1,31}$/, 'must be a slash command such as /ticket')
    .default('/ticket')
    .describe('slash command, as in the manifest'),
  ADMIN_CHANNEL: z
    .string()
    .regex(
      /^[CG][A-Z0-9]{2,30}$/,
      "must be a channel's id, such as C0123456789 (its details in Slack end with it)",
    )
    .optional()
    .describe('id of a channel (with the bot in it) that gets a line when a check turns bad or recovers'),
};

const signIn = {
  OIDC_ISSUER: issuer.optional().describe('the OpenID provider for [signing in](install.md#signing-in)'),
  OIDC_CLIENT_ID: z.string().optional().describe('how the issuer knows deskbridge'),
  OIDC_CLIENT_SECRET: z.string().optional().describe('the secret that belongs to `OIDC_CLIENT_ID`'),
  OIDC_NAME: z
    .string()
    .max(40, 'must have 40 or fewer characters')
    .default('single sign-on')
    .describe("the provider's name at the desk"),
};

const sandbox = {
  SANDBOX: z
    .enum(['on', 'off'], { error: 'must be on or off' })
    .default('on')
    .describe('whether the [sandbox](sandbox.md) runs when no Slack is set; `off` in the container'),
  SANDBOX_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('address the sandbox listens on; anyone who reaches it can act as any user'),
  SANDBOX_PORT: port(0).default(3000).describe("the sandbox's page and API"),
  SANDBOX_TRANSPORT: z
    .enum(['socket', 'http'], { error: 'must be socket or http' })
    .default('socket')
    .describe('how the sandbox sends events: over Socket Mode or as signed requests'),
};

const bridge = {
  CONCURRENT_CONVERSATIONS: count(1)
    .default(32)
    .describe('conversations that a process works on at the same time'),
  CHAT_POSTS_PER_SECOND: z.coerce
    .number({ error: 'must be a number' })
    .positive('must be more than 0')
    .default(1)
    .describe('posts per second and channel'),
  RECONCILE_EVERY_SECONDS: count(1)
    .default(60)
    .describe('how often both sides are compared for missed changes'),
  CHAT_READS_PER_MINUTE: count(1)
    .default(30)
    .describe('how many reads of Slack this comparison may make, over all replicas'),
  CHAT_WAITING_SECONDS: count(1)
    .default(60)
    .describe('how long a message waits for the service before it is marked ⏳'),
  CHAT_NOTICE_SECONDS: count(0)
    .default(10)
    .describe('how long changes of a ticket are collected into one notification'),
  CHAT_SETTINGS_SECONDS: count(0)
    .default(15)
    .describe('how long the bridge caches queues, channels, statuses and request types'),
  HEALTH_EVERY_SECONDS: count(1).default(60).describe('how often the bridge runs the checks of `doctor`'),
};

const storage = {
  FILE_MEGABYTES: count(1).max(5000, 'must be 5000 or less').default(100).describe('largest file'),
  FILES_GIGABYTES: count(1).default(50).describe('files of a workspace'),
  CHAT_FILE_MEGABYTES: count(1)
    .max(1000, 'must be 1000 or less: Slack’s limit for a file')
    .default(20)
    .describe('largest file uploaded to Slack; larger ones stay links'),
  RETENTION_DAYS: count(1)
    .default(90)
    .describe(
      'how long processed events, sent posts, delivered webhooks and finished runs of workflows are kept',
    ),
  EVENT_BODY_DAYS: count(1).default(7).describe('how long what Slack sent is kept once it was processed'),
  AUDIT_RETENTION_DAYS: count(1).default(365).describe('how long the [audit log](api.md#audit-log) is kept'),
};

const meaning = {
  SEARCH_PROVIDERS: searchProviders
    .optional()
    .describe(
      'who is sent ticket texts for [search by meaning](search.md): `openai`, `google`, `voyage`, separated by commas',
    ),
  SEARCH_MODEL: z
    .enum(['built-in', 'none'], { error: 'must be built-in or none' })
    .default('built-in')
    .describe('search by meaning without a provider, in English; `none` switches it off'),
  SEARCH_LANGUAGE: z
    .string()
    .regex(/^[a-z_]+$/, 'must be a text search configuration of Postgres, such as english or german')
    .default('english')
    .describe('text search configuration of Postgres for the built-in search; `simple` for any language'),
  ANSWER_MODEL: z
    .string()
    .optional()
    .describe("the model that answers for [AI agents](agents.md) and is sent requesters' questions"),
  OPENAI_API_KEY: z
    .string()
    .optional()
    .describe('used only if `SEARCH_PROVIDERS` or `ANSWER_MODEL` needs it'),
  OPENAI_BASE_URL: httpUrl.optional().describe("another server with OpenAI's protocol, with `/v1`"),
  GOOGLE_API_KEY: z.string().optional().describe('used only if `SEARCH_PROVIDERS` names `google`'),
  VOYAGE_API_KEY: z.string().optional().describe('used only if `SEARCH_PROVIDERS` names `voyage`'),
};

const logs = {
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'must be one of trace, debug, info, warn, error, fatal, silent',
    })
    .optional()
    .describe(
      'the least severe [log lines](operate.md#log-lines) that are written; without it `info`, on a terminal `warn`',
    ),
  LOG_PRETTY: flag.optional().describe('readable lines instead of JSON; without it only on a terminal'),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .describe('sends [traces](operate.md#tracing) to an OTLP collector over HTTP'),
  OTEL_SERVICE_NAME: z.string().default('deskbridge').describe('the name in the collector'),
};

/**
 * The settings by what they are about. docs/settings.md is written from this, with the descriptions as its sentences.
 */
export const SETTINGS: readonly { title: string; shape: z.ZodRawShape }[] = [
  { title: 'Server and data', shape: server },
  { title: 'Service', shape: service },
  { title: 'Slack', shape: slack },
  { title: 'Signing in', shape: signIn },
  { title: 'Sandbox', shape: sandbox },
  { title: 'Pace of the bridge', shape: bridge },
  { title: 'Files and retention', shape: storage },
  { title: 'Search and AI agents', shape: meaning },
  { title: 'Logs and traces', shape: logs },
];

/** Every variable that deskbridge reads. */
export const Environment = z.object({
  ...server,
  ...service,
  ...slack,
  ...signIn,
  ...sandbox,
  ...bridge,
  ...storage,
  ...meaning,
  ...logs,
});
