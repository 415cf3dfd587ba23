import { LIMITS } from '../limits.ts';
import type { Tables } from '../store/tables.ts';
import { type Answer, type Method, method, type OpenCall, SlackError, text } from '../web-api/method.ts';
import type { BotToken, RegisteredApp } from '../workspace/apps.ts';
import type { App, Organisation, Team } from '../workspace/directory.ts';
import { install } from '../workspace/installations.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Workspaces } from '../workspace/workspaces.ts';

/** docs.slack.dev/reference/methods/oauth.v2.access */
export const OAUTH: readonly Method<OpenCall>[] = [
  method(
    'oauth.v2.access',
    {
      client_id: text.optional(),
      client_secret: text.optional(),
      code: text.optional(),
      redirect_uri: text.optional(),
      grant_type: text.optional(),
      refresh_token: text.optional(),
    },
    async ({ workspaces, basic, signIns }: OpenCall, args) => {
      const app = requireClient(workspaces, basic?.id ?? args.client_id, basic?.secret ?? args.client_secret);
      switch (args.grant_type || 'authorization_code') {
        case 'authorization_code':
          if (signIns.isStarted(args.code ?? '')) throw new SlackError('oauth_authorization_url_mismatch');
          return exchange(workspaces, app, args.code ?? '', args.redirect_uri || undefined);
        case 'refresh_token':
          return refresh(workspaces, app, args.refresh_token ?? '');
        default:
          throw new SlackError('invalid_grant_type');
      }
    },
  ),
];

/** Errors: `invalid_client_id`, `bad_client_secret`. */
export function requireClient(
  workspaces: Workspaces,
  id: string | undefined,
  secret: string | undefined,
): RegisteredApp {
  const app = workspaces.apps.byClientId(id ?? '');
  if (!app) throw new SlackError('invalid_client_id');
  if (secret !== app.clientSecret) throw new SlackError('bad_client_secret');
  return app;
}

function exchange(
  workspaces: Workspaces,
  app: RegisteredApp,
  code: string,
  redirectUri: string | undefined,
): Answer {
  const { teamId, organisationId, userId, scopes } = redeemCode(workspaces, app, code, redirectUri);
  const authed_user = { id: userId };
  const organisation = workspaces.organisations.get(organisationId ?? '');
  if (organisation) {
    const { ids } = workspaces.default;
    const made = { botUserId: ids.slackId('U'), botId: ids.slackId('B') };
    const installed = workspaces.organisations.install(organisation, app, scopes, made);
    const token = workspaces.tokens.issue(app, { team_id: null, organisation_id: organisation.id });
    return { ...accessOf(workspaces, { organisation }, installed, token), authed_user };
  }
  const workspace = workspaces.find(teamId ?? '');
  if (!workspace) throw new SlackError('invalid_code');
  const installed = install(workspace, app, scopes);
  const { team } = workspace.directory;
  const token = workspaces.tokens.issue(app, { team_id: team.id, organisation_id: null });
  return { ...accessOf(workspaces, { team }, installed, token), authed_user };
}

function refresh(workspaces: Workspaces, app: RegisteredApp, refreshToken: string): Answer {
  const used = workspaces.tokens.byRefreshToken(refreshToken);
  const organisation = workspaces.organisations.get(used?.organisation_id ?? '');
  const directory = workspaces.find(used?.team_id ?? '')?.directory;
  const installed = organisation
    ? workspaces.organisations.app(organisation.id, app.id)
    : directory?.apps.get(app.id);
  const whose = organisation ? { organisation } : directory && { team: directory.team };
  if (used?.app_id !== app.id || !installed || !whose) throw new SlackError('invalid_refresh_token');
  return accessOf(workspaces, whose, installed, workspaces.tokens.refresh(app, used));
}

/** An organisation's installation has no `team` (its page, "Example responses"). */
function accessOf(
  { default: { clock } }: Workspaces,
  whose: { team: Team } | { organisation: Organisation },
  app: App,
  token: BotToken,
): Answer {
  const { expires_at, refresh_token } = token;
  const team = 'team' in whose ? whose.team : undefined;
  const organisation = 'team' in whose ? whose.team.organisation : whose.organisation;
  return {
    access_token: token.token,
    token_type: 'bot',
    scope: [...(app.scopes ?? [])].join(','),
    bot_user_id: app.botUserId,
    app_id: app.id,
    ...(expires_at && refresh_token !== null
      ? { expires_in: Math.floor((expires_at.getTime() - clock.now().getTime()) / 1000), refresh_token }
      : {}),
    team: team ? { id: team.id, name: team.name } : null,
    enterprise: organisation ? { id: organisation.id, name: organisation.name } : null,
    is_enterprise_install: team === undefined,
  };
}

/** The access that a person granted to an app. */
export interface Allowed {
  /** For a workspace, or for an organisation. */
  teamId: string | null;
  organisationId: string | null;
  userId: string;
  scopes: string[];
}

/** Creates a code for granted access; valid once, for ten minutes. */
export function makeCode(
  workspace: Workspace,
  app: RegisteredApp,
  allowed: {
    userId: string;
    scopes: readonly string[];
    redirectUri: string | undefined;
    /** For the whole organisation of the workspace. */
    organisation: Organisation | undefined;
  },
): string {
  const { db, clock, ids, directory } = workspace;
  const code = ids.secret();
  db.insert('oauth_code', {
    code,
    app_id: app.id,
    team_id: allowed.organisation ? null : directory.team.id,
    organisation_id: allowed.organisation?.id,
    user_id: allowed.userId,
    scopes: [...allowed.scopes],
    redirect_uri: allowed.redirectUri,
    expires_at: new Date(clock.now().getTime() + LIMITS.oauthCodeMs),
  });
  return code;
}

/**
 * Uses a code. Errors: `invalid_code` (unknown, another app's, or expired), `code_already_used`, `bad_redirect_uri` if
 * the URL differs from the one of the authorisation.
 */
export function redeemCode(
  { default: { db, clock } }: Workspaces,
  app: RegisteredApp,
  code: string,
  redirectUri: string | undefined,
): Allowed {
  const known = db.query<Tables['oauth_code']>('select * from oauth_code where code = ?').get(code);
  if (known?.app_id !== app.id) throw new SlackError('invalid_code');
  if (known.used) throw new SlackError('code_already_used');
  if (known.expires_at <= clock.now()) throw new SlackError('invalid_code');
  if ((known.redirect_uri ?? undefined) !== redirectUri) throw new SlackError('bad_redirect_uri');
  db.update('oauth_code', { code }, { used: true });
  const { team_id: teamId, organisation_id: organisationId, user_id: userId, scopes } = known;
  return { teamId, organisationId, userId, scopes };
}
