import type { Selectable } from 'kysely';

import type { Caller, ServiceTx } from '../handler.ts';
import { found } from '../problem.ts';
import type { Tables } from '../schema/tables.ts';
import { lockTicket, type StoredTicket } from '../tickets/find.ts';

export interface LockedMessage {
  ticket: StoredTicket;
  message: Selectable<Tables['ticket_message']>;
}

/** A message for a write: its ticket's row is locked first, then the message is read as it now is. */
export async function lockMessage(tx: ServiceTx, caller: Caller, id: string): Promise<LockedMessage> {
  const { workspace_id, ticket_id } = found(
    await tx
      .selectFrom('ticket_message')
      .select(['workspace_id', 'ticket_id'])
      .where('workspace_id', 'in', caller.workspaceIds)
      .where('id', '=', id)
      .executeTakeFirst(),
  );
  const ticket = await lockTicket(tx, { workspaceId: workspace_id, id: ticket_id });
  const message = await tx
    .selectFrom('ticket_message')
    .selectAll()
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return { ticket, message };
}
