import { sql } from 'kysely';

import type { ServiceTx } from '../handler.ts';
import type { Outbox } from '../outbox.ts';
import type { StoredTicket } from '../tickets/find.ts';
import { answerWork } from './questions.ts';

/**
 * Plans that AI agents are asked about a requester's words, if the ticket's queue uses them; most do not. Whether one
 * answers is decided when they are asked (`answers/decide.ts`).
 * @param messageId null: the ticket itself.
 */
export async function askAgents(
  tx: ServiceTx,
  outbox: Outbox,
  ticket: Pick<StoredTicket, 'workspace_id' | 'id' | 'queue_id'>,
  messageId: string | null,
): Promise<void> {
  const { workspace_id: workspaceId, id: ticketId } = ticket;
  const asking = await tx
    .selectFrom('queue')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', ticket.queue_id)
    .where(sql<boolean>`settings ->> 'aiEnabled' = 'true'`)
    .executeTakeFirst();
  const { chain } = outbox;
  if (asking)
    outbox.plan(
      answerWork({ workspaceId, ticketId, messageId, ...(chain.length > 0 && { chain: [...chain] }) }),
    );
}
