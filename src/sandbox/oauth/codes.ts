import { LIMITS } from '../limits.ts';
import type { Tables } from '../store/tables.ts';
import { SlackError } from '../web-api/method.ts';
import type { RegisteredApp } from '../workspace/apps.ts';
import type { Organisation } from '../workspace/directory.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Workspaces } from '../workspace/workspaces.ts';

/** What somebody allowed an app. */
export interface Allowed {
  /** For a workspace, or for an organisation. */
  teamId: string | null;
  organisationId: string | null;
  userId: string;
  scopes: string[];
}

/** A code for what somebody allowed; good once, for ten minutes. */
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
 * Uses a code up. Refusals: `invalid_code` (nobody's, another app's, or too old), `code_already_used`,
 * `bad_redirect_uri` where the address is another than the code was asked with.
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
