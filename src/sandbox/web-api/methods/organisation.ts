import { z } from 'zod';

import { openTo, uninstallFromOrganisation } from '../../workspace/organisation-access.ts';
import { text, whole } from '../arguments.ts';
import { type Method, method, type OrganisationCall, SlackError } from '../method.ts';
import { pageOf } from '../paging.ts';

/** docs.slack.dev/reference/methods/{auth.test, auth.teams.list, auth.revoke, apps.uninstall}, by an organisation's token */
export const ORGANISATION: readonly Method<OrganisationCall>[] = [
  method('auth.test', z.object({}), async ({ organisation, app }: OrganisationCall) => ({
    url: `https://${organisation.domain}.enterprise.slack.com/`,
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
    z.object({ cursor: text.optional(), limit: whole.optional() }),
    async ({ workspaces, organisation, app }: OrganisationCall, { cursor, limit }) => {
      const open = openTo(workspaces, organisation, app).map(({ directory: { team } }) => ({
        id: team.id,
        name: team.name,
      }));
      const { page, response_metadata } = pageOf(open, cursor, Math.min(limit || 100, 1000));
      return { teams: page, response_metadata };
    },
  ),

  method(
    'apps.uninstall',
    z.object({ client_id: text.optional(), client_secret: text.optional() }),
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
