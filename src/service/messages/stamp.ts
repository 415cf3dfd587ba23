import type { QueryCreator } from 'kysely';

import { asksAgents } from '../answers/ask.ts';
import type { Tables } from '../schema/tables.ts';
import type { StoredTicket } from '../tickets/find.ts';

/**
 * Returns the part of a message write that stores its instant (`nextStamp`) on the locked ticket, and returns what the
 * write needs of the ticket's queue.
 */
export function stamping(db: QueryCreator<Tables>, { workspace_id, id }: StoredTicket, stamp: Date) {
  return db
    .updateTable('ticket')
    .from('queue')
    .set({ stamped_at: stamp })
    .where('ticket.workspace_id', '=', workspace_id)
    .where('ticket.id', '=', id)
    .whereRef('queue.workspace_id', '=', 'ticket.workspace_id')
    .whereRef('queue.id', '=', 'ticket.queue_id')
    .returning(['queue.prefix', asksAgents.as('asks_agents')]);
}
