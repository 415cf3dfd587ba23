import { z } from 'zod';

import { isSafeWhenDecoded, type SearchProvider, searchProvider } from '../contract/index.ts';
import { StartError } from '../platform/lifecycle.ts';

/** The environment is invalid; `message` says for each variable what is wrong and what to do. */
export class ConfigError extends StartError {
  override readonly name = 'ConfigError';
}

const port = z.coerce
  .number({ error: 'must be a port number from 0 to 65535' })
  .int('must be a whole number')
  .min(0, 'must be from 0 to 65535')
  .max(65_535, 'must be from 0 to 65535');

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

/** Every variable that deskbridge reads; the table in docs/deploy.md follows it. */
const Environment = z.object({
  PORT: port.min(1, 'must be a port that others can connect to').default(8080),
  HOST: z.string().default('127.0.0.1'),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must start with postgres://')
    .optional(),
  SERVICE_URL: httpUrl.optional(),
  SERVICE_API_TOKEN: z.string().min(16, 'must have 16 or more characters').optional(),
  SERVICE_TOKEN_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/, 'must be the name of an HTTP header')
    .default('x-service-api-token'),
  SERVICE_WEBHOOK_SECRET: z
    .string()
    .min(24, 'must have 24 or more characters: anyone who guesses it can impersonate the service')
    .refine(isSafeWhenDecoded, 'must have base64 of at least 16 bytes after whsec_')
    .optional(),
  TOKEN_ENCRYPTION_KEY: encryptionKeys.optional(),
  PUBLIC_URL: httpUrl.optional(),
  DESK_URL: httpUrl.optional(),
  SLACK_BOT_TOKEN: slackToken('xoxb-').optional(),
  SLACK_APP_TOKEN: slackToken('xapp-').optional(),
  SLACK_SIGNING_SECRET: z
    .string()
    .min(16, 'must have 16 or more characters (Basic Information shows it)')
    .optional(),
  SLACK_CLIENT_ID: z.string().optional(),
  SLACK_CLIENT_SECRET: z.string().optional(),
  SLACK_STATE_SECRET: z
    .string()
    .min(32, 'must have 32 or more characters (openssl rand -base64 32)')
    .optional(),
  OIDC_ISSUER: issuer.optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_NAME: z.string().max(40, 'must have 40 or fewer characters').default('single sign-on'),
  TRUSTED_PROXIES: count(0).default(0),
  SLACK_API_URL: httpUrl.transform((url) => `${url}/`).optional(),
  SANDBOX: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
  SANDBOX_HOST: z.string().default('127.0.0.1'),
  SANDBOX_PORT: port.default(3000),
  SANDBOX_TRANSPORT: z.enum(['socket', 'http'], { error: 'must be socket or http' }).default('socket'),
  RATE_LIMIT_PER_MINUTE: count(1).default(1000),
  ALLOW_PRIVATE_WEBHOOKS: flag.default(false),
  COMMAND: z
    .string()
    .regex(/^\/[a-z0-9_-]{1,31}$/, 'must be a slash command such as /ticket')
    .default('/ticket'),
  FILE_MEGABYTES: count(1).max(5000, 'must be 5000 or less').default(100),
  FILES_GIGABYTES: count(1).default(50),
  RETENTION_DAYS: count(1).default(90),
  EVENT_BODY_DAYS: count(1).default(7),
  AUDIT_RETENTION_DAYS: count(1).default(365),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'must be one of trace, debug, info, warn, error, fatal, silent',
    })
    .optional(),
  LOG_PRETTY: flag.optional(),
  CONCURRENT_CONVERSATIONS: count(1).default(32),
  CHAT_POSTS_PER_SECOND: z.coerce
    .number({ error: 'must be a number' })
    .positive('must be more than 0')
    .default(1),
  CHAT_FILE_MEGABYTES: count(1).max(1000, 'must be 1000 or less: Slack’s limit for a file').default(20),
  CHAT_NOTICE_SECONDS: count(0).default(10),
  CHAT_SETTINGS_SECONDS: count(0).default(15),
  CHAT_WAITING_SECONDS: count(1).default(60),
  RECONCILE_EVERY_SECONDS: count(1).default(60),
  CHAT_READS_PER_MINUTE: count(1).default(30),
  HEALTH_EVERY_SECONDS: count(1).default(60),
  ADMIN_CHANNEL: z
    .string()
    .regex(
      /^[CG][A-Z0-9]{2,30}$/,
      "must be a channel's id, such as C0123456789 (its details in Slack end with it)",
    )
    .optional(),
  SEARCH_PROVIDERS: searchProviders.optional(),
  SEARCH_MODEL: z.enum(['built-in', 'none'], { error: 'must be built-in or none' }).default('built-in'),
  SEARCH_LANGUAGE: z
    .string()
    .regex(/^[a-z_]+$/, 'must be a text search configuration of Postgres, such as english or german')
    .default('english'),
  ANSWER_MODEL: z.string().optional(),
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: httpUrl.optional(),
  GOOGLE_API_KEY: z.string().optional(),
  VOYAGE_API_KEY: z.string().optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_SERVICE_NAME: z.string().default('deskbridge'),
});

