import type { Bridge } from '../bridge.ts';
import type { Standing } from './may-rules.ts';
import { type Audience, maySee } from './may-see-rules.ts';
import type { Person } from '../people/people.ts';
import { isInTeam, joined, teamOf, teamsOf } from './team.ts';

/**
 * Returns a user's relation to a ticket, and whether they may see it (B0, B25): the one check behind buttons, modals,
 * commands, emoji and search. A ticket without a queue belongs to the workspace's team. Its assignee counts as team. A
 * queue without a team is open to everyone but guests who can see the ticket, so that a new help desk can be used.
 * Throws ServiceError or ChatError.
 */
export async function standingOf(
  bridge: Bridge,
  ticket: Audience & { queueId: string | null },
  person: Person,
): Promise<Standing & { sees: boolean }> {
  const { queueId } = ticket;
  const team = queueId === null ? joined((await teamsOf(bridge)).values()) : await teamOf(bridge, queueId);
  const isMember = isInTeam(team, person);
  const hasPlace = queueId === null ? team.chatUserIds.size > 0 : await bridge.channels.hasTriage(queueId);
  const isUnnamed = !hasPlace && team.userIds.size === 0;
  const isAnybody = isUnnamed && !person.is_guest && !person.is_bot;
  const isUser = (id: string | null) => id !== null && id === person.user_id;
  return {
    isTeam: isMember || isAnybody || isUser(ticket.assigneeId),
    isRequester: isUser(ticket.requesterId),
    sees: isMember || maySee(ticket, person.user_id),
  };
}
