import { z } from 'zod';

import { findOtherBot } from '../../workspace/other-bots.ts';
import { botIcons } from '../../workspace/people-object.ts';
import { text } from '../arguments.ts';
import { type Answer, method, SlackError } from '../method.ts';

/** docs.slack.dev/reference/methods/bots.info */
export const BOTS = [
  method('bots.info', z.object({ bot: text.optional() }), async ({ workspace, app, baseUrl }, args) => {
    if (args.bot === undefined || args.bot === '' || args.bot === app.botId)
      return {
        bot: botObject(baseUrl, { id: app.botId, appId: app.id, userId: app.botUserId, name: app.name }),
      };
    const other = findOtherBot(workspace, { id: args.bot });
    if (!other) throw new SlackError('bot_not_found');
    const person = workspace.directory.people.get(other.user_id);
    return {
      bot: {
        ...botObject(baseUrl, {
          id: other.id,
          appId: other.app_id,
          userId: other.user_id,
          name: other.name,
        }),
        deleted: person?.deleted ?? false,
        ...(person?.isWorkflowBot === true ? { is_workflow_bot: true } : {}),
      },
    };
  }),
];

function botObject(
  baseUrl: string,
  bot: { id: string; appId: string; userId: string; name: string },
): Answer {
  return {
    id: bot.id,
    deleted: false,
    name: bot.name,
    updated: 0,
    app_id: bot.appId,
    user_id: bot.userId,
    icons: botIcons(baseUrl, bot.userId),
  };
}
