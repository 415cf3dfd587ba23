import type { MessageEvent, TicketMessage } from '../../contract/index.ts';
import type { Caller, ServiceTx } from '../handler.ts';
import type { Outbox } from '../outbox.ts';
import type { StoredTicket } from '../tickets/find.ts';
import { codeOf } from '../ticket-code.ts';

/** Adds the event of a write to a ticket's message. The actor of a new message is its author. */
export async function addMessageEvent(
  tx: ServiceTx,
  { caller, outbox }: { caller: Pick<Caller, 'personId' | 'source'>; outbox: Outbox },
  action: MessageEvent['action'],
  ticket: Pick<StoredTicket, 'workspace_id' | 'id' | 'number' | 'queue_id'>,
  message: TicketMessage,
): Promise<void> {
  const { prefix } = await tx
    .selectFrom('queue')
    .select('prefix')
    .where('workspace_id', '=', ticket.workspace_id)
    .where('id', '=', ticket.queue_id)
    .executeTakeFirstOrThrow();
  outbox.add({
    type: 'Message',
    action,
    workspaceId: ticket.workspace_id,
    actor:
      action === 'created'
        ? { userId: message.authorId, source: message.source }
        : { userId: caller.personId, source: caller.source },
    data: message,
    ticket: { id: ticket.id, code: codeOf(prefix, ticket.number), queueId: ticket.queue_id },
    changes: null,
  });
}
