import type { MessageEvent, TicketMessage } from '../../contract/index.ts';
import type { Caller } from '../handler.ts';
import type { Outbox } from '../outbox.ts';
import type { StoredTicket } from '../tickets/find.ts';
import { codeOf } from '../tickets/records.ts';

interface Told {
  caller: Caller;
  ticket: StoredTicket;
  /** The prefix of its queue. */
  prefix: string;
  message: TicketMessage;
  action: MessageEvent['action'];
}

/** Adds the event of a write to a message. */
export function tellMessage(outbox: Outbox, { caller, ticket, prefix, message, action }: Told): void {
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
