import type { Selectable } from 'kysely';

import { type AllowedTo, requireAccess, requireReadable } from '../access/ticket-access.ts';
import type { Caller, ServiceTx } from '../handler.ts';
import { found } from '../problem.ts';
import type { Tables } from '../schema/tables.ts';
import { ticketKey, type StoredTicket } from '../tickets/find.ts';

export interface LockedMessage {
  ticket: StoredTicket;
  message: Selectable<Tables['ticket_message']>;
}

/**
 * Locks a message for a write: first its ticket's row, like `lockTicket`, then reads the message. 404 if the caller may
 * not read it, 403 for a signed-in person who is not of the ticket's team.
 * @param allowed the people who may write besides the team.
 */
export async function lockMessage(
  tx: ServiceTx,
  caller: Caller,
  id: string,
  allowed: AllowedTo = 'team',
): Promise<LockedMessage> {
  const ticket = found(
    await tx
      .selectFrom('ticket_message as m')
      .innerJoin('ticket as t', (join) =>
        join.onRef('t.workspace_id', '=', 'm.workspace_id').onRef('t.id', '=', 'm.ticket_id'),
      )
      .selectAll('t')
      .where('m.workspace_id', 'in', caller.workspaceIds)
      .where('m.id', '=', id)
      .forNoKeyUpdate('t')
      .executeTakeFirst(),
  );
  await requireReadable(tx, caller, id);
  await requireAccess(tx, caller, ticketKey(ticket), allowed);
  const message = await tx
    .selectFrom('ticket_message')
    .selectAll()
    .where('workspace_id', '=', ticket.workspace_id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return { ticket, message };
}
