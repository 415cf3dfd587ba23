import { type RawBuilder, sql } from 'kysely';

import { type ChatChannel, ID_PREFIXES, type ParsedBody } from '../../contract/index.ts';
import type { ServiceTx, Tools } from '../handler.ts';
import { jsonInstant } from '../instants.ts';

type App = NonNullable<ChatChannel['app']>;

/**
 * Returns the app of a channel, as JSON; `a` and `w` name the tables of apps and workspaces in the surrounding query.
 * Credentials are masked texts; fields known only from an OAuth installation are null (docs/api.md, Configuration
 * records).
 */
export const chatAppJson: RawBuilder<App | null> = sql<App | null>`
  case when a.id is null then null else json_build_object(
    'id', a.id, 'appId', a.app_id, 'accessToken', '', 'refreshToken', '', 'error', null, 'expiresIn', null,
    'expiresAt', null, 'authedUserId', null, 'botUserId', a.bot_user_id, 'teamId', a.team_id,
    'teamName', a.team_name, 'teamDomain', a.team_domain, 'channelName', null, 'channelId', null,
    'teamUrl', a.team_url, 'organizationId', w.organization_id, 'enterpriseId', a.enterprise_id,
    'enterpriseName', a.enterprise_name, 'isEnterpriseInstall', a.is_enterprise_install, 'workflowsAppId', null,
    'workflowsAppSigningSecret', '', 'agentWorkspaceId', null, 'configSettings', null,
    'createdAt', ${jsonInstant('a.created_at')}, 'updatedAt', ${jsonInstant('a.updated_at')}) end`;

/**
 * Returns the app that links a channel: the one in the request, stored or updated, or else the newest one known for the
 * channel's team; undefined if there is neither.
 */
export async function chatAppOf(
  tx: ServiceTx,
  { newId, now, workspaceId }: Pick<Tools, 'newId'> & { now: Date; workspaceId: string },
  { app, teamId }: Pick<ParsedBody<'linkChatChannel'>, 'app' | 'teamId'>,
): Promise<string | undefined> {
  if (!app) {
    if (!teamId) return undefined;
    const known = await tx
      .selectFrom('chat_app')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('team_id', '=', teamId)
      .orderBy('updated_at', 'desc')
      .orderBy('id', 'desc')
      .executeTakeFirst();
    return known?.id;
  }
  const fields = {
    ...(app.teamName !== undefined && { team_name: app.teamName }),
    ...(app.teamDomain !== undefined && { team_domain: app.teamDomain }),
    ...(app.teamUrl !== undefined && { team_url: app.teamUrl }),
    ...(app.botUserId !== undefined && { bot_user_id: app.botUserId }),
    ...(app.enterpriseId !== undefined && { enterprise_id: app.enterpriseId }),
    ...(app.enterpriseName !== undefined && { enterprise_name: app.enterpriseName }),
    ...(typeof app.isEnterpriseInstall === 'boolean' && { is_enterprise_install: app.isEnterpriseInstall }),
    updated_at: now,
  };
  const { id } = await tx
    .insertInto('chat_app')
    .values({
      workspace_id: workspaceId,
      id: newId(ID_PREFIXES.chatApp),
      app_id: app.appId,
      team_id: app.teamId ?? teamId ?? null,
      created_at: now,
      ...fields,
    })
    .onConflict((there) =>
      there.expression(sql`workspace_id, app_id, coalesce(team_id, '')`).doUpdateSet(fields),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
