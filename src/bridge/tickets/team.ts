import type { Bridge } from '../bridge.ts';
import { ChatError } from '../slack/errors.ts';
import type { Queue } from './channels.ts';

/** The team of a queue: some known by their chat account, some by their user in the service. */
interface Team {
  /** Members of the queue's triage channels. */
  chatUserIds: ReadonlySet<string>;
  /** The queue's `autoAssignees`. */
  userIds: ReadonlySet<string>;
}

type Reads = Pick<Bridge, 'channels' | 'chat' | 'bot'>;

/**
 * Returns the team of a queue: the members of its triage channels, without the bot, and its `autoAssignees` (B0).
 * Members are cached by the reader; a triage channel that the bot is not in adds none. Throws ChatError, ServiceError.
 */
export async function teamOf(reads: Reads, queueId: string): Promise<Team> {
  return teamIn(reads, queueId, await reads.channels.queue(queueId));
}

async function teamIn(
  { channels, chat, bot }: Reads,
  queueId: string,
  queue: Pick<Queue, 'autoAssignees'> | undefined,
): Promise<Team> {
  const chatUserIds = new Set<string>();
  for (const channel of await channels.triagesOf(queueId))
    try {
      for (const member of await chat.members(channel)) chatUserIds.add(member);
    } catch (error) {
      if (!(error instanceof ChatError && error.next === 'give-up')) throw error;
    }
  chatUserIds.delete(bot.userId);
  return { chatUserIds, userIds: new Set(queue?.autoAssignees.map(({ id }) => id)) };
}

/** Returns the teams of all queues; together they are the workspace's team (B0). Throws ChatError, ServiceError. */
export async function teamsOf(bridge: Reads & Pick<Bridge, 'service'>): Promise<ReadonlyMap<string, Team>> {
  const teams = new Map<string, Team>();
  for await (const queue of bridge.service.all('listQueues', { query: {} }))
    if (!queue.deletedAt) teams.set(queue.id, await teamIn(bridge, queue.id, queue));
  return teams;
}

/** Merges several teams. */
export function joined(teams: Iterable<Team>): Team {
  const all = [...teams];
  return {
    chatUserIds: new Set(all.flatMap(({ chatUserIds }) => [...chatUserIds])),
    userIds: new Set(all.flatMap(({ userIds }) => [...userIds])),
  };
}

/** Returns whether a user is in the team, by either of their accounts. */
export function isInTeam(
  { chatUserIds, userIds }: Team,
  person: { chat_user_id: string; user_id: string | null },
): boolean {
  return chatUserIds.has(person.chat_user_id) || (person.user_id !== null && userIds.has(person.user_id));
}
