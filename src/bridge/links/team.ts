import type { Bridge } from '../bridge.ts';
import { ChatError } from '../chat/errors.ts';

/** Who works a queue: some are known by their chat account, some by their user at the service. */
export interface Team {
  /** Members of the queue's triage channels. */
  chatUserIds: ReadonlySet<string>;
  /** The queue's `autoAssignees`. */
  userIds: ReadonlySet<string>;
}

/**
 * The team of a queue: the members of its triage channels, without the bot, and its `autoAssignees` (B0). Members are
 * as old as the reader keeps them; a triage channel that the bot may not look into adds nobody. Throws ChatError,
 * ServiceError.
 */
export async function teamOf(
  { channels, chat, bot }: Pick<Bridge, 'channels' | 'chat' | 'bot'>,
  queueId: string,
): Promise<Team> {
  const chatUserIds = new Set<string>();
  for (const channel of await channels.triagesOf(queueId))
    try {
      for (const member of await chat.members(channel)) chatUserIds.add(member);
    } catch (error) {
      if (!(error instanceof ChatError && error.next === 'give-up')) throw error;
    }
  chatUserIds.delete(bot.userId);
  const queue = await channels.queue(queueId);
  return { chatUserIds, userIds: new Set(queue?.autoAssignees.map(({ id }) => id)) };
}

/** Whether a person is of the team, by either of their accounts. */
export function isInTeam(
  { chatUserIds, userIds }: Team,
  person: { chat_user_id: string; user_id: string | null },
): boolean {
  return chatUserIds.has(person.chat_user_id) || (person.user_id !== null && userIds.has(person.user_id));
}
