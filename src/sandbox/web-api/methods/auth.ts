import { z } from 'zod';

import { openTo, revoke, uninstall, uninstallFromOrganisation } from '../../workspace/installations.ts';
import {
  type AppCall,
  flag,
  method,
  type Method,
  type OrganisationCall,
  pageOf,
  paging,
  SlackError,
  text,
} from '../method.ts';

/** docs.slack.dev/reference/methods/{auth.teams.list, auth.revoke, apps.uninstall} */
export const AUTH = [
  method('auth.teams.list', {}, async ({ workspace: { directory } }) => ({
    teams: [{ id: directory.team.id, name: directory.team.name }],
    response_metadata: { next_cursor: '' },
  })),

  method(
    'auth.revoke',
    { test: flag.optional() },
    async ({ workspaces, workspace, app, token }, { test = false }) => {
      if (!test) revoke(workspaces, workspace, app, token);
      return { revoked: !test };
    },
  ),

  method(
    'apps.uninstall',
    { client_id: text.optional(), client_secret: text.optional() },
    async ({ workspaces, workspace, app }, { client_id = '', client_secret }) => {
      const named = workspaces.apps.byClientId(client_id);
      if (!named) throw new SlackError('invalid_client_id');
      if (client_secret !== named.clientSecret) throw new SlackError('bad_client_secret');
      if (named.id !== app.id) throw new SlackError('client_id_token_mismatch');
      uninstall(workspaces, workspace, app);
      return {};
    },
  ),
];

const echo = z.looseObject({ error: text.optional() });

/** docs.slack.dev/reference/methods/{api.test, auth.test} */
export const BASICS = [
  method('api.test', echo, async (_call, args) => repeat(args)),

  method('auth.test', {}, async ({ workspace, app, baseUrl }) => ({
    // Apps make permalinks of it.
    url: `${baseUrl}/`,
    team: workspace.directory.team.name,
    user: app.name,
    team_id: workspace.directory.team.id,
    user_id: app.botUserId,
    bot_id: app.botId,
    ...(workspace.directory.team.organisation
      ? { enterprise_id: workspace.directory.team.organisation.id }
      : {}),
    is_enterprise_install: false,
  })),
];

/** docs.slack.dev/reference/methods/apps.connections.open; an app-level token is the app's, in no workspace. */
export const WITH_APP_TOKEN: readonly Method<AppCall>[] = [
  method('api.test', echo, async (_call: AppCall, args) => repeat(args)),

  method('auth.test', {}, async ({ app }: AppCall) => ({ app_name: app.name, app_id: app.id })),

  method('apps.connections.open', {}, async ({ connections, app, baseUrl }: AppCall) => {
    if (!app.socketMode) throw new SlackError('no_permission');
    return {
      url: `${baseUrl.replace(/^http/, 'ws')}/link/?ticket=${connections.issueTicket(app.id)}&app_id=${app.id}`,
    };
  }),
];

function repeat(args: z.output<typeof echo>) {
  if (args.error !== undefined) throw new SlackError(args.error, { args });
  return { args };
}

/**
 * docs.slack.dev/reference/methods/{auth.test, auth.teams.list, auth.revoke, apps.uninstall}, by an organisation's
 * token
 */
export const ORGANISATION: readonly Method<OrganisationCall>[] = [
  method('auth.test', {}, async ({ organisation, app, baseUrl }: OrganisationCall) => ({
    url: `${baseUrl}/`,
    team: organisation.name,
    user: app.name,
    // The organisation stands in the place of a workspace.
    team_id: organisation.id,
    enterprise_id: organisation.id,
    user_id: app.botUserId,
    bot_id: app.botId,
    is_enterprise_install: true,
  })),

  method(
    'auth.teams.list',
    { ...paging },
    async ({ workspaces, organisation, app }: OrganisationCall, { cursor, limit }) => {
      const open = openTo(workspaces, organisation, app).map(({ directory: { team } }) => ({
        id: team.id,
        name: team.name,
      }));
      const { page, response_metadata } = pageOf(open, { cursor, limit });
      return { teams: page, response_metadata };
    },
  ),

  method(
    'apps.uninstall',
    { client_id: text.optional(), client_secret: text.optional() },
    async ({ workspaces, organisation, app }: OrganisationCall, { client_id = '', client_secret }) => {
      const named = workspaces.apps.byClientId(client_id);
      if (!named) throw new SlackError('invalid_client_id');
      if (client_secret !== named.clientSecret) throw new SlackError('bad_client_secret');
      if (named.id !== app.id) throw new SlackError('client_id_token_mismatch');
      uninstallFromOrganisation(workspaces, organisation, app);
      return {};
    },
  ),
];
