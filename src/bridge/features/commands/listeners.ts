import { ACTIONS } from '../../blocks/results.ts';
import { type Listeners, listener } from '../../inbox/listener.ts';
import { asksForForm } from '../../tickets/command-rules.ts';
import { pickTicket, pressAnswer, runCommand } from './run.ts';

const { moreResults, shareResults, share, moreObserved, ownChannels } = ACTIONS;

export const commandListeners: Listeners = (app, bridge) => {
  // Whatever its name in the app's manifest. The form has a listener of its own.
  app.command(
    /^/,
    listener(bridge, 'command', runCommand, ({ command }) => !asksForForm(command.escaped)),
  );
  app.action(ACTIONS.pick, listener(bridge, 'action', pickTicket));
  for (const id of [moreResults, shareResults, share, moreObserved, ownChannels])
    app.action(id, listener(bridge, 'action', pressAnswer));
};
