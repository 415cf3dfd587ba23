import type { Answer } from '../../client/index.ts';
import type { Bridge } from '../bridge.ts';
import type { Person } from '../people/people.ts';
import { maySee } from './may-see-rules.ts';
import { isInTeam, teamsOf } from './team.ts';

/** A ticket as lists and searches return it. */
export type Listed = Answer<'listTickets'>['items'][number];

/** The queues whose team a user is in; null stands for tickets without one, which belong to every team. */
export type TeamQueues = ReadonlySet<string | null>;

/** Does not rely on the service's filter alone (Ext). Only the full record contains the followers. */
export async function isVisible(
  { service, channels }: Pick<Bridge, 'service' | 'channels'>,
  ticket: Listed,
  { user_id }: Pick<Person, 'user_id'>,
  queues: TeamQueues,
): Promise<boolean> {
  if (!(await channels.isOffered(ticket.queue?.workspaceId))) return false;
  if (queues.has(ticket.queueId)) return true;
  if (maySee({ ...ticket, followers: [] }, user_id)) return true;
  return user_id !== null && maySee(await service.readTicket({ params: { id: ticket.id } }), user_id);
}

/** Returns the queues whose team a user is in (B0); null stands for tickets without one, which belong to every team. */
export async function queuesOf(bridge: Bridge, person: Person): Promise<TeamQueues> {
  const own = [...(await teamsOf(bridge))].flatMap(([id, team]) => (isInTeam(team, person) ? [id] : []));
  return new Set(own.length > 0 ? [...own, null] : []);
}
