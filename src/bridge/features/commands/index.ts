// The slash command, the same commands behind a mention in a ticket's thread (B32), and the buttons of their answers.
// `rules.ts` lists the commands; `read.ts`, `change.ts`, `workflows.ts` and `set-up.ts` have what
// each does.

import type { Feature } from '../../feature.ts';
import { greeting } from './read.ts';
import { commandIn } from './run.ts';

export const commands: Feature = {
  hooks: (bridge) => ({
    commandIn: (conversation, message) => commandIn(bridge, conversation, message),
    greeting,
  }),
};