export type Config = Readonly<
  z.infer<typeof Environment> & {
    embeddedService: boolean;
    sandbox: boolean;
  }
>;

/** An unknown variable with one of these prefixes is a typo that would otherwise be ignored silently. */
const OUR_PREFIXES = [
  'SLACK_',
  'SERVICE_',
  'SANDBOX_',
  'TOKEN_ENCRYPTION',
  'CHAT_',
  'RECONCILE_',
  'HEALTH_',
  'ADMIN_',
  'AUDIT_RETENTION',
  'ALLOW_PRIVATE_',
  'RATE_LIMIT_',
  'SEARCH_PROVIDER',
  'SEARCH_LANG',
  'ANSWER_',
  'OIDC_',
  'TRUSTED_',
];

/**
 * Returns the configuration of this process from its environment. An empty value counts as absent.
 * @throws ConfigError with one line per invalid variable.
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  // A blank around a value comes from copying, or is the line end of a file.
  const given = Object.fromEntries(
    Object.entries(environment)
      .map(([name, value = '']) => [name, value.trim()] as const)
      .filter(([, value]) => value !== ''),
  );
  const problems = Object.keys(given)
    .filter((name) => OUR_PREFIXES.some((prefix) => name.startsWith(prefix)) && !(name in Environment.shape))
    .map((name) => `${name} is not a setting of deskbridge${suggestion(name)}. Correct or unset it.`);
  const parsed = Environment.safeParse(given);
  if (!parsed.success)
    problems.push(...parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}.`));
  if (parsed.success) problems.push(...conflicts(parsed.data));
  if (problems.length > 0 || !parsed.success) throw new ConfigError(problems.join('\n'));
  const { data } = parsed;
  return Object.freeze({
    ...data,
    embeddedService: !data.SERVICE_URL,
    sandbox: data.SANDBOX === 'on' && !data.SLACK_BOT_TOKEN && !data.SLACK_CLIENT_ID,
  });
}

/** Returns the app's OAuth credentials, if workspaces install it; undefined if it serves one workspace. */
export function credentialsOf({
  SLACK_CLIENT_ID: clientId,
  SLACK_CLIENT_SECRET: clientSecret,
  SLACK_STATE_SECRET: stateSecret,
}: Config): { clientId: string; clientSecret: string; stateSecret: string } | undefined {
  return clientId !== undefined && clientSecret !== undefined && stateSecret !== undefined
    ? { clientId, clientSecret, stateSecret }
    : undefined;
}

/**
 * Returns the host at which this process reaches itself: a wildcard includes every address, any other is the only one
 * it listens on.
 */
export function localHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** Returns whether a host name or address always means this machine. */
export function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || name === '::1' || /^127\.[\d.]+$/.test(name);
}

export function localUrl({ HOST, PORT }: Config): string {
  return `http://${localHost(HOST)}:${PORT}`;
}

/** Returns the public URL of this process, without a trailing slash. */
export function publicUrlOf(config: Config): string {
  return config.PUBLIC_URL ?? localUrl(config);
}

/**
 * The variable with a provider's key. A key alone sends nothing to its provider, because other programs use the same
 * names.
 */
