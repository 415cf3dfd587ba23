import { WebClient } from '@slack/web-api';

import type { Sandbox } from '../../src/sandbox/index.ts';
import { SEED, SILENT } from './open-sandbox.ts';

export const CLIENT = { client_id: SEED.app.id, client_secret: `client-secret-of-${SEED.app.id}` };
/** Nothing listens there: tests read the code from the URL. */
export const REDIRECT = 'http://127.0.0.1:9/slack/oauth_redirect';

/** A client that makes calls without a token, as an installer does. */
export function installerClient(sandbox: Sandbox): WebClient {
  return new WebClient(undefined, {
    slackApiUrl: sandbox.apiUrl,
    retryConfig: { retries: 0 },
    logger: SILENT,
  });
}

/** The URL where an app sends users to install it. */
export function authorizeUrl(sandbox: Sandbox, query: Record<string, string> = {}): string {
  const asked = { client_id: CLIENT.client_id, scope: 'chat:write', redirect_uri: REDIRECT, ...query };
  return `${sandbox.url}/oauth/v2/authorize?${new URLSearchParams(asked).toString()}`;
}

/** The code that the app gets after a user pressed Allow. */
export async function codeFor(
  sandbox: Sandbox,
  { team, user = 'ada', ...query }: { team?: string; user?: string } & Record<string, string>,
): Promise<string> {
  await sandbox.control.app({ redirectUrls: [REDIRECT] });
  const control = team === undefined ? sandbox.control : sandbox.control.team(team);
  const { redirect } = await control.allow({ url: authorizeUrl(sandbox, query), user });
  return new URL(redirect).searchParams.get('code') ?? '';
}

/** Installs the app, possibly again: the response of `oauth.v2.access`. */
export async function installApp(
  sandbox: Sandbox,
  options: { team?: string; user?: string } & Record<string, string> = {},
) {
  const code = await codeFor(sandbox, options);
  return installerClient(sandbox).oauth.v2.access({ ...CLIENT, code, redirect_uri: REDIRECT });
}

/** A second workspace, with people and a channel of the same names as in the first, and the app in both. */
export async function secondWorkspace(sandbox: Sandbox) {
  const made = await sandbox.control.addWorkspace({
    name: 'Orbit',
    domain: 'orbit',
    people: [{ name: 'ada', email: 'ada@orbit.example' }, { name: 'zoe' }],
    channels: [{ name: 'it-help' }, { name: 'orbit-only' }],
  });
  const access = await installApp(sandbox, { team: 'orbit', scope: ALL_SCOPES });
  const control = sandbox.control.team('orbit');
  await control.invite({ channel: 'it-help', user: 'ada', member: String(access.bot_user_id) });
  return { ...made, control, access, token: String(access.access_token), bot: String(access.bot_user_id) };
}

const ALL_SCOPES = [
  'chat:write',
  'channels:read',
  'channels:history',
  'users:read',
  'users:read.email',
  'files:write',
  'files:read',
  'team:read',
  'usergroups:read',
  'emoji:read',
  'im:write',
  'channels:join',
].join(',');
