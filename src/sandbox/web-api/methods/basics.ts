import { z } from 'zod';

import { text } from '../arguments.ts';
import { method, SlackError } from '../method.ts';

/** docs.slack.dev/reference/methods/{api.test, auth.test, apps.connections.open} */
export const BASICS = [
  method('api.test', z.looseObject({ error: text.optional() }), async (_call, args) => {
    if (args.error !== undefined) throw new SlackError(args.error, { args });
    return { args };
  }),

  method('auth.test', z.object({}), async ({ workspace, app }) => ({
    url: `https://${workspace.directory.team.domain}.slack.com/`,
    team: workspace.directory.team.name,
    user: app.name,
    team_id: workspace.directory.team.id,
    user_id: app.botUserId,
    bot_id: app.botId,
    is_enterprise_install: false,
  })),

  method(
    'apps.connections.open',
    z.object({}),
    async ({ connections, app, baseUrl }) => {
      if (!app.socketMode) throw new SlackError('no_permission');
      return {
        url: `${baseUrl.replace(/^http/, 'ws')}/link/?ticket=${connections.issueTicket(app.id)}&app_id=${app.id}`,
      };
    },
    'app',
  ),
];
