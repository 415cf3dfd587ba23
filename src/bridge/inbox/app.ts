import { App, type Receiver } from '@slack/bolt';

import { SHORTCUTS } from '../blocks/answers.ts';
import type { Bridge } from '../bridge.ts';
import { onAction } from './listeners/actions.ts';
import { onCommand } from './listeners/commands.ts';
import { onLinkShared } from './listeners/links.ts';
import { onMessage } from './listeners/messages.ts';
import { onOpened } from './listeners/home.ts';
import { onPerson } from './listeners/people.ts';
import { onReaction } from './listeners/reactions.ts';
import { onCreateTicket, onForm, onSendToRequester, onTicketActions } from './listeners/shortcuts.ts';
import { onSubmission } from './listeners/submissions.ts';

/** Events reach Bolt through `App.processEvent`, from their job; the intake receives them from Slack. */
const NO_RECEIVER: Receiver = {
  init: () => undefined,
  start: async () => undefined,
  stop: async () => undefined,
};

/** Creates the Bolt app with all listeners. It decides nothing: any error fails the event's job. */
export function createApp(bridge: Bridge): App {
  const app = new App({
    receiver: NO_RECEIVER,
    // The bot's own posts are recognised with everything else that is decided about a message.
    ignoreSelf: false,
    authorize: async () => ({
      teamId: bridge.bot.team,
      botId: bridge.bot.botId,
      botUserId: bridge.bot.userId,
    }),
  });
  app.event('message', onMessage(bridge));
  app.event('app_mention', onMessage(bridge));
  app.event('reaction_added', onReaction(bridge));
  app.event('reaction_removed', onReaction(bridge));
  app.event('app_home_opened', onOpened(bridge));
  app.event('user_change', onPerson(bridge));
  app.event('link_shared', onLinkShared(bridge));
  app.command(bridge.command, onCommand(bridge));
  app.shortcut(SHORTCUTS.createTicket, onCreateTicket(bridge));
  app.shortcut(SHORTCUTS.fillForm, onForm(bridge));
  app.shortcut(SHORTCUTS.newTicket, onForm(bridge));
  app.shortcut(SHORTCUTS.sendToRequester, onSendToRequester(bridge));
  app.shortcut(SHORTCUTS.ticketActions, onTicketActions(bridge));
  app.action(/.*/, onAction(bridge));
  app.view(/.*/, onSubmission(bridge));
  // A failed listener must fail its job, or the job would count as done.
  app.error(async (error) => {
    throw error;
  });
  return app;
}
