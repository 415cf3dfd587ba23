import type { MessageEvent, TicketMessage } from '../../contract/index.ts';
import type { Caller, ServiceDb } from '../handler.ts';
import type { Outbox } from '../outbox.ts';
import type { StoredTicket } from '../tickets/find.ts';
import { codeOf } from '../tickets/records.ts';

interface Told {
  caller: Caller;
  ticket: StoredTicket;
  message: TicketMessage;
  action: MessageEvent['action'];
}

/** Tells what a write did to a message. */
export async function tellMessage(
  db: ServiceDb,
  outbox: Outbox,
  { caller, ticket, message, action }: Told,
): Promise<void> {
  const { prefix } = await db
    .selectFrom('queue')
    .select('prefix')
    .where('workspace_id', '=', ticket.workspace_id)
    .where('id', '=', ticket.queue_id)
    .executeTakeFirstOrThrow();
  const created = action === 'created';
  outbox.add({
    type: 'Message',
    action,
    workspaceId: ticket.workspace_id,
    actor: {
      userId: created ? message.authorId : caller.personId,
      source: created ? message.source : caller.source,
    },
    data: message,
    ticket: { id: ticket.id, code: codeOf(prefix, ticket.number), queueId: ticket.queue_id },
    changes: null,
  });
}
