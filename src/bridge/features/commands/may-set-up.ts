import type { Bridge } from '../../bridge.ts';
import type { Person } from '../../people/people.ts';
import { isInTeam, teamOf } from '../../tickets/team.ts';
import { escapeChat } from '../../text/to-chat.ts';

/** Returns whether a user is an admin or owner of the Slack workspace, uncached. Throws ChatError. */
export async function isAdmin({ chat, bot }: Bridge, person: Person): Promise<boolean> {
  return !person.is_guest && (await chat.profile(person.chat_user_id, bot)).isAdmin;
}

/**
 * Returns why a user may not configure these queues; undefined for admins of the workspace and members of every queue's
 * team. Everyone but guests may configure a queue without a team, because someone has to start (B0). Throws ChatError,
 * ServiceError.
 */
export async function setUpRefusal(
  bridge: Bridge,
  person: Person,
  queueIds: readonly string[],
): Promise<string | undefined> {
  if (await isAdmin(bridge, person)) return undefined;
  const foreign: string[] = [];
  for (const id of new Set(queueIds)) if (!(await isOfTeam(bridge, person, id))) foreign.push(id);
  if (foreign.length === 0) return undefined;
  const names: string[] = [];
  for (const id of foreign) names.push(`*${escapeChat((await bridge.channels.queue(id))?.name ?? id)}*`);
  return `Only the workspace’s admins and the team of ${names.join(' and ')} can do that. Ask one of them.`;
}

async function isOfTeam(bridge: Bridge, person: Person, queueId: string): Promise<boolean> {
  const team = await teamOf(bridge, queueId);
  if (isInTeam(team, person)) return true;
  const isUnnamed = team.userIds.size === 0 && !(await bridge.channels.hasTriage(queueId));
  return isUnnamed && !person.is_guest && !person.is_bot;
}
