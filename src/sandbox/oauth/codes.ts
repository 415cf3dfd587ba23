import { sql } from 'kysely';

import { LIMITS } from '../limits.ts';
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
export async function makeCode(
  workspace: Workspace,
  app: RegisteredApp,
  allowed: {
    userId: string;
    scopes: readonly string[];
    redirectUri: string | undefined;
    /** For the whole organisation of the workspace. */
    organisation: Organisation | undefined;
  },
): Promise<string> {
  const { db, clock, ids, directory } = workspace;
  const code = ids.secret();
  await db
    .insertInto('oauth_code')
    .values({
      code,
      app_id: app.id,
      team_id: allowed.organisation ? null : directory.team.id,
      organisation_id: allowed.organisation?.id ?? null,
      user_id: allowed.userId,
      scopes: [...allowed.scopes],
      redirect_uri: allowed.redirectUri ?? null,
      expires_at: new Date(clock.now().getTime() + LIMITS.oauthCodeMs),
    })
    .execute();
  return code;
}

/**
 * Uses a code up. Refusals: `invalid_code` (nobody's, another app's, or too old), `code_already_used`,
 * `bad_redirect_uri` where the address is another than the code was asked with.
 */
export async function redeemCode(
  { default: { db, clock } }: Workspaces,
  app: RegisteredApp,
  code: string,
  redirectUri: string | undefined,
): Promise<Allowed> {
  const known = await db.selectFrom('oauth_code').selectAll().where('code', '=', code).executeTakeFirst();
  if (known?.app_id !== app.id) throw new SlackError('invalid_code');
  if (known.used) throw new SlackError('code_already_used');
  if (known.expires_at <= clock.now()) throw new SlackError('invalid_code');
  if ((known.redirect_uri ?? undefined) !== redirectUri) throw new SlackError('bad_redirect_uri');
  // Decided by the database, so that two calls at once do not both get a token.
  const taken = await sql`
    update oauth_code set used = true where code = ${code} and not used returning code`.execute(db);
  if (taken.rows.length === 0) throw new SlackError('code_already_used');
  const { team_id: teamId, organisation_id: organisationId, user_id: userId, scopes } = known;
  return { teamId, organisationId, userId, scopes };
}
