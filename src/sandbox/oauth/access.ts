import { z } from 'zod';

import { text } from '../web-api/arguments.ts';
import { type Answer, type Method, method, type OpenCall, SlackError } from '../web-api/method.ts';
import type { RegisteredApp } from '../workspace/apps.ts';
import type { App } from '../workspace/directory.ts';
import { install } from '../workspace/installations.ts';
import type { BotToken } from '../workspace/tokens.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import { redeemCode } from './codes.ts';

/** docs.slack.dev/reference/methods/oauth.v2.access */
export const OAUTH: readonly Method<OpenCall>[] = [
  method(
    'oauth.v2.access',
    z.object({
      client_id: text.optional(),
      client_secret: text.optional(),
      code: text.optional(),
      redirect_uri: text.optional(),
      grant_type: text.optional(),
      refresh_token: text.optional(),
    }),
    async ({ workspaces, basic }: OpenCall, args) => {
      const app = clientOf(workspaces, basic?.id ?? args.client_id, basic?.secret ?? args.client_secret);
      switch (args.grant_type || 'authorization_code') {
        case 'authorization_code':
          return exchange(workspaces, app, args.code ?? '', args.redirect_uri || undefined);
        case 'refresh_token':
          return refresh(workspaces, app, args.refresh_token ?? '');
        default:
          throw new SlackError('invalid_grant_type');
      }
    },
  ),
];

function clientOf(workspaces: Workspaces, id: string | undefined, secret: string | undefined): RegisteredApp {
  const app = workspaces.byClientId(id ?? '');
  if (!app) throw new SlackError('invalid_client_id');
  if (secret !== app.clientSecret) throw new SlackError('bad_client_secret');
  return app;
}

async function exchange(
  workspaces: Workspaces,
  app: RegisteredApp,
  code: string,
  redirectUri: string | undefined,
): Promise<Answer> {
  const { teamId, userId, scopes } = await redeemCode(workspaces, app, code, redirectUri);
  const workspace = workspaces.find(teamId);
  if (!workspace) throw new SlackError('invalid_code');
  const installed = await install(workspace, app, scopes);
  const token = await workspaces.tokens.issue(app, teamId);
  return { ...accessOf(workspaces, workspace, installed, token), authed_user: { id: userId } };
}

async function refresh(workspaces: Workspaces, app: RegisteredApp, refreshToken: string): Promise<Answer> {
  const used = workspaces.tokens.byRefreshToken(refreshToken);
  const workspace = used && workspaces.find(used.team_id);
  const installed = workspace?.directory.apps.get(app.id);
  if (used?.app_id !== app.id || !workspace || !installed) throw new SlackError('invalid_refresh_token');
  return accessOf(workspaces, workspace, installed, await workspaces.tokens.refresh(app, used));
}

function accessOf(
  { default: { clock } }: Workspaces,
  { directory }: Workspace,
  app: App,
  token: BotToken,
): Answer {
  const { expires_at, refresh_token } = token;
  return {
    access_token: token.token,
    token_type: 'bot',
    scope: [...(app.scopes ?? [])].join(','),
    bot_user_id: app.botUserId,
    app_id: app.id,
    ...(expires_at && refresh_token !== null
      ? { expires_in: Math.floor((expires_at.getTime() - clock.now().getTime()) / 1000), refresh_token }
      : {}),
    team: { id: directory.team.id, name: directory.team.name },
    enterprise: null,
    is_enterprise_install: false,
  };
}