export const PROVIDER_KEY = {
  openai: 'OPENAI_API_KEY',
  google: 'GOOGLE_API_KEY',
  voyage: 'VOYAGE_API_KEY',
} as const satisfies Record<SearchProvider, keyof Config>;

/** Reports settings that are valid alone but not together. */
function conflicts(env: z.infer<typeof Environment>): string[] {
  const problems: string[] = [];
  if (env.SERVICE_URL && !env.SERVICE_API_TOKEN)
    problems.push('SERVICE_API_TOKEN is missing: every call to the service at SERVICE_URL needs a key.');
  const isChat = env.SLACK_BOT_TOKEN !== undefined || env.SLACK_CLIENT_ID !== undefined;
  if (env.SANDBOX === 'on' && !isChat && env.PORT === env.SANDBOX_PORT)
    problems.push(
      `PORT and SANDBOX_PORT are both ${env.PORT}: the program and its sandbox each need a port. Set one of them to another number.`,
    );
  for (const name of ['SLACK_APP_TOKEN', 'SLACK_SIGNING_SECRET'] as const)
    if (env[name] && !isChat)
      problems.push(`SLACK_BOT_TOKEN is missing: ${name} alone can receive but not post.`);
  if (env.SLACK_BOT_TOKEN && env.SLACK_STATE_SECRET)
    problems.push(
      'SLACK_BOT_TOKEN and SLACK_STATE_SECRET exclude each other: a token serves one workspace, and the secret is for an app that workspaces install.',
    );
  for (const name of ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET'] as const)
    if (!env[name] && (env.SLACK_CLIENT_ID ?? env.SLACK_CLIENT_SECRET ?? env.SLACK_STATE_SECRET))
      problems.push(
        `${name} is missing: Sign in with Slack and an app that workspaces install need SLACK_CLIENT_ID and SLACK_CLIENT_SECRET (from Basic Information).`,
      );
  const isInstallable = env.SLACK_CLIENT_ID !== undefined && env.SLACK_BOT_TOKEN === undefined;
  if (isInstallable && !env.SLACK_STATE_SECRET)
    problems.push(
      'SLACK_STATE_SECRET is missing: an app that workspaces install needs it, a long random text. For one workspace, set SLACK_BOT_TOKEN.',
    );
  for (const name of ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const)
    if (!env[name] && (env.OIDC_ISSUER ?? env.OIDC_CLIENT_ID ?? env.OIDC_CLIENT_SECRET))
      problems.push(
        `${name} is missing: single sign-on needs OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.`,
      );
  if (isInstallable && !env.TOKEN_ENCRYPTION_KEY && env.DATABASE_URL)
    problems.push(
      'TOKEN_ENCRYPTION_KEY is missing: it encrypts the tokens of the workspaces, and all replicas need the same (openssl rand -base64 32).',
    );
  if (isChat && !env.SLACK_APP_TOKEN && !env.SLACK_SIGNING_SECRET)
    problems.push(
      'SLACK_APP_TOKEN is missing: generate one under Basic Information → App-Level Tokens with the scope connections:write; or set SLACK_SIGNING_SECRET to receive events by HTTP.',
    );
  if (isChat && env.SERVICE_URL && !env.SERVICE_WEBHOOK_SECRET)
    problems.push(
      'SERVICE_WEBHOOK_SECRET is missing: for an external service, choose a long random text; the bridge registers its webhook with it.',
    );
  for (const provider of env.SEARCH_PROVIDERS ?? [])
    if (!env[PROVIDER_KEY[provider]])
      problems.push(
        `${PROVIDER_KEY[provider]} is missing: SEARCH_PROVIDERS names ${provider}, which needs a key.`,
      );
  if (env.ANSWER_MODEL && !env.OPENAI_API_KEY)
    problems.push(
      'OPENAI_API_KEY is missing: ANSWER_MODEL needs it. For your own server without keys, set it to any text.',
    );
  return problems;
}

function suggestion(name: string): string {
  const close = Object.keys(Environment.shape).filter((known) => distance(known, name) <= 3);
  return close.length > 0 ? ` (did you mean ${close.join(' or ')}?)` : '';
}

/** Returns the number of edits (insert, delete, replace) between two short words. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
    row = next;
  }
  return row[b.length] ?? 0;
}
