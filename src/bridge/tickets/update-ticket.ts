import type { Answer } from '../../client/index.ts';
import type { RouteBody } from '../../contract/index.ts';
import type { Bridge } from '../bridge.ts';
import { noteActs } from './acts.ts';

type Body = RouteBody<'updateTicket'>;

/**
 * Updates a ticket for a user. The user is recorded first, because the service sees only the bridge's key, and users
 * are not notified of their own changes (B43). Throws ServiceError.
 * @param user the service's user who does it; null for the bridge itself, or a chat user without one.
 */
export async function updateTicket(
  bridge: Bridge,
  user: string | null,
  ticketId: string,
  data: Body['data'],
  more: Omit<Body, 'data'> = {},
): Promise<Answer<'updateTicket'>> {
  await noteActs(bridge, bridge.database.db, ticketId, data, { user, inChat: true });
  return bridge.service.updateTicket({ params: { id: ticketId }, body: { data, ...more } });
}
