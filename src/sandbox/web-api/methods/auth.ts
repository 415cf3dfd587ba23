import { z } from 'zod';

import { revoke, uninstall } from '../../workspace/installations.ts';
import { flag, text } from '../arguments.ts';
import { method, SlackError } from '../method.ts';

/** docs.slack.dev/reference/methods/{auth.teams.list, auth.revoke, apps.uninstall} */
export const AUTH = [
  method('auth.teams.list', z.object({}), async ({ workspace: { directory } }) => ({
    teams: [{ id: directory.team.id, name: directory.team.name }],
    response_metadata: { next_cursor: '' },
  })),

  method(
    'auth.revoke',
    z.object({ test: flag.optional() }),
    async ({ workspaces, workspace, app, token }, { test = false }) => {
      if (!test) revoke(workspaces, workspace, app, token);
      return { revoked: !test };
    },
  ),

  method(
    'apps.uninstall',
    z.object({ client_id: text.optional(), client_secret: text.optional() }),
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
