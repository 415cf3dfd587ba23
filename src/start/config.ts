import type { z } from 'zod';

import type { SearchProvider } from '../contract/index.ts';
import { StartError } from '../platform/lifecycle.ts';
import { Environment } from './settings.ts';

/** The environment is invalid; `message` says for each variable what is wrong and what to do. */
export class ConfigError extends StartError {
  override readonly name = 'ConfigError';
}

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
