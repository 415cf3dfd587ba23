import { z } from 'zod';

import { text } from '../arguments.ts';
import { method, SlackError } from '../method.ts';
import { botShape } from '../shapes.ts';

/** docs.slack.dev/reference/methods/{api.test, auth.test, apps.connections.open, bots.info, team.info} */
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

  method('bots.info', z.object({ bot: text.optional() }), async ({ workspace, app }, args) => {
    const found =
      args.bot === undefined
        ? app
        : [...workspace.directory.apps.values()].find(({ botId }) => botId === args.bot);
    if (!found) throw new SlackError('bot_not_found');
    return { bot: botShape(found) };
  }),

  method('team.info', z.object({}), async ({ workspace }) => {
    const { id, name, domain } = workspace.directory.team;
    return {
      team: {
        id,
        name,
        domain,
        url: `https://${domain}.slack.com/`,
        email_domain: '',
        icon: { image_default: true },
      },
    };
  }),
];
