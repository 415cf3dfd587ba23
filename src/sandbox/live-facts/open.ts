import { z } from 'zod';

import { type Comparison, compareFacts } from './compare.ts';
import { read } from './read.ts';
import { Workbench, type WorkbenchParts } from './workbench.ts';

export type LiveFactsOptions = Omit<WorkbenchParts, 'bot'>;

/** The channel is not one to try things in; the message says what to do. */
export class WrongChannelError extends Error {
  override readonly name = 'WrongChannelError';
}

const me = z.object({ user_id: z.string() });
const place = z.object({
  channel: z.object({
    is_member: z.boolean().default(false),
    is_archived: z.boolean().default(false),
    is_general: z.boolean().default(false),
  }),
});

/**
 * Tries what `slack-facts.md` assumes against a workspace, in one channel that the app is in: each result as it comes.
 * Some hundred calls, and as many again to put everything away.
 * @throws WrongChannelError for a channel that must not be written to.
 * @throws CannotTry where the workspace does not even say who the app is.
 */
export async function* liveFacts(options: LiveFactsOptions): AsyncGenerator<Comparison> {
  const bench = new Workbench({ ...options, bot: { userId: '' } });
  const { user_id: userId } = read(me, await bench.must('auth.test'));
  const { channel } = read(place, await bench.must('conversations.info', { channel: options.channel }));
  if (channel.is_general || channel.is_archived)
    throw new WrongChannelError('Name a channel made for testing: not #general, and not an archived one.');
  if (!channel.is_member)
    throw new WrongChannelError('The app is not in that channel: invite it there first.');
  yield* compareFacts(new Workbench({ ...options, bot: { userId } }));
}
