import { DeadLetter } from '../../platform/jobs/index.ts';
import type { Bridge } from '../bridge.ts';
import type { Ticket } from './find-ticket.ts';
import { updateTicket } from './update-ticket.ts';
import { workspaceOf } from './workspace-of.ts';

/** Sets a ticket to the first status of a group that every ticket may have, for a user or, with null, automatically. */
export async function setGroup(
  bridge: Bridge,
  ticket: Ticket,
  group: 'Open' | 'Closed',
  by: string | null,
): Promise<void> {
  const { items } = await bridge.service.listStatuses({
    query: { sortBy: 'order', workspaceId: workspaceOf(ticket) },
  });
  const status =
    items.find((one) => one.statusGroup.label === group && one.system) ??
    items.find((one) => one.statusGroup.label === group && one.requestTypes.length === 0);
  if (!status) throw new DeadLetter(`the service has no status of the group ${group}`);
  await updateTicket(bridge, by, ticket.id, { statusId: status.id });
}
