import { z } from 'zod';

import { text } from '../arguments.ts';
import { type AppCall, type Method, method, SlackError } from '../method.ts';

const echo = z.looseObject({ error: text.optional() });

/** docs.slack.dev/reference/methods/{api.test, auth.test} */
export const BASICS = [
  method('api.test', echo, async (_call, args) => repeat(args)),

  method('auth.test', z.object({}), async ({ workspace, app }) => ({
    url: `https://${workspace.directory.team.domain}.slack.com/`,
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

  method('auth.test', z.object({}), async ({ app }: AppCall) => ({ app_name: app.name, app_id: app.id })),

  method('apps.connections.open', z.object({}), async ({ connections, app, baseUrl }: AppCall) => {
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
