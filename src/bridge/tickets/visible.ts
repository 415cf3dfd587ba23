import type { Answer } from '../../client/index.ts';
import type { Bridge } from '../bridge.ts';
import type { Person } from '../people/people.ts';
import { maySee } from './may-see-rules.ts';
import { isInTeam, teamsOf } from './team.ts';

/** A ticket as lists and searches show it. */
export type Listed = Answer<'listTickets'>['items'][number];

/** The queues whose team somebody is of; null stands for tickets without one, which are every team's. */
export type TeamQueues = ReadonlySet<string | null>;

/** The service's filter is not all that is relied on (Ext). Who follows a ticket is shown by its own record only. */
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

/** The queues whose team a person is of (B0); null stands for tickets without one, which are every team's. */
export async function queuesOf(bridge: Bridge, person: Person): Promise<TeamQueues> {
  const own = [...(await teamsOf(bridge))].flatMap(([id, team]) => (isInTeam(team, person) ? [id] : []));
  return new Set(own.length > 0 ? [...own, null] : []);
}
