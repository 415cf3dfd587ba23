// The slash command, the same commands behind a mention in a ticket's thread (B32), and the buttons of their answers.
// `rules.ts` lists the commands; `read.ts`, `change.ts` and `set-up.ts` have what each does.

import { ACTIONS } from '../../blocks/results.ts';
import { type Feature, on } from '../../feature.ts';
import { helpText } from './read.ts';
import { pickTicket, isAnswerAction, pressAnswer, runCommand, commandIn } from './run.ts';

export const commands: Feature = {
  handlers: [
    on('command', runCommand),
    on('action', pickTicket, ({ action }) => action.actionId === ACTIONS.pick),
    on('action', pressAnswer, ({ action }) => isAnswerAction(action.actionId)),
  ],
  hooks: (bridge) => ({
    commandIn: (conversation, message) => commandIn(bridge, conversation, message),
    help: () => helpText(bridge.command),
  }),
};
